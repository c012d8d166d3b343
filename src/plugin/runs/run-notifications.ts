import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { Redactor } from '../../core/adapter/redactor';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Id } from '../../database/write';
import type { RunOutbound } from '../../io/outbound/gateway';
import { OutboundAccess } from '../connections/outbound';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun } from '../entities/run';
import type { FlowSetup } from '../setup';
import { RunJournal } from '../stores/journal';
import { FLOW_SETUP } from '../tokens';
import { RunRevisions } from './run-revisions';
import { RunStores } from './run-stores';

/** The dependencies for notices about a run without a worker: its stored data, its log, and network access. */
@Injectable()
export class RunNotifications implements OnModuleDestroy {
    private readonly stopping = new AbortController();

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly outbound: OutboundAccess,
        private readonly revisions: RunRevisions,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Aborted, with WORKER_STOPPED, when the process ends. */
    get stopped(): AbortSignal {
        return this.stopping.signal;
    }

    onModuleDestroy(): void {
        this.stopping.abort(flowError('WORKER_STOPPED', {}));
    }

    /** The definition that the run executes: the one that is stored with it if the run was read with that, otherwise its revision's. */
    async definitionOf({ definition, revisionId }: FlowPipelineRun): Promise<PipelineDefinition | undefined> {
        if (definition) return definition as unknown as PipelineDefinition;
        if (revisionId === null) return undefined;
        return (await this.revisions.find(revisionId))?.definition as PipelineDefinition | undefined;
    }

    /** Undefined if the pipeline was deleted. */
    async pipelineCodeOf({ pipelineId }: FlowPipelineRun): Promise<string | undefined> {
        return (await this.repository(FlowPipeline).findOne({ where: { id: pipelineId } }))?.code;
    }

    /** The caller must close it. */
    journalOf({ id, pipelineId, channelId }: FlowPipelineRun): RunJournal {
        const { level, logSteps } = this.setup.options.logging;
        const ids = { runId: id as Id, pipelineId: pipelineId as Id, channelId: channelId as Id };
        return new RunJournal(this.stores.env, { ...ids, token: '', takeovers: 0 }, { level, logSteps });
    }

    /** As fast as the pipeline may ask others. */
    doorOf(
        { channelId, pipelineId }: FlowPipelineRun,
        { throughput: { rateLimitRps } }: PipelineDefinition,
        redactor: Redactor,
    ): RunOutbound {
        const learn = (token: string): void => redactor.add(token);
        return this.outbound.forRun({ scope: `${channelId}/${pipelineId}`, rateLimitRps, learn });
    }

    /** Reads in no transaction. */
    repository<E extends FlowPipeline | FlowPipelineRun>(entity: new () => E) {
        return this.connection.rawConnection.getRepository(entity);
    }
}
