import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, TransactionalConnection } from '@vendure/core';
import { withGivenRecords } from '../../core/adapter/given-records';
import type { Redactor } from '../../core/adapter/redactor';
import { systemClock } from '../../core/work/clock';
import { flowError } from '../../core/errors/flow-error';
import { parsingDefinition } from '../../core/pipeline/parse';
import { type CompiledPipeline, compilingPipeline } from '../../core/run/compile';
import { withDatabaseFaults } from '../../database/faults';
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
import { Actors } from './actors';
import { OutboundAccess } from '../connections/outbound';
import { requirementsOf } from '../pipelines/requirements';
import { doorOfTrial } from './trial-door';
import { RunPlatform } from '../run-platform';
import { seeded } from './seed';
import { StartedByHooks } from './started-by-hooks';
import { WorkLane } from '../work-lane';

export interface PreparedRun {
    readonly ctx: RequestContext;
    /** The facts in its events. */
    readonly facts: FlowRunFacts;
    readonly compiled: CompiledPipeline;
    /** Whether its end has hooks. */
    readonly hasEndHooks: boolean;
    /** Closes the external resources that its steps have left open: streams and sockets that no step will read any more. */
    closeDoors(): void;
}

const ENDS = ['COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** Makes a claimed run ready to be executed: the rights of its user as they are now, and its revision as functions. */
@Injectable()
export class RunPreparation {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly actors: Actors,
        private readonly platform: RunPlatform,
        private readonly resources: RunResources,
        private readonly outbound: OutboundAccess,
        private readonly files: Files,
        private readonly exports: RunExports,
        private readonly lane: WorkLane,
        private readonly hookStarts: StartedByHooks,
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
            : await this.lane.done(parsingDefinition(run.definition, registry));
        const identity = { userId: run.startedByUserId ?? undefined, channelId: run.channelId };
        const [ctx, pipelineCode] = await Promise.all([
            this.actors.restore(identity, requirementsOf(definition, registry)),
            this.codeOf(run),
        ]);
        const { servers, ...opened } = await this.resources.resolve(run.channelId, definition, redactor);
        const resources = {
            ...opened,
            files: this.files.forRun(run),
            exports: this.exports.forRun(run),
        };
        const door = this.outbound.forRun({
            scope: `${run.channelId}/${run.pipelineId}`,
            rateLimitRps: definition.throughput.rateLimitRps,
            learn: token => redactor.add(token),
        });
        const { requireReview } = this.setup.options.publishing;
        const outbound = run.definition ? doorOfTrial(door, { ctx, requireReview, servers }) : door;
        const executed = seeded(definition, run);
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
            registry: withGivenRecords(registry),
            clock: systemClock,
            platform,
            languages: () => languagesOf(platform),
            resources,
            outbound,
            pipelines: this.hookStarts.of(run.runId),
            limits: this.setup.options.records,
        };
        const compiled = await this.lane.done(compilingPipeline(executed.definition, input, kit));
        const { runId, pipelineId, dryRun } = run;
        const facts = { runId, pipelineId, pipelineCode: pipelineCode ?? '', dryRun };
        const hasEndHooks = ENDS.some(end => (definition.hooks?.[`RUN_${end}`] ?? []).length > 0);
        return { ctx, facts, compiled, hasEndHooks, closeDoors: () => door.close() };
    }

    private async codeOf({ pipelineId }: ClaimedRun): Promise<string | undefined> {
        const pipelines = this.connection.rawConnection.getRepository(FlowPipeline);
        const select = { id: true, code: true };
        const [found] = await withDatabaseFaults(() => pipelines.find({ where: { id: pipelineId }, select }));
        return found?.code;
    }

    private async published({ revisionId }: ClaimedRun): Promise<RunRevision> {
        const revision = revisionId === null ? undefined : await this.revisions.find(revisionId);
        if (revision) return revision;
        throw flowError('DEFINITION_MALFORMED', { problem: `revision ${revisionId} is not there any more` });
    }
}
