import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import { withProvidedRecords } from '../../core/adapter/provided-records';
import type { Outbound } from '../../core/adapter/outbound';
import { noResources } from '../../core/adapter/no-resources';
import { Redactor } from '../../core/adapter/redactor';
import type { Registry } from '../../core/adapter/registry';
import {
    tooManyTestRecords,
    testRunTooLarge,
    TEST_RUN_CHARS,
    TEST_RUN_RECORDS,
} from '../../core/adapter/test-run-limits';
import type { ErrorCode } from '../../core/errors/catalogue';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { compilingPipeline } from '../../core/run/compile';
import { executeRun, type RunEnd } from '../../core/run/execute';
import { TestRun, TestRunTap } from '../../core/run/test-run';
import { TestRunBudget } from '../../core/run/test-run-budget';
import { startsRuns } from '../../core/steps/kinds';
import { type QuotaReservation, MemoryQuota } from '../../core/concurrency/memory-quota';
import { systemClock } from '../../core/concurrency/clock';
import { ConcurrencyLimiter } from '../../core/concurrency/concurrency-limiter';
import { languagesOf } from '../../platform/lookup/run-channel';
import { OutboundAccess } from '../connections/outbound';
import { Files } from '../files/files';
import { redactedError, redactedPorts } from '../runs/redacted-ports';
import { RunPlatform } from '../run-platform';
import { RunResources } from '../runs/run-resources';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';
import { ProcessOperators } from './process-operators';
import { TestRunProcesses } from './process/test-run-processes';

/** What is tested: a valid definition with one trigger. */
interface TestRunRequest {
    readonly definition: PipelineDefinition;
    /** The step that is observed. Undefined if none is. */
    readonly stepKey?: string;
    /** The number of records that each source reads. */
    readonly limit: number;
    /** The network access that the test may use. `servers` are those of the saved connections that the definition names. */
    outbound(gateway: Outbound, servers: () => readonly string[]): Outbound;
}

/** The result, without the secrets in its end and its log. */
export interface TestRunResult {
    readonly end: RunEnd;
    readonly probe: TestRunTap;
    readonly trial: TestRun;
    readonly redactor: Redactor;
}

/** The most concurrent tests, since they run in the server that also serves users. Further tests wait for a short time. */
const MAX_TRIALS = 4;
const MAX_WAITING = 16;
const WAIT_MS = 5_000;
/** Errors of the test itself, not of a step. */
const ENDS_THE_TRIAL: readonly ErrorCode[] = [
    'STEP_TEST_TOO_LARGE',
    'STEP_TEST_BUSY',
    'TRIAL_PROCESS_LOST',
    'TRIAL_PROCESS_FAILED',
];
/** More would fill the server's memory and could not be displayed. Values that occur at several places of the step count once. */
const LIMITS = {
    chars: TEST_RUN_CHARS,
    tooMuch: testRunTooLarge,
    records: TEST_RUN_RECORDS,
    tooMany: tooManyTestRecords,
};
/** The size of all concurrent tests of the server. A test beyond it is rejected and can be retried. */
const MAX_SHARED = 4 * TEST_RUN_CHARS;
/** The size of all waiting tests. */
const MAX_WAITED = 2 * TEST_RUN_CHARS;

/**
 * Tests steps with a few records, limited in number, time and memory. Uses the same executor and steps as a run, in mode `preview`: loads plan and write
 * nothing, nothing is sent, nothing is held, no position is saved.
 */
@Injectable()
export class TestRuns {
    private readonly memoryQuota = new MemoryQuota(MAX_SHARED);
    private readonly limiter = new ConcurrencyLimiter({
        working: MAX_TRIALS,
        waiting: MAX_WAITING,
        waitMs: WAIT_MS,
        held: new MemoryQuota(MAX_WAITED),
    });

