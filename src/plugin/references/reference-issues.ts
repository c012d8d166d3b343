import { Inject, Injectable } from '@nestjs/common';
import type { Script } from '../../core/adapter/loader';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Issue } from '../../core/pipeline/issues';
import { RESOURCE_CODE } from '../../core/schema/fields';
import { atOnce, type Work } from '../../core/work/work';
import { hostProblemOf } from '../../io/outbound/host-problem';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { WorkLane } from '../work-lane';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { secretsOf } from '../options/connection-settings';
import { type DefinitionReference, findingDefinitionReferences } from './definition-references';
import { type InChannel, type Known, KnownCodes, type KnownPipeline } from './known-codes';
import {
    type KnownResources,
    type HintOf,
    type Lack,
    type PlacedReferences,
    ReferenceJudge,
} from './reference-judgement';

/** A definition, which may have faults, and the channel in which it runs. */
export interface PlacedDefinition {
    readonly channelId: Id;
    readonly definition: unknown;
    /** The pipeline that it is about to be published as. */
    readonly as?: { readonly code: string; readonly enabled: boolean };
}

/** Of so many pipelines that hooks start it is looked up whether they can be started: what is published of each is read for it. */
const MOST_STARTED = 50;

/** Tells which connections, secrets, files and pipelines that definitions name are not there, or not what the step needs. */
@Injectable()
export class ReferenceIssues {
    constructor(
        private readonly known: KnownCodes,
        private readonly lane: WorkLane,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** What a definition names and a run needs: disabled steps need nothing, and what can be no code, and steps of unknown kinds, are told by the check. */
    *needed(definition: unknown): Work<readonly DefinitionReference[]> {
        const all = yield* findingDefinitionReferences(definition, this.setup.registry);
        return all.filter(
            ({ isDisabled, isGuess, to, code }) =>
                !isDisabled && !isGuess && (to === 'file' || RESOURCE_CODE.test(code)),
        );
    }

    /** For each of them its issues. At most three statements for all, and one more for each kind of which something is missing. */
    async of(all: readonly PlacedReferences[]): Promise<ReadonlyArray<readonly Issue[]>> {
        const judge = this.judge(await this.database.run(() => this.found(all)));
        const lacks = await this.lane.done(judge.lacks(all));
        const hints = lacks.length === 0 ? noHints : await this.database.run(() => this.hints(lacks));
        return this.lane.done(judge.issues(all, hints));
    }

    /** As `of`, in one stretch, for definitions; those that are published together know each other. */
    *script(definitions: readonly PlacedDefinition[]): Script<ReadonlyArray<readonly Issue[]>> {
        const all = definitions.map(({ channelId, definition }) => ({
            channelId,
            references: atOnce(this.needed(definition)),
        }));
        const judge = this.judge(yield* this.found(all, publishedSoon(definitions)));
        const hints = yield* this.hints(atOnce(judge.lacks(all)));
        return atOnce(judge.issues(all, hints));
    }

    private judge(found: KnownResources): ReferenceJudge {
        const { registry, options } = this.setup;
        return new ReferenceJudge(registry, found, hostProblemOf(options.security));
    }

    private *found(all: readonly PlacedReferences[], soon?: Known<KnownPipeline>): Script<KnownResources> {
        const wanted = { connection: new Wanted(), secret: new Wanted(), file: new Wanted(), pipeline: new Wanted() };
        for (const { channelId, references } of all)
            for (const { to, code } of references) wanted[to].add({ channelId, code });
        const connections = yield* this.known.connections(wanted.connection.list);
        const theirs = wanted.connection.list.flatMap(({ channelId, code }) => {
            const connection = connections({ channelId, code });
            return connection
                ? secretsOf(connection, this.setup.registry).map(secret => ({ channelId, code: secret.code }))
                : [];
        });
        const secrets = yield* this.known.secrets([...wanted.secret.list, ...theirs]);
        const files = yield* this.known.files(wanted.file.list);
        const started = wanted.pipeline.list.filter(one => !soon?.(one)).slice(0, MOST_STARTED);
        const stored = yield* this.known.pipelines(started);
        const pipelines: Known<KnownPipeline> = one => soon?.(one) ?? stored(one);
        const isBeyond = wanted.pipeline.list.length > MOST_STARTED;
        return { connections, secrets, files, ...(!isBeyond && { pipelines }), now: new Date() };
    }

    private *hints(lacks: readonly Lack[]): Script<HintOf> {
        const hints = new Map<string, (code: string) => string>();
        for (const { channelId, to } of lacks) hints.set(`${to} ${channelId}`, yield* this.known.hints(channelId, to));
        return ({ channelId, to }) => hints.get(`${to} ${channelId}`)!;
    }
}

/** Codes in their channels, each once. */
class Wanted {
    private readonly known = new Map<string, InChannel>();

    get list(): readonly InChannel[] {
        return [...this.known.values()];
    }

    add(wanted: InChannel): void {
        this.known.set(`${wanted.channelId} ${wanted.code}`, wanted);
    }
}

function publishedSoon(definitions: readonly PlacedDefinition[]): Known<KnownPipeline> {
    const soon = new Map<string, KnownPipeline>();
    for (const { channelId, definition, as } of definitions)
        if (as) {
            const known = { enabled: as.enabled, archived: false, definition: definition as PipelineDefinition };
            soon.set(`${channelId} ${as.code}`, known);
        }
    return ({ channelId, code }) => soon.get(`${channelId} ${code}`);
}

const noHints: HintOf = () => () => '';
