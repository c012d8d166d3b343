import { Inject, Injectable } from '@nestjs/common';
import { logEvent } from '../../core/adapter/log-event';
import type { ID } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import { asFlowError, type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { countsOf } from '../../core/progress/counters';
import { logOf } from '../../core/run/execution-context';
import { type GateConfig, gateOf } from '../../core/steps/kinds/gate';
import { FlowPipelineRun } from '../entities/run';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { redactedError, redactedJournal } from './redacted-ports';
import { RunResources } from './run-resources';
import { RunNotifications } from './run-notifications';
import { storedTotals } from './run-totals';

/** The other side has so long for one call. */
const TIMEOUT_MS = 10_000;

/** A gate at which a run waits. */
interface WaitingGate {
    readonly run: FlowPipelineRun;
    readonly definition: PipelineDefinition;
    readonly stepKey: string;
    readonly config: GateConfig & { readonly notifyWebhook: object };
}

/**
 * Notifies an external system that records wait at a gate: through the outbound client, with a saved connection. The notice contains facts about
 * the run, and nothing of the records.
 */
@Injectable()
export class GateNotifications {
    constructor(
        private readonly notifications: RunNotifications,
        private readonly resources: RunResources,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Sends the notice while the run waits at the gate; after a decision, it is obsolete. An error is written to the run's log, and is thrown
     * without the secrets of the connection.
     */
    async send(runId: ID, stepKey: string): Promise<void> {
        const waiting = await this.waiting(runId, stepKey);
        if (!waiting) return;
        const redactor = new Redactor();
        try {
            await this.post(waiting, redactor);
        } catch (thrown) {
            if (this.notifications.stopped.aborted) throw this.notifications.stopped.reason;
            const error = redactedError(asFlowError(thrown), redactor);
            await this.log(waiting, redactor, error);
            throw error;
        }
    }

    private async waiting(runId: ID, stepKey: string): Promise<WaitingGate | undefined> {
        const run = await this.notifications.repository(FlowPipelineRun).findOne({ where: { id: runId } });
        if (run?.status !== 'PAUSED' || run.gateStepKey !== stepKey) return undefined;
        const definition = await this.notifications.definitionOf(run);
        if (!definition) return undefined;
        const config = gateOf(definition, stepKey);
        if (!config?.notifyWebhook) return undefined;
        return { run, definition, stepKey, config: { ...config, notifyWebhook: config.notifyWebhook } };
    }

    private async post({ run, definition, stepKey, config }: WaitingGate, redactor: Redactor): Promise<void> {
        const { id: runId, channelId } = run;
        const { connectionCode, path } = config.notifyWebhook!;
        const gateAlone = { ...definition, steps: definition.steps.filter(({ key }) => key === stepKey), hooks: {} };
        const { connections, secrets } = await this.resources.resolve(channelId, gateAlone, redactor);
        const connection = connections.get(connectionCode);
        const { notify } = this.setup.registry.get('connection', connection.type);
        if (!notify)
            throw flowError('CONNECTION_INVALID', {
                code: connection.code,
                problem: `nothing can be sent to a system of type ${connection.type}`,
            });
        const id = `${String(runId)}/GATE_WAITING/step=${encodeURIComponent(stepKey)}`;
        const body = {
            id,
            event: 'GATE_WAITING',
            runId: String(runId),
            pipelineCode: (await this.notifications.pipelineCodeOf(run)) ?? '',
            stepKey,
            approvalType: config.approvalType,
            heldRecords: countsOf(run.counters ?? {}, stepKey).held,
            timeoutAt: run.gateTimeoutAt?.toISOString() ?? null,
            totals: storedTotals(run),
        };
        const gateway = this.notifications.doorOf(run, definition, redactor);
        const notice = { path, id, body, timeoutMs: TIMEOUT_MS };
        try {
            await notify(connection, notice, { http: gateway.http, secrets, signal: this.notifications.stopped });
        } finally {
            gateway.close();
        }
    }

    /** A log that cannot be stored does not prevent the notice. */
    private async log({ run, stepKey }: WaitingGate, redactor: Redactor, error: FlowError): Promise<void> {
        const journal = this.notifications.journalOf(run);
        logEvent(logOf(redactedJournal(journal, redactor), stepKey), 'GATE_NOTICE_FAILED', { error });
        await journal.close().catch((error: unknown) => {
            if (isFlowError(error) && error.treat === 'transient') throw error;
        });
    }
}
