import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import { givenRecords, withGivenRecords } from '../../core/adapter/given-records';
import type { Registry } from '../../core/adapter/registry';
import { tooManyTried, tooMuchTried, TRIAL_CHARS, TRIAL_RECORDS } from '../../core/adapter/trial-limits';
import { Redactor } from '../../core/adapter/redactor';
import { systemClock } from '../../core/work/clock';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { weightOf } from '../../core/data/weight';
import type { ErrorCode } from '../../core/errors/catalogue';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { startsRuns } from '../../core/steps/kinds';
import type { Issue } from '../../core/pipeline/issues';
import { definitionFault } from '../../core/pipeline/parse';
import { type DefinitionPart, partOf } from '../../core/pipeline/part';
import { compilingPipeline } from '../../core/run/compile';
import { executeRun, type RunEnd } from '../../core/run/execute';
import { Trial, TrialProbe } from '../../core/run/trial';
import { TrialBound } from '../../core/run/trial-bound';
import { type Share, Shares } from '../../core/work/shares';
import { Turnstile } from '../../core/work/turnstile';
import { DefinitionChecks } from '../pipelines/definition-check';
import { readingDraft } from '../pipelines/draft';
import { assertMayEditCode } from '../pipelines/inline-code';
import { Documents } from '../pipelines/documents';
import type { Work } from '../../core/work/work';
import { Files } from '../files/files';
import { manageFlowFilesPermission, readFlowFilesPermission, readFlowRecordPermission } from '../permissions';
import { redactedError, redactedPorts } from '../runs/redacted-ports';
import { definitionReferences } from '../references/definition-references';
import { RunResources } from '../runs/run-resources';
import { OutboundAccess } from '../connections/outbound';
import { requirement, requirementsOf, unmet } from '../pipelines/requirements';
import { RunPlatform } from '../runs/run-platform';
import { RunStores } from '../runs/run-stores';
import { doorOfTrial } from '../runs/trial-door';
import { WorkLane } from '../work-lane';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { OperatorsElsewhere } from './elsewhere';
import { TrialProcesses } from './process/trial-processes';
import { type StepTest, stepTestOf } from './step-test';

/** As the API's TestFlowStepInput. */
export interface StepTestInput {
    readonly definition: unknown;
    readonly stepKey: string;
    readonly limit?: number | null;
    readonly records?: readonly unknown[] | null;
    readonly pipelineId?: ID | null;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1_000;
/** A test works in the server that answers people; so many may do so at the same time, and others wait a little for their turn. */
const MAX_TESTS = 4;
const MAX_WAITING = 16;
const WAIT_MS = 5_000;
/** What is wrong with the test itself, not with a step. */
const ENDS_THE_TEST: readonly ErrorCode[] = [
    'STEP_TEST_TOO_LARGE',
    'STEP_TEST_BUSY',
    'TRIAL_PROCESS_LOST',
    'TRIAL_PROCESS_FAILED',
];
/** More would fill the memory of the server, and no page could show it. What is seen at several places of the step counts once. */
const LIMITS = { chars: TRIAL_CHARS, tooMuch: tooMuchTried, records: TRIAL_RECORDS, tooMany: tooManyTried };
/** What all tests of the server hold at the same time: one that asks for more is to come again. */
const MAX_SHARED = 4 * TRIAL_CHARS;
/** What those who wait for their turn hold. */
const MAX_WAITED = 2 * TRIAL_CHARS;

/**
 * Tries a step on a few records (spec 1, "Step-test API"; spec 4, "step-test API"). The same executor and the same step as in a run, in
 * mode `preview`: loads plan and write nothing, nothing is sent, no position is kept.
 */
@Injectable()
export class StepTests {
    private readonly shares = new Shares(MAX_SHARED);
    private readonly turnstile = new Turnstile({
        working: MAX_TESTS,
        waiting: MAX_WAITING,
        waitMs: WAIT_MS,
        held: new Shares(MAX_WAITED),
    });
    /** With the source of the records that are given. */
    private readonly registry: Registry;

    constructor(
        private readonly checks: DefinitionChecks,
        private readonly documents: Documents,
        private readonly resources: RunResources,
        private readonly outbound: OutboundAccess,
        private readonly platform: RunPlatform,
        private readonly stores: RunStores,
        private readonly files: Files,
        private readonly lane: WorkLane,
        private readonly processes: TrialProcesses,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.registry = withGivenRecords(setup.registry);
    }

    /**
     * Throws INPUT_INVALID and DEFINITION_MALFORMED as saving the definition does, DEFINITION_INVALID with the faults of the steps that are tried, FORBIDDEN, and what keeps a
     * secret or connection from being used. What goes wrong at the records is in the answer.
     */
    async test(ctx: RequestContext, input: StepTestInput): Promise<StepTest> {
        // Before anything is looked at: whoever has to come again costs nothing.
        const weight = (): number => weightOf(input as unknown as JsonValue, TRIAL_CHARS);
        return this.turnstile.through({ busy: () => this.busy(), weight }, () => this.begun(ctx, input));
    }

    private busy(): FlowError {
        return flowError('STEP_TEST_BUSY', { count: this.turnstile.working });
    }

    private async begun(ctx: RequestContext, input: StepTestInput): Promise<StepTest> {
        const records = input.records == null ? undefined : recordsOf(input.records);
        const limit = limitOf(input.limit, records);
        const before = input.pipelineId == null ? undefined : await this.documents.definition(ctx, input.pipelineId);
        const part = await this.lane.done(this.partOf(input, records !== undefined));
        // Code that nobody has approved of would run here before it is saved.
        await assertMayEditCode({ lane: this.lane, registry: this.setup.registry }, ctx, {
            before,
            after: part.inPlace,
        });
        const definition = withRecords(await this.sound(ctx, part, records !== undefined), records);
        assertMay(ctx, definition, this.registry);
        return this.tried(ctx, { definition, stepKey: input.stepKey, limit });
    }

