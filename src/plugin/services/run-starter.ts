import { Inject, Injectable } from '@nestjs/common';
import { type ID, TransactionalConnection } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Database } from '../../platform/sql/database';
import { tableOf } from '../../platform/sql/table';
import { type Id, insertNumbered } from '../../platform/sql/write';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { RunQueue } from '../queue/run-queue';
import { FLOW_DATABASE } from '../tokens';
import { manualTrigger } from './triggers';

/** What starts a run. */
export interface StartOrder {
    readonly pipelineId: ID;
    readonly channelId: ID;
    /** The user that the run acts for; null for the configured superadmin. */
    readonly actor: ID | null;
    readonly dryRun: boolean;
    readonly triggerKey?: string | null;
}

/** The one way in which runs come into being: a PENDING row, which is the outbox of the queue `flow.run` (ADR 5). */
@Injectable()
export class RunStarter {
    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        private readonly queue: RunQueue,
    ) {}

    /** Answers the run's id. Throws PIPELINE_NOT_FOUND for what is not in this channel, PIPELINE_NOT_RUNNABLE with the reason. */
    async start(order: StartOrder): Promise<ID> {
        const { pipelineId: id, channelId } = order;
        const pipeline = await this.repository(FlowPipeline).findOne({ where: { id, channelId } });
        if (!pipeline) throw flowError('PIPELINE_NOT_FOUND', { id });
        const refuse = (problem: string): Error => flowError('PIPELINE_NOT_RUNNABLE', { code: pipeline.code, problem });
        if (pipeline.archived) throw refuse('it is archived');
        if (!pipeline.enabled) throw refuse('it is disabled');
        const revision = pipeline.selectedRevisionId === null
            ? null
            : await this.repository(FlowPipelineRevision).findOne({ where: { id: pipeline.selectedRevisionId } });
        if (!revision) throw refuse('it has no published revision');
        const trigger = manualTrigger(revision.definition as unknown as PipelineDefinition, order.triggerKey);
        if ('problem' in trigger) throw refuse(trigger.problem);
        const runId = await this.store(order, { revisionId: revision.id, triggerKey: trigger.key, triggerType: trigger.type });
        await this.queue.add(runId);
        return runId;
    }

    private async store(order: StartOrder, rest: Pick<FlowPipelineRun, 'revisionId' | 'triggerKey' | 'triggerType'>): Promise<Id> {
        const { pipelineId, channelId, actor, dryRun } = order;
        const target = { table: tableOf(this.connection.rawConnection, FlowPipelineRun), dialect: this.database.dialect };
        const row = { pipelineId, channelId, status: 'PENDING', startedByUserId: actor, dryRun, ...rest };
        const [runId] = await this.database.transaction(() => insertNumbered(target, [row]));
        return runId!;
    }

    private repository<E extends FlowPipeline | FlowPipelineRevision>(entity: new () => E) {
        return this.connection.rawConnection.getRepository(entity);
    }
}
