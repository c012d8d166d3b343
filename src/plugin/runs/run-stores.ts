import { Inject, Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { name, select, sql } from '../../database/statement';
import type { RunSignal } from './run-monitor';
import type { FlowSetup } from '../setup';
import { PendingEffects } from '../stores/effects';
import { DatabaseLeases } from '../leases/database-leases';
import { ExclusiveJob } from '../leases/exclusive-job';
import { RunLeases } from '../stores/leases';
import { RunGates } from '../stores/gates';
import { SpooledPages } from '../stores/spooled-pages';
import { CleanupQueries } from '../stores/cleanup-queries';
import { RunPauses } from '../stores/pauses';
import { RunTransitions } from '../stores/run-transitions';
import { MessageTriggers } from '../stores/message-triggers';
import { ReceivedMessages } from '../stores/received-messages';
import { WatchedFiles } from '../stores/watched-files';
import { WebhookKeys } from '../stores/webhook-keys';
import { type RunIdentity, type StoreEnv, storeEnv } from '../stores/store-env';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';

/** The stores of the runs on the shop's database. */
@Injectable()
export class RunStores {
    readonly env: StoreEnv;
    readonly leases: RunLeases;
    readonly endings: RunTransitions;
    readonly pauses: RunPauses;
    readonly gates: RunGates;
    readonly heldPages: SpooledPages;
    readonly effects: PendingEffects;
    /** Of what one process at a time does for the runs. */
    readonly workLeases: DatabaseLeases;
    readonly exclusive: ExclusiveJob;
    readonly purge: CleanupQueries;
    readonly webhookKeys: WebhookKeys;
    readonly receivedMessages: ReceivedMessages;
    readonly messageTriggers: MessageTriggers;
    readonly watchedFiles: WatchedFiles;

    constructor(
        connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        const { leaseMs } = options.runtime;
        this.env = storeEnv(connection.rawConnection, database);
        this.leases = new RunLeases(this.env, leaseMs);
        this.endings = new RunTransitions(this.env);
        this.pauses = new RunPauses(this.env);
        this.gates = new RunGates(this.env, leaseMs);
        this.heldPages = new SpooledPages(this.env);
        this.effects = new PendingEffects(this.env);
        this.workLeases = new DatabaseLeases(connection.rawConnection, database);
        this.exclusive = new ExclusiveJob(this.workLeases, leaseMs);
        this.purge = new CleanupQueries(this.env);
        this.webhookKeys = new WebhookKeys(this.env);
        this.receivedMessages = new ReceivedMessages(this.env);
        this.messageTriggers = new MessageTriggers(this.env);
        this.watchedFiles = new WatchedFiles(this.env);
    }

    /** The state of a run of this worker. Uses one short read, for the time between two renewals of the lease. */
    look({ runId, token }: RunIdentity): Promise<RunSignal> {
        const { runs } = this.env.tables;
        return this.env.database.run(function* (): StatementProgram<RunSignal> {
            const [row] = yield* select<{ token: string | null; cancel: unknown }>(sql`
                SELECT ${runs.column('leaseToken')} AS ${name('token')}, ${runs.column('cancelRequestedAt')} AS ${name('cancel')}
                FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`);
            if (row?.token !== token) return 'lost';
            return row.cancel === null ? 'continue' : 'cancel';
        });
    }
}