    /** What could not be saved is not tried. */
    private *partOf({ definition, stepKey }: StepTestInput, isGiven: boolean): Work<DefinitionPart> {
        return yield* partOf(yield* readingDraft(definition, this.checks.limits), stepKey, isGiven);
    }

    private async sound(
        { channelId }: RequestContext,
        { definition, placed }: DefinitionPart,
        isGiven: boolean,
    ): Promise<PipelineDefinition> {
        const registry = isGiven ? this.registry : this.setup.registry;
        const checked = await this.checks.check(channelId, definition, registry);
        if (!checked.definition) throw definitionFault(placed(checked.issues as readonly Issue[]));
        return checked.definition;
    }

    private async tried(ctx: RequestContext, request: TrialRequest): Promise<StepTest> {
        const share = this.shares.open(() => this.busy());
        try {
            return await this.seen(ctx, request, share);
        } finally {
            share.release();
        }
    }

    private async seen(
        ctx: RequestContext,
        { definition, stepKey, limit }: TrialRequest,
        share: Share,
    ): Promise<StepTest> {
        const redactor = new Redactor();
        const files = this.files.forRun({ channelId: ctx.channelId, createdAt: new Date() });
        const resources = { ...(await this.resources.resolve(ctx.channelId, definition, redactor)), files };
        const bound = new TrialBound(LIMITS, share);
        const read = new TrialBound(LIMITS, share);
        const probe = new TrialProbe(stepKey, bound);
        const trial = new Trial(bound);
        const triggerKey = definition.steps.find(({ kind }) => startsRuns(kind))!.key;
        const door = this.outbound.forRun({
            scope: `${ctx.channelId}/step-test`,
            rateLimitRps: definition.throughput.rateLimitRps,
        });
        const outbound = doorOfTrial(door, ctx);
        const over = new AbortController();
        const compiled = await this.lane.done(
            compilingPipeline(
                definition,
                {
                    runId: `step-test-${randomUUID()}`,
                    mode: 'preview',
                    triggerKey,
                    startedAt: Date.now(),
                    limit,
                    probe,
                    held: record => read.take(record),
                },
                {
                    registry: this.registry,
                    clock: systemClock,
                    platform: this.platform.of(ctx),
                    resources,
                    outbound,
                    limits: this.setup.options.records,
                    elsewhere: new OperatorsElsewhere(this.processes, this.setup.registry, over.signal),
                },
            ),
        );
        const { database } = this.stores.env;
        const ports = redactedPorts(
            trial.ports(script => database.run(script)),
            redactor,
        );
        const end = await withinTime(this.setup.options.runtime.stepTestMs, over, signal =>
            executeRun(compiled, ports, { signal }),
        );
        if (end.end === 'stopped' && ENDS_THE_TEST.includes(end.error.code)) throw end.error;
        return stepTestOf({ end: redactedEnd(end, redactor), definition, probe, trial, redactor });
    }
}

interface TrialRequest {
    readonly definition: PipelineDefinition;
    readonly stepKey: string;
    readonly limit: number;
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

/** Exactly what a run would need, and to see the records. */
function assertMay(ctx: RequestContext, definition: PipelineDefinition, registry: Registry): void {
    const records = requirement(readFlowRecordPermission.Permission, 'seeing what a step makes of records');
    const mayReadFiles =
        ctx.userHasPermissions([readFlowFilesPermission.Permission]) ||
        ctx.userHasPermissions([manageFlowFilesPermission.Permission]);
    const files =
        mayReadFiles || !readsFile(definition, registry)
            ? []
            : [requirement(readFlowFilesPermission.Permission, 'reading a file')];
    const missing = unmet(ctx, [records, ...files, ...requirementsOf(definition, registry)]);
    if (missing) throw flowError('FORBIDDEN', { who: ctx.session?.user?.identifier ?? 'The caller', ...missing });
}

function readsFile(definition: PipelineDefinition, registry: Registry): boolean {
    return definitionReferences(definition, registry).some(({ to, isDisabled }) => to === 'file' && !isDisabled);
}

function withRecords(definition: PipelineDefinition, records: readonly JsonObject[] | undefined): PipelineDefinition {
    if (!records) return definition;
    const steps = definition.steps.map(step =>
        step.config['adapterCode'] === givenRecords.code
            ? { ...step, config: { ...step.config, records: [...records] } }
            : step,
    );
    return { ...definition, steps };
}

/** Other values are refused, never clamped (spec 1, "Step-test (preview) API"). */
function limitOf(limit: number | null | undefined, records: readonly JsonObject[] | undefined): number {
    if (limit == null) return records ? Math.max(records.length, 1) : DEFAULT_LIMIT;
    if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
    throw flowError('INPUT_INVALID', { problem: `limit is ${show(limit)}; allowed: 1 to ${MAX_LIMIT}` });
}

function recordsOf(given: readonly unknown[]): readonly JsonObject[] {
    if (given.length > MAX_LIMIT)
        throw flowError('INPUT_INVALID', {
            problem: `records has ${given.length} elements; allowed: at most ${MAX_LIMIT}`,
        });
    return given.map((record, index) => {
        if (isJsonObject(record as JsonValue)) return record as JsonObject;
        throw flowError('INPUT_INVALID', { problem: `records[${index}] is ${show(record)}; allowed: an object` });
    });
}