    constructor(
        private readonly resources: RunResources,
        private readonly outbound: OutboundAccess,
        private readonly platform: RunPlatform,
        private readonly stores: RunStores,
        private readonly files: Files,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly processes: TestRunProcesses,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** The shop's adapters and the source of given records. */
    get registry(): Registry {
        return withProvidedRecords(this.setup.registry);
    }

    /** Does some work when a slot is free. `weight` is the size in characters of what is kept in memory while it waits. Throws STEP_TEST_BUSY. */
    inTurn<T>(weight: () => number, work: () => Promise<T>): Promise<T> {
        return this.limiter.through({ busy: () => this.busy(), weight }, work);
    }

    /**
     * Runs for the user and the channel of the context. Throws errors that prevent a secret or connection from being used, and errors of the test itself.
     * Errors of records are part of its end.
     */
    async perform(ctx: RequestContext, request: TestRunRequest): Promise<TestRunResult> {
        const share = this.memoryQuota.open(() => this.busy());
        try {
            return await this.seen(ctx, request, share);
        } finally {
            share.release();
        }
    }

    private busy(): FlowError {
        return flowError('STEP_TEST_BUSY', { count: this.limiter.working });
    }

    private async seen(
        ctx: RequestContext,
        request: TestRunRequest,
        quotaReservation: QuotaReservation,
    ): Promise<TestRunResult> {
        const { stepKey = '', limit } = request;
        const definition = triedOnce(request.definition);
        const { channelId } = ctx;
        const redactor = new Redactor();
        const bound = new TestRunBudget(LIMITS, quotaReservation);
        const read = new TestRunBudget(LIMITS, quotaReservation);
        const probe = new TestRunTap(stepKey, bound);
        const testRun = new TestRun(bound);
        const over = new AbortController();
        const input = {
            runId: `step-test-${randomUUID()}`,
            mode: 'preview',
            triggerKey: definition.steps.find(({ kind }) => startsRuns(kind))!.key,
            startedAt: Date.now(),
            limit,
            ...(request.stepKey !== undefined && { probe }),
            held: (record: Parameters<TestRunBudget['take']>[0]) => void read.take(record),
        } as const;
        const platform = this.platform.of(ctx);
        const { servers, ...resources } = await this.resourcesOf(channelId, definition, redactor);
        const kit = {
            registry: this.registry,
            clock: systemClock,
            platform,
            languages: () => languagesOf(platform),
            resources,
            outbound: request.outbound(this.doorOf(channelId, definition, redactor), servers),
            limits: this.setup.options.records,
            elsewhere: new ProcessOperators(this.processes, this.setup.registry, over.signal),
        };
        const compiled = await this.taskQueue.done(compilingPipeline(definition, input, kit));
        const { database } = this.stores.env;
        const ports = redactedPorts(
            testRun.ports(script => database.run(script)),
            redactor,
        );
        const end = await withinTime(this.setup.options.runtime.stepTestMs, over, signal =>
            executeRun(compiled, ports, { signal }),
        );
        if (end.end === 'stopped' && ENDS_THE_TRIAL.includes(end.error.code)) throw end.error;
        return { end: redactedEnd(end, redactor), probe, trial: testRun, redactor };
    }

    private async resourcesOf(channelId: ID, definition: PipelineDefinition, redactor: Redactor) {
        const files = this.files.forRun({ channelId, createdAt: new Date() });
        return { ...noResources, ...(await this.resources.resolve(channelId, definition, redactor)), files };
    }

    private doorOf(channelId: ID, { throughput: { rateLimitRps } }: PipelineDefinition, redactor: Redactor): Outbound {
        const learn = (token: string): void => redactor.add(token);
        return this.outbound.forRun({ scope: `${channelId}/step-test`, rateLimitRps, learn });
    }
}

/** A user waits for the result and wants to see why a source does not respond. The retries of the HTTP client are enough. */
function triedOnce({ errorHandling, steps, ...definition }: PipelineDefinition): PipelineDefinition {
    return {
        ...definition,
        errorHandling: { ...errorHandling, maxRetries: 0 },
        steps: steps.map(({ retry: _, ...step }) => step),
    };
}

async function withinTime(
    ms: number,
    over: AbortController,
    work: (signal: AbortSignal) => Promise<RunEnd>,
): Promise<RunEnd> {
    const timer = setTimeout(() => over.abort(flowError('STEP_TEST_TIMEOUT', { ms })), ms);
    try {
        return await work(over.signal);
    } finally {
        clearTimeout(timer);
        // Cancels work that is still running elsewhere.
        over.abort();
    }
}

function redactedEnd(end: RunEnd, redactor: Redactor): RunEnd {
    return end.end === 'stopped' ? { ...end, error: redactedError(asFlowError(end.error), redactor) } : end;
}
