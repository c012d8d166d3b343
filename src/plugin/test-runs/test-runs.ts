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

/** What is tried: a sound definition with one trigger. */
export interface TestRunRequest {
    readonly definition: PipelineDefinition;
    /** Is looked on at; absent where nobody looks on. */
    readonly stepKey?: string;
    /** How many records each source reads. */
    readonly limit: number;
    /** The part of the door to the network that it may take; `servers` are those of the saved connections that the definition names. */
    outbound(gateway: Outbound, servers: () => readonly string[]): Outbound;
}

/** What was seen of it, without the secrets in its end and in what it wrote. */
export interface TestRunResult {
    readonly end: RunEnd;
    readonly probe: TestRunTap;
    readonly trial: TestRun;
    readonly redactor: Redactor;
}

/** A trial works in the server that answers people; so many may do so at the same time, and others wait a little for their turn. */
const MAX_TRIALS = 4;
const MAX_WAITING = 16;
const WAIT_MS = 5_000;
/** What is wrong with the trial itself, not with a step. */
const ENDS_THE_TRIAL: readonly ErrorCode[] = [
    'STEP_TEST_TOO_LARGE',
    'STEP_TEST_BUSY',
    'TRIAL_PROCESS_LOST',
    'TRIAL_PROCESS_FAILED',
];
/** More would fill the memory of the server, and no page could show it. What is seen at several places of the step counts once. */
const LIMITS = {
    chars: TEST_RUN_CHARS,
    tooMuch: testRunTooLarge,
    records: TEST_RUN_RECORDS,
    tooMany: tooManyTestRecords,
};
/** What all trials of the server hold at the same time: one that asks for more is to come again. */
const MAX_SHARED = 4 * TEST_RUN_CHARS;
/** What those who wait for their turn hold. */
const MAX_WAITED = 2 * TEST_RUN_CHARS;

/**
 * Tries steps on a few records, bounded in number, time and memory. The same executor and the same steps as in a run, in mode `preview`: loads plan and
 * write nothing, nothing is sent, nothing is held, no position is kept.
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

    /** With the source of the records that are given. */
    get registry(): Registry {
        return withProvidedRecords(this.setup.registry);
    }

    /** Does some work in its turn; `weight` is what is held while it waits, in characters. Throws STEP_TEST_BUSY. */
    inTurn<T>(weight: () => number, work: () => Promise<T>): Promise<T> {
        return this.limiter.through({ busy: () => this.busy(), weight }, work);
    }

    /**
     * For the user and the channel of the context. Throws what keeps a secret or connection from being used, and what is wrong with the trial itself; what goes wrong
     * at the records is in its end.
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

/** Somebody waits for it, and wants to see why a source does not answer: what the door to the network tries again by itself is enough. */
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
        // What is still at work elsewhere works for nobody.
        over.abort();
    }
}

function redactedEnd(end: RunEnd, redactor: Redactor): RunEnd {
    return end.end === 'stopped' ? { ...end, error: redactedError(asFlowError(end.error), redactor) } : end;
}
