import type { AdapterDefinition } from '../core/adapter/definition';
import { givenRecords, withGivenRecords } from '../core/adapter/given-records';
import { emptyShop, loaderThatKeeps, sinkThatKeeps } from './kept-loads';
import type { Operator } from '../core/adapter/operator';
import type { Registry } from '../core/adapter/registry';
import { systemClock } from '../core/work/clock';
import type { JsonObject } from '../core/value/json';
import { own } from '../core/data/own';
import { show } from '../core/value/show';
import type { DefinitionInput, PipelineDefinition, PipelineSource } from '../core/pipeline/definition';
import { readsRecords, startsRuns } from '../core/steps/kinds';
import type { Issue } from '../core/pipeline/issues';
import { parseDefinition } from '../core/pipeline/parse';
import { partOf } from '../core/pipeline/part';
import { compilePipeline } from '../core/run/compile';
import { countsOf, type StepCounters } from '../core/progress/counters';
import { endedBy, executeRun, type RunEnd } from '../core/run/execute';
import { EventLoopYield } from '../core/work/event-loop-yield';
import { callEndHooks } from '../core/run/run-hooks';
import { type RunTotals, totalsOf } from '../core/progress/outcome';
import type { Reject } from '../core/ports/ports';
import { Trial, type TrialLine, type TrialOperator, TrialProbe } from '../core/run/trial';
import { atOnce } from '../core/work/work';
import type { FlowPluginOptions } from '../plugin/options/options';
import { setUp } from '../plugin/setup';
import { fakeOutbound, type FakeNetwork } from './fake-outbound';
import { asGiven, assertRecords, givenDefinition, type PlacedIssues, testInputInvalid } from './given-faults';
import { givenResources } from './given-resources';
import { trialPorts } from './trial-ports';
import { REFERENCE, referenceTo } from './reference-to';

/** What a test gives to the run beside what it runs. `http`, `stream` and `socket` stand in for the network; what is left out is refused. */
export interface TestSurroundings extends FakeNetwork {
    /** As the plugin has them: adapters and scripts of one's own. */
    readonly options?: Pick<
        FlowPluginOptions,
        'adapters' | 'connectors' | 'scripts' | 'registerBuiltinAdapters' | 'security'
    >;
    /** Values by the codes that the definition names. */
    readonly secrets?: Readonly<Record<string, string>>;
    /** By the codes that the definition names, as one would save them. */
    readonly connections?: Readonly<Record<string, { readonly type: string; readonly settings: JsonObject }>>;
    /** What the shop is to have, for the rule `reference`: by entity, `{ PRODUCT: ['trail-shoe'] }`. */
    readonly existing?: Readonly<Record<string, readonly string[]>>;
    /** The time that operators see; default: now. */
    readonly startedAt?: Date;
}

/** Why a record did not go on; of severity WARNING: what it went on without. */
export type TestReject = Reject;

/** What a pipeline did. */
export interface PipelineTest {
    readonly status: 'COMPLETED' | 'FAILED';
    readonly outcome: 'SUCCESS' | 'PARTIAL' | 'EMPTY' | null;
    /** What reached each LOAD and SINK step, in its order; nothing was written or delivered. */
    readonly loaded: Readonly<Record<string, readonly JsonObject[]>>;
    readonly rejected: readonly TestReject[];
    /** What operators warned of; the records went on. */
    readonly warned: readonly TestReject[];
    readonly totals: RunTotals;
    readonly counters: Readonly<Record<string, StepCounters>>;
    readonly log: readonly TrialLine[];
    readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | undefined } | null;
}

/** What a step did. */
export interface StepTestResult {
    readonly out: readonly JsonObject[];
    /** Of a ROUTE step. */
    readonly branches: Readonly<Record<string, readonly JsonObject[]>>;
    /** Of a TRANSFORM step: what each operator made of what came to it. */
    readonly operators: readonly TrialOperator[];
    readonly rejected: readonly TestReject[];
    /** What operators warned of; the records went on. */
    readonly warned: readonly TestReject[];
    readonly counters: StepCounters;
    readonly log: readonly TrialLine[];
    readonly error: PipelineTest['error'];
}

/** Which pipeline is run with which records. */
export interface PipelineTestInput extends TestSurroundings {
    /** What `pipeline(…).build()` gives, or a definition. */
    readonly pipeline: PipelineSource | DefinitionInput;
    /** By the keys of EXTRACT steps: records in place of what they would read. The others read for themselves. */
    readonly records?: Readonly<Record<string, readonly JsonObject[]>>;
    /** The trigger that fires; default: the first. */
    readonly triggerKey?: string;
}

/** Which step of a definition is run with which records. */
export interface StepTestRun extends TestSurroundings {
    readonly pipeline: PipelineSource | DefinitionInput;
    readonly stepKey: string;
    readonly records: readonly JsonObject[];
}

/** Which operator is run with which records. */
export interface OperatorTestRun extends TestSurroundings {
    /** An operator of one's own, or the code of a built-in one. */
    readonly operator: Operator | string;
    readonly args: JsonObject;
    readonly records: readonly JsonObject[];
}

/** What an operator did. */
export type OperatorTest = Pick<StepTestResult, 'out' | 'rejected' | 'warned' | 'log' | 'error'>;

/**
 * Runs a whole pipeline without a shop and without a database: the executor of a run, its hooks and retries included. What reaches a LOAD
 * step is kept instead of loaded. Throws DEFINITION_INVALID for a pipeline that could not be published.
 */
