import { providedRecords, withProvidedRecords } from '../core/adapter/provided-records';
import type { Operator } from '../core/adapter/operator';
import type { JsonObject } from '../core/value/json';
import { own } from '../core/data/own-properties';
import { show } from '../core/value/show';
import type { DefinitionInput, PipelineDefinition, PipelineSource } from '../core/pipeline/definition';
import { readsRecords, startsRuns } from '../core/steps/kinds';
import type { Issue } from '../core/pipeline/issues';
import { issueMovedTo } from '../core/schema/issues';
import { parseDefinition } from '../core/pipeline/parse';
import { partOf } from '../core/pipeline/part';
import { countsOf, type StepCounters } from '../core/progress/counters';
import type { RunEnd } from '../core/run/execute';
import { type RunTotals, totalsOf } from '../core/progress/outcome';
import type { Reject } from '../core/ports/ports';
import { type TestRunLine, type TestRunOperator, TestRunTap } from '../core/run/test-run';
import { runAtOnce } from '../core/concurrency/yielding-task';
import { execute, type Kit, kitOf, type TestExecution, type TestContext } from './execution';
import { assertGateAnswers, type TestGateAnswers, type TestGateDecision } from './gates';
import {
    inInputTerms,
    assertRecords,
    providedDefinition,
    type LocatedIssues,
    testInputInvalid,
} from './provided-issues';

/** Why a record did not continue; with severity WARNING, a problem despite which it continued. */
export type TestReject = Reject;

/** What a pipeline did. */
export interface PipelineTest {
    readonly status: 'COMPLETED' | 'FAILED' | 'PAUSED' | 'CANCELLED';
    /** Of a completed run. */
    readonly outcome: 'SUCCESS' | 'PARTIAL' | 'EMPTY' | null;
    /** The GATE step at which a paused run waits: the first of those that hold something. */
    readonly gateStepKey: string | null;
    /** What waits at each GATE step of a paused run; a run that has ended holds nothing. */
    readonly held: Readonly<Record<string, readonly JsonObject[]>>;
    /** What was decided about gates, in its order. */
    readonly gateDecisions: readonly TestGateDecision[];
    /** What reached each LOAD and SINK step, in its order; nothing was written or delivered. */
    readonly loaded: Readonly<Record<string, readonly JsonObject[]>>;
    readonly rejected: readonly TestReject[];
    /** The warnings of operators; these records continued. */
    readonly warned: readonly TestReject[];
    readonly totals: RunTotals;
    readonly counters: Readonly<Record<string, StepCounters>>;
    readonly log: readonly TestRunLine[];
    readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | undefined } | null;
}

/** What a step did. */
export interface StepTestResult {
    readonly out: readonly JsonObject[];
    /** Of a ROUTE step. */
    readonly branches: Readonly<Record<string, readonly JsonObject[]>>;
    /** Of a TRANSFORM step: what each operator made of what came to it. */
    readonly operators: readonly TestRunOperator[];
    readonly rejected: readonly TestReject[];
    /** The warnings of operators; these records continued. */
    readonly warned: readonly TestReject[];
    readonly counters: StepCounters;
    readonly log: readonly TestRunLine[];
    readonly error: PipelineTest['error'];
}

/** Which pipeline is run with which records. */
export interface PipelineTestInput extends TestContext {
    /** What `pipeline(…).build()` gives, or a definition. */
    readonly pipeline: PipelineSource | DefinitionInput;
    /** By the keys of EXTRACT steps: records in place of what they would read. The others read for themselves. */
    readonly records?: Readonly<Record<string, readonly JsonObject[]>>;
    /** The trigger that fires; default: the first. */
    readonly triggerKey?: string;
    /**
     * By the keys of GATE steps: a user's decision once the run waits there. At a gate without a decision, the run stays PAUSED. A THRESHOLD gate
     * that opens automatically needs no decision.
     */
    readonly gates?: TestGateAnswers;
}

/** Which step of a definition is run with which records. */
export interface StepTestRun extends TestContext {
    readonly pipeline: PipelineSource | DefinitionInput;
    readonly stepKey: string;
    readonly records: readonly JsonObject[];
}

/** Which operator is run with which records. */
export interface OperatorTestRun extends TestContext {
    /** A custom operator, or the code of a built-in one. */
    readonly operator: Operator | string;
    readonly args: JsonObject;
    readonly records: readonly JsonObject[];
}

/** What an operator did. */
export type OperatorTest = Pick<StepTestResult, 'out' | 'rejected' | 'warned' | 'log' | 'error'>;

/**
 * Runs a whole pipeline without a shop and without a database: the executor of a run, its hooks and retries included. What reaches a LOAD
 * step is kept instead of loaded; GATE steps hold what comes to them until `gates` says something of it. Throws DEFINITION_INVALID for a pipeline that could not be published.
 */
