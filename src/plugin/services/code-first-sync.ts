import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { Database } from '../../platform/sql/database';
import type { CodeFirstPipeline } from '../code-first';
import type { ConnectionSource, SecretSource } from '../options';
import { readChannels } from './channel-tokens';
import { type PipelineReport, PipelineSync } from './pipeline-sync';
import { type ResourceReport, ResourceSync } from './resource-sync';

/** All that comes from the shop's code and its configuration file. */
export interface CodeFirst {
    readonly pipelines: readonly CodeFirstPipeline[];
    readonly secrets: readonly SecretSource[];
    readonly connections: readonly ConnectionSource[];
}

/** What a sync did. */
export interface CodeFirstReport {
    readonly pipelines: PipelineReport;
    readonly secrets: ResourceReport;
    readonly connections: ResourceReport;
}

/** Whoever syncs holds this; several servers and workers may start at once on an empty database. */
const SYNC_LOCK = 'flow:code-first';
const TRIES = 3;

/** Brings the database to what the code says, all of it in one transaction. */
export class CodeFirstSync {
    private readonly pipelines: PipelineSync;
    private readonly resources: ResourceSync;

    constructor(
        private readonly dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.pipelines = new PipelineSync(dataSource, database);
        this.resources = new ResourceSync(dataSource, database);
    }

    /** Throws CHANNEL_NOT_FOUND, OPTION_INVALID; nothing has changed then. */
    async sync(wanted: CodeFirst): Promise<CodeFirstReport> {
        for (let tries = 1; ; tries++) {
            try {
                return await this.database.transaction(() => this.script(wanted), { locks: [SYNC_LOCK] });
            } catch (error) {
                if (tries === TRIES || !isCollision(error)) throw error;
            }
        }
    }

    private *script({ pipelines, secrets, connections }: CodeFirst): Script<CodeFirstReport> {
        const channelOf = yield* readChannels(this.dataSource);
        return {
            secrets: yield* this.resources.syncSecrets(secrets, channelOf),
            connections: yield* this.resources.syncConnections(connections, channelOf),
            pipelines: yield* this.pipelines.script(pipelines, channelOf),
        };
    }
}

/** Somebody made one of the codes in the dashboard, which does not take the lock, in the same moment. Read again, it is there to be taken over. */
function isCollision(error: unknown): boolean {
    return isFlowError(error) && (error.code === 'RECORD_REFUSED' || error.code === 'DATABASE_BUSY');
}
