import { Inject, Injectable } from '@nestjs/common';
import type { StatementProgram } from '../../core/adapter/loader';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { clause, type FactText } from '../../core/errors/rendered';
import type { Issue } from '../../core/pipeline/issues';
import { RESOURCE_CODE } from '../../core/schema/fields';
import { runAtOnce, type YieldingTask } from '../../core/concurrency/yielding-task';
import { hostProblemOf } from '../../io/outbound/host-problem';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { secretsOf } from '../options/connection-settings';
import { type DefinitionReference, findingDefinitionReferences } from './definition-references';
import { type InChannel, type KnownReferences, KnownCodes, type KnownPipeline } from './known-codes';
import {
    type KnownResources,
    type HintOf,
    type UnknownReferences,
    type ScopedReferences,
    ReferenceChecker,
} from './reference-checker';

/** A definition, which may be invalid, and the channel in which it runs. */
interface ScopedDefinition {
    readonly channelId: Id;
    readonly definition: unknown;
    /** The pipeline under which it will be published. */
    readonly as?: { readonly code: string; readonly enabled: boolean };
}

/** The most pipelines of hooks that are checked for whether they can be started, since the published definition of each is read for that. */
const MOST_STARTED = 50;

/** Finds the connections, secrets, files and pipelines that definitions name and that are missing or unsuitable for the step. */
@Injectable()
export class ReferenceIssues {
    constructor(
        private readonly known: KnownCodes,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * The resources that a run of the definition needs. Disabled steps need nothing. Invalid codes and steps of unknown kinds are reported by the check of the
     * definition.
     */
    *needed(definition: unknown): YieldingTask<readonly DefinitionReference[]> {
        const all = yield* findingDefinitionReferences(definition, this.setup.registry);
        return all.filter(
            ({ isDisabled, isGuess, to, code }) =>
                !isDisabled && !isGuess && (to === 'file' || RESOURCE_CODE.test(code)),
        );
    }

    /** The issues of each definition. Uses at most three statements for all, and one more for each kind of missing resources. */
    async of(all: readonly ScopedReferences[]): Promise<ReadonlyArray<readonly Issue[]>> {
        const judge = this.checker(await this.database.run(() => this.found(all)));
        const gaps = await this.taskQueue.done(judge.lacks(all));
        const hints = gaps.length === 0 ? noHints : await this.database.run(() => this.hints(gaps));
        return this.taskQueue.done(judge.issues(all, hints));
    }

    /** The same as `of`, as one program, for definitions. Those that are published together can refer to each other. */
    *script(definitions: readonly ScopedDefinition[]): StatementProgram<ReadonlyArray<readonly Issue[]>> {
        const all = definitions.map(({ channelId, definition }) => ({
            channelId,
            references: runAtOnce(this.needed(definition)),
        }));
        const judge = this.checker(yield* this.found(all, publishedSoon(definitions)));
        const hints = yield* this.hints(runAtOnce(judge.lacks(all)));
        return runAtOnce(judge.issues(all, hints));
    }

    private checker(found: KnownResources): ReferenceChecker {
        const { registry, options } = this.setup;
        return new ReferenceChecker(registry, found, hostProblemOf(options.security));
    }

    private *found(
        all: readonly ScopedReferences[],
        soon?: KnownReferences<KnownPipeline>,
    ): StatementProgram<KnownResources> {
        const desired = { connection: new Wanted(), secret: new Wanted(), file: new Wanted(), pipeline: new Wanted() };
        for (const { channelId, references } of all)
            for (const { to, code } of references) desired[to].add({ channelId, code });
        const connections = yield* this.known.connections(desired.connection.list);
        const theirs = desired.connection.list.flatMap(({ channelId, code }) => {
            const connection = connections({ channelId, code });
            return connection
                ? secretsOf(connection, this.setup.registry).map(secret => ({ channelId, code: secret.code }))
                : [];
        });
        const secrets = yield* this.known.secrets([...desired.secret.list, ...theirs]);
        const files = yield* this.known.files(desired.file.list);
        const started = desired.pipeline.list.filter(one => !soon?.(one)).slice(0, MOST_STARTED);
        const stored = yield* this.known.pipelines(started);
        const pipelines: KnownReferences<KnownPipeline> = one => soon?.(one) ?? stored(one);
        const isBeyond = desired.pipeline.list.length > MOST_STARTED;
        return { connections, secrets, files, ...(!isBeyond && { pipelines }), now: new Date() };
    }

    private *hints(gaps: readonly UnknownReferences[]): StatementProgram<HintOf> {
        const hints = new Map<string, (code: string) => FactText>();
        for (const { channelId, to } of gaps) hints.set(`${to} ${channelId}`, yield* this.known.hints(channelId, to));
        return ({ channelId, to }) => hints.get(`${to} ${channelId}`)!;
    }
}

/** Codes in their channels, each once. */
class Wanted {
    private readonly known = new Map<string, InChannel>();

    get list(): readonly InChannel[] {
        return [...this.known.values()];
    }

    add(desired: InChannel): void {
        this.known.set(`${desired.channelId} ${desired.code}`, desired);
    }
}

function publishedSoon(definitions: readonly ScopedDefinition[]): KnownReferences<KnownPipeline> {
    const soon = new Map<string, KnownPipeline>();
    for (const { channelId, definition, as } of definitions)
        if (as) {
            const known = { enabled: as.enabled, archived: false, definition: definition as PipelineDefinition };
            soon.set(`${channelId} ${as.code}`, known);
        }
    return ({ channelId, code }) => soon.get(`${channelId} ${code}`);
}

const noHints: HintOf = () => () => clause``;
