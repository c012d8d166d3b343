import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import { isErrorIssue, type Issue } from '../../core/pipeline/issues';
import type { Database } from '../../database/database';
import type { CodeFirstPipeline } from '../options/written-pipelines';
import type { ConnectionSource, SecretSource } from '../options/options';
import type { ReferenceIssues } from '../references/reference-issues';
import { type ChannelLookup, readChannels } from '../runs/channel-tokens';
import { pipelineIn, type PipelineReport, PipelineSync } from './pipeline-sync';
import { type ResourceReport, ResourceSync } from './resource-sync';

/** Everything that is defined in the shop's code and its configuration file. */
export interface CodeFirst {
    readonly pipelines: readonly CodeFirstPipeline[];
    readonly secrets: readonly SecretSource[];
    readonly connections: readonly ConnectionSource[];
}

/** The result of a sync. */
export interface CodeFirstReport {
    readonly pipelines: PipelineReport;
    readonly secrets: ResourceReport;
    readonly connections: ResourceReport;
    /** The missing resources to which the definitions of pipelines refer, by pipeline code. */
    readonly lacking: ReadonlyMap<string, readonly Issue[]>;
}

/** The result of another check of pipelines that were not published. */
interface PostponedReport {
    readonly lacking: CodeFirstReport['lacking'];
    readonly publications: PipelineReport['publications'];
}

/** The lock that a sync holds, because several servers and workers may start at once on an empty database. */
const SYNC_LOCK = 'flow:code-first';
const TRIES = 3;

/** Makes the database equal to the code, in one transaction. */
export class CodeFirstSync {
    private readonly pipelines: PipelineSync;
    private readonly resources: ResourceSync;

    constructor(
        private readonly dataSource: DataSource,
        private readonly database: Database,
        private readonly references: Pick<ReferenceIssues, 'script'>,
    ) {
        this.pipelines = new PipelineSync(dataSource, database);
        this.resources = new ResourceSync(dataSource, database);
    }

    /**
     * Does not publish a pipeline that names a connection or secret that the shop does not have; the report contains what it lacks. Throws
     * CHANNEL_NOT_FOUND and OPTION_INVALID, without any change.
     */
    async sync(desired: CodeFirst): Promise<CodeFirstReport> {
        for (let tries = 1; ; tries++) {
            try {
                return await this.database.transaction(() => this.script(desired), { locks: [SYNC_LOCK] });
            } catch (error) {
                if (tries === TRIES || !isCollision(error)) throw error;
            }
        }
    }

    /**
     * Publishes pipelines that `sync` has not published and that lack nothing any more, unless they were changed since. Returns what all of
     * them lack now, and what was published. Locks nothing while all of them lack something.
     */
    async publishHeld(
        pipelines: readonly CodeFirstPipeline[],
        versions: ReadonlyMap<string, number>,
    ): Promise<PostponedReport> {
        const held = pipelines.filter(({ source }) => versions.has(source.code));
        const lacking = await this.database.run(() => this.lackingNow(held));
        if (ready(held, lacking).length === 0) return { lacking, publications: [] };
        return await this.database.transaction(() => this.heldScript(held, versions), { locks: [SYNC_LOCK] });
    }

    private *heldScript(
        held: readonly CodeFirstPipeline[],
        versions: ReadonlyMap<string, number>,
    ): StatementProgram<PostponedReport> {
        const channelOf = yield* readChannels(this.dataSource);
        const lacking = yield* this.lacking(held, channelOf);
        const rules = { unpublished: new Set<string>(), versions };
        const { publications } = yield* this.pipelines.script(ready(held, lacking), channelOf, rules);
        return { lacking, publications };
    }

    private *lackingNow(held: readonly CodeFirstPipeline[]): StatementProgram<CodeFirstReport['lacking']> {
        return yield* this.lacking(held, yield* readChannels(this.dataSource));
    }

    private *script({ pipelines, secrets, connections }: CodeFirst): StatementProgram<CodeFirstReport> {
        const channelOf = yield* readChannels(this.dataSource);
        const done = {
            secrets: yield* this.resources.syncSecrets(secrets, channelOf),
            connections: yield* this.resources.syncConnections(connections, channelOf),
        };
        const lacking = yield* this.lacking(pipelines, channelOf);
        const held = pipelines.filter(({ source }) => lacking.get(source.code)?.some(isErrorIssue));
        const unpublished = new Set(held.map(({ source }) => source.code));
        return { ...done, lacking, pipelines: yield* this.pipelines.script(pipelines, channelOf, { unpublished }) };
    }

    /** Checks against what is stored now, including the secrets and connections of the code. */
    private *lacking(
        pipelines: readonly CodeFirstPipeline[],
        channelLookup: ChannelLookup,
    ): StatementProgram<CodeFirstReport['lacking']> {
        const issues = yield* this.references.script(
            pipelines.map(({ source, definition }) => ({
                channelId: channelLookup(pipelineIn(source)),
                definition,
                as: source,
            })),
        );
        return new Map(pipelines.map(({ source }, i) => [source.code, issues[i]!]));
    }
}

/** The pipelines that lack nothing. */
function ready(held: readonly CodeFirstPipeline[], lacking: CodeFirstReport['lacking']): readonly CodeFirstPipeline[] {
    return held.filter(({ source }) => !lacking.get(source.code)?.some(isErrorIssue));
}

/**
 * A user created one of the codes in the dashboard at the same moment, without taking the lock. The next attempt takes the new row over.
 */
function isCollision(error: unknown): boolean {
    return isFlowError(error) && (error.code === 'RECORD_REFUSED' || error.code === 'DATABASE_BUSY');
}