export async function runPipeline({
    pipeline,
    records = {},
    triggerKey,
    gates = {},
    ...context
}: PipelineTestInput): Promise<PipelineTest> {
    const kit = kitOf(context);
    for (const [key, list] of Object.entries(records)) assertRecords(list, `records.${key}`);
    const definition = withRecords(
        parsed(providedDefinition(pipeline), kit, issues => issues),
        records,
    );
    assertGateAnswers(gates, definition);
    const triggers = definition.steps.filter(({ kind }) => startsRuns(kind)).map(({ key }) => key);
    if (triggerKey !== undefined && !triggers.includes(triggerKey))
        throw testInputInvalid(
            `triggerKey is ${show(triggerKey)}; the pipeline has the triggers ${triggers.join(', ')}`,
        );
    const execution = await execute(definition, kit, { triggerKey: triggerKey ?? triggers[0]!, gates });
    const { end, trial, shape, gated } = execution;
    const status = statusOf(execution);
    return {
        status,
        outcome: end.end === 'completed' ? end.outcome : null,
        gateStepKey: end.end === 'paused' && status === 'PAUSED' ? end.stepKey : null,
        held: status === 'PAUSED' ? gated.held : {},
        gateDecisions: gated.decisions,
        loaded: Object.fromEntries(kit.kept),
        rejected: trial.rejects,
        warned: trial.warnings,
        totals: totalsOf(end.counters, shape),
        counters: end.counters,
        log: trial.log,
        error: errorOf(end),
    };
}

/** Runs one step of a pipeline by itself. The rest of the definition may be unfinished. Throws INPUT_INVALID and DEFINITION_INVALID. */
export async function runStep({ pipeline, stepKey, records, ...context }: StepTestRun): Promise<StepTestResult> {
    const kit = kitOf(context);
    assertRecords(records, 'records');
    const { definition: part, placed } = runAtOnce(partOf(providedDefinition(pipeline), stepKey, true));
    const definition = withRecords(
        parsed(part, { registry: withProvidedRecords(kit.registry) }, placed),
        undefined,
        records,
    );
    const probe = new TestRunTap(stepKey);
    const triggerKey = definition.steps.find(({ kind }) => startsRuns(kind))!.key;
    const { end, trial } = await execute(definition, kit, { triggerKey, probe });
    return {
        out: probe.out,
        branches: Object.fromEntries(probe.branches),
        operators: probe.operators,
        rejected: trial.rejects,
        warned: trial.warnings,
        counters: countsOf(end.counters, stepKey),
        log: trial.log,
        error: errorOf(end),
    };
}

/** Runs one operator, like a step that contains nothing else. Throws DEFINITION_INVALID for arguments that its schema rejects. */
export async function runOperator({ operator, args, records, ...context }: OperatorTestRun): Promise<OperatorTest> {
    const { options = {} } = context;
    const extra = typeof operator === 'string' ? [] : [operator];
    const op = typeof operator === 'string' ? operator : operator.code;
    const { out, rejected, warned, log, error } = await runStep({
        ...context,
        options: { ...options, adapters: [...(options.adapters ?? []), ...extra] },
        pipeline: {
            version: 1,
            steps: [{ key: 'operator', kind: 'TRANSFORM', config: { operators: [{ op, args }] } }],
            edges: [],
        },
        stepKey: 'operator',
        records,
    }).catch((error: unknown) => {
        throw inInputTerms(error, ofOperator);
    });
    return { out, rejected, warned, log, error };
}

/** The path of an operator in the definition that is generated for it, followed by its code or an argument. */
const OF_OPERATOR = /^steps\[\d+\]\.config\.operators\[0\]\.(op\b|args)/;

function ofOperator(issues: readonly Issue[]): readonly Issue[] {
    const placed = (text: string): string =>
        text.replace(OF_OPERATOR, (_, what: string) => (what === 'op' ? 'operator' : what));
    return issues.map(issue => issueMovedTo(issue, placed));
}

function parsed(definition: unknown, { registry }: Pick<Kit, 'registry'>, placed: LocatedIssues): PipelineDefinition {
    try {
        return parseDefinition(definition, registry);
    } catch (error) {
        throw inInputTerms(error, placed);
    }
}

function withRecords(
    definition: PipelineDefinition,
    records: PipelineTestInput['records'],
    given?: readonly JsonObject[],
): PipelineDefinition {
    const sources = definition.steps.filter(({ kind }) => readsRecords(kind)).map(({ key }) => key);
    for (const key of Object.keys(records ?? {})) {
        if (sources.includes(key)) continue;
        throw testInputInvalid(
            `records are given for "${key}", which is not an EXTRACT step of the pipeline; it has ${sources.join(', ') || 'none'}`,
        );
    }
    const steps = definition.steps.map(step => {
        const stated =
            step.config['adapterCode'] === providedRecords.code
                ? given
                : readsRecords(step.kind) && records
                  ? own(records, step.key)
                  : undefined;
        return stated ? { ...step, config: { adapterCode: providedRecords.code, records: [...stated] } } : step;
    });
    return { ...definition, steps };
}

function statusOf({ end, isCancelled }: TestExecution): PipelineTest['status'] {
    if (isCancelled) return 'CANCELLED';
    if (end.end === 'paused') return 'PAUSED';
    return end.end === 'completed' ? 'COMPLETED' : 'FAILED';
}

function errorOf(end: RunEnd): PipelineTest['error'] {
    return end.end === 'stopped' ? { code: end.error.code, message: end.error.message, stepKey: end.stepKey } : null;
}