export async function runPipeline({
    pipeline,
    records = {},
    triggerKey,
    ...surroundings
}: PipelineTestInput): Promise<PipelineTest> {
    const kit = kitOf(surroundings);
    for (const [key, list] of Object.entries(records)) assertRecords(list, `records.${key}`);
    const definition = withRecords(
        parsed(givenDefinition(pipeline), kit, issues => issues),
        records,
    );
    const triggers = definition.steps.filter(({ kind }) => startsRuns(kind)).map(({ key }) => key);
    if (triggerKey !== undefined && !triggers.includes(triggerKey))
        throw testInputInvalid(
            `triggerKey is ${show(triggerKey)}; the pipeline has the triggers ${triggers.join(', ')}`,
        );
    const { end, trial, shape } = await execute(definition, kit, { triggerKey: triggerKey ?? triggers[0]! });
    return {
        status: end.end === 'completed' ? 'COMPLETED' : 'FAILED',
        outcome: end.end === 'completed' ? end.outcome : null,
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
export async function runStep({ pipeline, stepKey, records, ...surroundings }: StepTestRun): Promise<StepTestResult> {
    const kit = kitOf(surroundings);
    assertRecords(records, 'records');
    const { definition: part, placed } = atOnce(partOf(givenDefinition(pipeline), stepKey, true));
    const definition = withRecords(
        parsed(part, { registry: withGivenRecords(kit.registry) }, placed),
        undefined,
        records,
    );
    const probe = new TrialProbe(stepKey);
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

/** Runs one operator, as a step with nothing else in it would. Throws DEFINITION_INVALID for arguments that its schema refuses. */
export async function runOperator({
    operator,
    args,
    records,
    ...surroundings
}: OperatorTestRun): Promise<OperatorTest> {
    const { options = {} } = surroundings;
    const extra = typeof operator === 'string' ? [] : [operator];
    const op = typeof operator === 'string' ? operator : operator.code;
    const { out, rejected, warned, log, error } = await runStep({
        ...surroundings,
        options: { ...options, adapters: [...(options.adapters ?? []), ...extra] },
        pipeline: {
            version: 1,
            steps: [{ key: 'operator', kind: 'TRANSFORM', config: { operators: [{ op, args }] } }],
            edges: [],
        },
        stepKey: 'operator',
        records,
    }).catch((error: unknown) => {
        throw asGiven(error, ofOperator);
    });
    return { out, rejected, warned, log, error };
}

/** Where an operator stands in the definition that is made for it, and its code or an argument of it. */
const OF_OPERATOR = /^steps\[\d+\]\.config\.operators\[0\]\.(op\b|args)/;

function ofOperator(issues: readonly Issue[]): readonly Issue[] {
    const placed = (text: string): string =>
        text.replace(OF_OPERATOR, (_, what: string) => (what === 'op' ? 'operator' : what));
    return issues.map(issue => ({ ...issue, path: placed(issue.path), message: placed(issue.message) }));
}

function parsed(definition: unknown, { registry }: Pick<Kit, 'registry'>, placed: PlacedIssues): PipelineDefinition {
    try {
        return parseDefinition(definition, registry);
    } catch (error) {
        throw asGiven(error, placed);
    }
}

interface Kit extends TestSurroundings {
    readonly registry: Registry;
    /** What came to each LOAD and SINK step. */
    readonly kept: Map<string, JsonObject[]>;
}

function kitOf(surroundings: TestSurroundings): Kit {
    const kept = new Map<string, JsonObject[]>();
    const { registry } = setUp(surroundings.options ?? {});
    return {
        ...surroundings,
        kept,
        registry: registry.with(adapter => withoutShop(adapter, kept, surroundings)),
    };
}

/** What needs a shop has a stand-in of the same code and configuration. */
function withoutShop(adapter: AdapterDefinition, kept: Kit['kept'], { existing }: TestSurroundings): AdapterDefinition {
    if (adapter.kind === 'loader') return loaderThatKeeps(adapter, kept);
    if (adapter.kind === 'sink') return sinkThatKeeps(adapter, kept);
    if (adapter.kind === 'extractor' && adapter.readsShop) return emptyShop(adapter);
    return adapter.kind === 'rule' && adapter.code === REFERENCE ? referenceTo(adapter, existing) : adapter;
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
            `records are given for "${key}", which is no EXTRACT step of the pipeline; it has ${sources.join(', ') || 'none'}`,
        );
    }
    const steps = definition.steps.map(step => {
        const stated =
            step.config['adapterCode'] === givenRecords.code
                ? given
                : readsRecords(step.kind) && records
                  ? own(records, step.key)
                  : undefined;
        return stated ? { ...step, config: { adapterCode: givenRecords.code, records: [...stated] } } : step;
    });
    return { ...definition, steps };
}

interface ExecutionInput {
    readonly triggerKey: string;
    readonly probe?: TrialProbe;
}

async function execute(definition: PipelineDefinition, kit: Kit, { triggerKey, probe }: ExecutionInput) {
    const trial = new Trial();
    const { registry, startedAt = new Date() } = kit;
    const compiled = compilePipeline(
        definition,
        { runId: 'test', mode: 'live', triggerKey, startedAt: startedAt.getTime(), ...(probe && { probe }) },
        {
            registry: withGivenRecords(registry),
            clock: systemClock,
            platform: undefined,
            outbound: fakeOutbound(kit),
            resources: givenResources(kit),
        },
    );
    const ports = trialPorts(trial);
    const { signal } = new AbortController();
    const end = await executeRun(compiled, ports, { signal });
    const ended = probe ? undefined : endedBy(end, compiled.shape);
    if (ended)
        await callEndHooks(compiled, ended, {
            journal: ports.journal,
            pace: new EventLoopYield({ clock: systemClock }),
            signal,
        });
    return { end, trial, shape: compiled.shape };
}

function errorOf(end: RunEnd): PipelineTest['error'] {
    return end.end === 'stopped' ? { code: end.error.code, message: end.error.message, stepKey: end.stepKey } : null;
}
