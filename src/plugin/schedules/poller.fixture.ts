import { type EventBus, RequestContext, type TransactionalConnection, type TransactionSubscriber } from '@vendure/core';
import { type DataSource, Not } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { databaseOf } from '../../database/open-database';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { periodicsOf } from '../periodic-jobs/periodic-jobs.fixture';
import type { RunPlatform } from '../run-platform';
import type { RunQueue } from '../runs/run-queue';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import type { SecretDestinations } from '../secrets/secret-destinations';
import { setUp } from '../setup';
import { LoggedDatabase } from '../stores/logged-database';
import { ActiveTriggers } from '../triggers/active-triggers';
import { ProcessTaskQueue } from '../process-task-queue';
import { Scheduler } from './scheduler';

/** What one process does for schedules, without a server round it. */
export interface Poller {
    readonly scheduler: Scheduler;
    readonly triggers: ActiveTriggers;
    readonly starter: RunStarter;
    /** The events that it has published. */
    readonly events: readonly unknown[];
    /** What its scripts have sent. */
    readonly statements: string[];
}

/** A separate process on a database with Flow's tables. */
export function pollerOn(dataSource: DataSource): Poller {
    const connection = { rawConnection: dataSource } as TransactionalConnection;
    const statements: string[] = [];
    const database = new LoggedDatabase(databaseOf(dataSource), text => void statements.push(text));
    const setup = setUp({});
    const triggers = new ActiveTriggers(connection, database, setup, periodicsOf());
    const queue = { add: () => Promise.resolve(true) } as unknown as RunQueue;
    const noTransactions = {} as TransactionSubscriber;
    const anywhere = { assert: () => Promise.resolve() } as unknown as SecretDestinations;
    const starter = new RunStarter(
        connection,
        database,
        queue,
        new ProcessTaskQueue(),
        noTransactions,
        anywhere,
        setup,
    );
    const events: unknown[] = [];
    const scheduler = new Scheduler(
        triggers,
        starter,
        { withoutUser: () => Promise.resolve(RequestContext.empty()) } as unknown as RunPlatform,
        { publish: (event: unknown) => Promise.resolve(void events.push(event)) } as unknown as EventBus,
        new RunStores(connection, database, setup),
        periodicsOf(),
        setup,
    );
    return { scheduler, triggers, starter, events, statements };
}

/** Pipelines that a schedule starts, and the states of their runs. */
export class ScheduledPipelines {
    constructor(
        private readonly dataSource: DataSource,
        private readonly channelId: FlowPipeline['channelId'],
    ) {}

    /** A pipeline whose trigger `clock` says this, published at that moment. */
    async add(code: string, config: JsonObject, publishedAt: Date): Promise<FlowPipeline['id']> {
        const { id } = await this.dataSource
            .getRepository(FlowPipeline)
            .save(new FlowPipeline({ code, name: code, channelId: this.channelId }));
        await this.publish(id, config, publishedAt);
        await this.change(id, { updatedAt: publishedAt });
        return id;
    }

    async publish(pipelineId: FlowPipeline['id'], config: JsonObject, createdAt: Date): Promise<void> {
        const revisions = this.dataSource.getRepository(FlowPipelineRevision);
        const number = 1 + (await revisions.countBy({ pipelineId }));
        const steps = [
            { key: 'clock', kind: 'TRIGGER', config: { type: 'SCHEDULE', ...config } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 1, template: {} } },
        ];
        const definition = { version: 1, steps, edges: [{ from: 'clock', to: 'in' }] };
        const revision = { pipelineId, number, definition, digest: '', publishedBy: null, createdAt };
        const { id } = await revisions.save(Object.assign(new FlowPipelineRevision(), revision));
        await this.change(pipelineId, { selectedRevisionId: id });
    }

    async change(id: FlowPipeline['id'], set: Partial<FlowPipeline>): Promise<void> {
        await this.dataSource.getRepository(FlowPipeline).update({ id }, set);
    }

    /** Its runs, oldest first. */
    runs(pipelineId: FlowPipeline['id']): Promise<FlowPipelineRun[]> {
        return this.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId }, order: { id: 'ASC' } });
    }

    /** What they were started for. */
    async occurrences(pipelineId: FlowPipeline['id']): Promise<ReadonlyArray<string | null>> {
        return (await this.runs(pipelineId)).map(({ occurrenceKey }) => occurrenceKey);
    }

    /** Whatever of it waits or works has ended. */
    async endRuns(pipelineId: FlowPipeline['id']): Promise<void> {
        // Those that have ended before are not written again: a test ends hundreds one by one.
        const open = { pipelineId, status: Not('COMPLETED' as const) };
        await this.dataSource.getRepository(FlowPipelineRun).update(open, { status: 'COMPLETED' });
    }
}
