import type { DataSource } from 'typeorm';
import type { Database } from '../../database/database';
import { type Table, tableOf } from '../../database/table';
import type { Id, WriteTarget } from '../../database/write';
import { FlowCheckpoint } from '../entities/checkpoint';
import { FlowDifference } from '../entities/difference';
import { FlowEntityHistory } from '../entities/entity-history';
import { FlowGateDecision } from '../entities/gate-decision';
import { FlowHeldBatch } from '../entities/held-batch';
import { FlowLoadMarker } from '../entities/load-marker';
import { FlowLog } from '../entities/log';
import { FlowMessageTrigger } from '../entities/message-trigger';
import { FlowPendingEffect } from '../entities/pending-effect';
import { FlowPipeline } from '../entities/pipeline';
import { FlowReceivedMessage } from '../entities/received-message';
import { FlowRecordError } from '../entities/record-error';
import { FlowRemoteAction } from '../entities/remote-action';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { FlowRunFence } from '../entities/run-fence';
import { FlowFileWatch, FlowWatchedFile } from '../entities/watched-file';
import { FlowWebhookKey } from '../entities/webhook-key';
import { FlowRunStatistics } from '../entities/run-statistics';

/** The tables that the stores write to. */
interface StoreTables {
    readonly pipelines: Table;
    readonly runs: Table;
    readonly revisions: Table;
    readonly fences: Table;
    readonly markers: Table;
    readonly held: Table;
    readonly decisions: Table;
    readonly effects: Table;
    readonly errors: Table;
    readonly differences: Table;
    readonly histories: Table;
    readonly checkpoints: Table;
    readonly logs: Table;
    readonly webhookKeys: Table;
    readonly statistics: Table;
    readonly remoteActions: Table;
    readonly receivedMessages: Table;
    readonly messageTriggers: Table;
    readonly watchedFiles: Table;
    readonly fileWatches: Table;
}

/** The dependencies of all stores. */
export interface StoreEnv {
    readonly database: Database;
    readonly tables: StoreTables;
}

/** Which run a store writes for, and by which right: the token that its worker got when it claimed the run. */
export interface RunIdentity {
    readonly runId: Id;
    readonly pipelineId: Id;
    readonly channelId: Id;
    readonly token: string;
    /** How many workers in a row have died at the run without progress. */
    readonly takeovers: number;
    /** Records that a dry run rejects need no action. */
    readonly dryRun?: boolean;
}

/** The scope of the checkpoints that belong to one run. */
export function runScope(runId: Id): string {
    return `run:${runId}`;
}

/** The stores' footing in a connected data source. */
export function storeEnv(dataSource: DataSource, database: Database): StoreEnv {
    const table = (entity: Parameters<typeof tableOf>[1]): Table => tableOf(dataSource, entity);
    return {
        database,
        tables: {
            pipelines: table(FlowPipeline),
            runs: table(FlowPipelineRun),
            revisions: table(FlowPipelineRevision),
            fences: table(FlowRunFence),
            markers: table(FlowLoadMarker),
            held: table(FlowHeldBatch),
            decisions: table(FlowGateDecision),
            effects: table(FlowPendingEffect),
            errors: table(FlowRecordError),
            differences: table(FlowDifference),
            histories: table(FlowEntityHistory),
            checkpoints: table(FlowCheckpoint),
            logs: table(FlowLog),
            webhookKeys: table(FlowWebhookKey),
            statistics: table(FlowRunStatistics),
            remoteActions: table(FlowRemoteAction),
            receivedMessages: table(FlowReceivedMessage),
            messageTriggers: table(FlowMessageTrigger),
            watchedFiles: table(FlowWatchedFile),
            fileWatches: table(FlowFileWatch),
        },
    };
}

/** A table as `insertRows` and its like want it. */
export function targetOf({ database, tables }: StoreEnv, table: keyof StoreTables): WriteTarget {
    return { table: tables[table], dialect: database.dialect };
}
