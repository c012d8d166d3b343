import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, TransactionalConnection } from '@vendure/core';
import { withProvidedRecords } from '../../core/adapter/provided-records';
import type { Redactor } from '../../core/adapter/redactor';
import { systemClock } from '../../core/concurrency/clock';
import { flowError } from '../../core/errors/flow-error';
import { parsingDefinition } from '../../core/pipeline/parse';
import { type CompiledPipeline, compilingPipeline } from '../../core/run/compile';
import { withDatabaseErrors } from '../../database/database-errors';
import { FlowPipeline } from '../entities/pipeline';
import { languagesOf } from '../../platform/lookup/run-channel';
import type { FlowRunFacts } from '../events';
import { RunExports } from '../exports/run-exports';
import { Files } from '../files/files';
import { RunResources } from './run-resources';
import { type RunRevision, RunRevisions } from './run-revisions';
import type { FlowSetup } from '../setup';
import type { ClaimedRun } from '../stores/leases';
import { FLOW_SETUP } from '../tokens';
import { RunPrincipals } from './run-principals';
import { OutboundAccess } from '../connections/outbound';
import { requirementsOf } from '../pipelines/requirements';
import { testRunGateway } from './test-run-gateway';
import { RunPlatform } from '../run-platform';
import { withRunInput } from './run-input';
import { HookTriggeredRuns } from './hook-triggered-runs';
import { ProcessTaskQueue } from '../process-task-queue';

export interface PreparedRun {
    readonly ctx: RequestContext;
    /** The facts in its events. */
    readonly facts: FlowRunFacts;
    readonly compiled: CompiledPipeline;
    /** Whether its end has hooks. */
    readonly hasEndHooks: boolean;
    /** Closes the streams and sockets that its steps have left open. */
    closeDoors(): void;
}

const ENDS = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** Makes a claimed run ready to be executed: the rights of its user as they are now, and its revision as functions. */
@Injectable()
export class RunPreparation {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly runPrincipals: RunPrincipals,
        private readonly platform: RunPlatform,
        private readonly resources: RunResources,
        private readonly outbound: OutboundAccess,
        private readonly files: Files,
        private readonly exports: RunExports,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly hookStarts: HookTriggeredRuns,
        private readonly revisions: RunRevisions,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Registers each secret with the redactor. Throws ACTOR_GONE, FORBIDDEN, DEFINITION_INVALID, ADAPTER_NOT_FOUND, and the errors of an unusable
     * secret or connection (SECRET_NOT_FOUND, SECRET_UNREADABLE, MASTER_KEY_INVALID, CONNECTION_NOT_FOUND).
     */
    async prepare(run: ClaimedRun, redactor: Redactor): Promise<PreparedRun> {
        const { registry } = this.setup;
        const published = run.definition ? undefined : await this.published(run);
        const definition = published
            ? await published.parsed()
            : await this.taskQueue.done(parsingDefinition(run.definition, registry));
        const identity = { userId: run.startedByUserId ?? undefined, channelId: run.channelId };
        const [ctx, pipelineCode] = await Promise.all([
            this.runPrincipals.restore(identity, requirementsOf(definition, registry)),
            this.codeOf(run),
        ]);
        const { servers, ...opened } = await this.resources.resolve(run.channelId, definition, redactor);
        const resources = {
            ...opened,
            files: this.files.forRun(run),
            exports: this.exports.forRun(run),
        };
        const gateway = this.outbound.forRun({
            scope: `${run.channelId}/${run.pipelineId}`,
            rateLimitRps: definition.throughput.rateLimitRps,
            learn: token => redactor.add(token),
        });
        const { requireReview } = this.setup.options.publishing;
        const outbound = run.definition ? testRunGateway(gateway, { ctx, requireReview, servers }) : gateway;
        const executed = withRunInput(definition, run);
        const input = {
            runId: String(run.runId),
            pipelineCode,
            pipelineId: String(run.pipelineId),
            ...(published && { revisionNumber: published.number }),
            mode: run.dryRun ? 'dryRun' : 'live',
            ...(run.revisionId !== null && { revision: String(run.revisionId) }),
            triggerKey: executed.triggerKey,
            ...(executed.returning && { returning: executed.returning }),
            ...(executed.reference && { reference: executed.reference }),
            startedAt: run.startedAt.getTime(),
        } as const;
        const platform = this.platform.of(ctx);
        const kit = {
            registry: withProvidedRecords(registry),
            clock: systemClock,
            platform,
            languages: () => languagesOf(platform),
            resources,
            outbound,
            pipelines: this.hookStarts.of(run.runId),
            limits: this.setup.options.records,
        };
        const compiled = await this.taskQueue.done(compilingPipeline(executed.definition, input, kit));
        const { runId, pipelineId, dryRun } = run;
        const facts = { runId, pipelineId, pipelineCode: pipelineCode ?? '', dryRun };
        const hasEndHooks = ENDS.some(end => (definition.hooks?.[`RUN_${end}`] ?? []).length > 0);
        return { ctx, facts, compiled, hasEndHooks, closeDoors: () => gateway.close() };
    }

    private async codeOf({ pipelineId }: ClaimedRun): Promise<string | undefined> {
        const pipelines = this.connection.rawConnection.getRepository(FlowPipeline);
        const select = { id: true, code: true };
        const [found] = await withDatabaseErrors(() => pipelines.find({ where: { id: pipelineId }, select }));
        return found?.code;
    }

    private async published({ revisionId }: ClaimedRun): Promise<RunRevision> {
        const revision = revisionId === null ? undefined : await this.revisions.find(revisionId);
        if (revision) return revision;
        throw flowError('DEFINITION_MALFORMED', { problem: `revision ${revisionId} is not there any more` });
    }
}
