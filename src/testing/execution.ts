import type { AdapterDefinition } from '../core/adapter/definition';
import { withProvidedRecords } from '../core/adapter/provided-records';
import type { Registry } from '../core/adapter/registry';
import type { PipelineDefinition } from '../core/pipeline/definition';
import { type PipelineShape, totalsOf } from '../core/progress/outcome';
import { compilePipeline } from '../core/run/compile';
import { endedBy, executeRun, type RunEnd } from '../core/run/execute';
import { callEndHooks } from '../core/run/run-hooks';
import { TestRun, type TestRunTap } from '../core/run/test-run';
import type { JsonObject } from '../core/value/json';
import { systemClock } from '../core/concurrency/clock';
import { EventLoopYield } from '../core/concurrency/event-loop-yield';
import type { FlowPluginOptions } from '../plugin/options/options';
import { setUp } from '../plugin/setup';
import { fakeOutbound, type FakeNetwork } from './fake-outbound';
import { type TestGateAnswers, GatedRun } from './gates';
import { providedResources, type ProvidedSecret } from './provided-resources';
import { emptyShop, loaderThatKeeps, sinkThatKeeps } from './recorded-loads';
import { REFERENCE, referenceTo } from './reference-to';
import { testRunPorts } from './test-run-ports';

/** The environment of a test run. `http`, `stream` and `socket` replace the network; a request without a replacement is rejected. */
export interface TestContext extends FakeNetwork {
    /** The plugin options: custom adapters and scripts. */
    readonly options?: Pick<
        FlowPluginOptions,
        'adapters' | 'connectors' | 'scripts' | 'registerBuiltinAdapters' | 'security'
    >;
    /** By the codes that the definition names: values, which may be sent everywhere, or values and the hosts that they may be sent to. */
    readonly secrets?: Readonly<Record<string, ProvidedSecret>>;
    /** By the codes in the definition, like saved ones. */
    readonly connections?: Readonly<Record<string, { readonly type: string; readonly settings: JsonObject }>>;
    /** The entities of the shop, for the rule `reference`, by type: `{ PRODUCT: ['trail-shoe'] }`. */
    readonly existing?: Readonly<Record<string, readonly string[]>>;
    /** The time that operators see; default: now. */
    readonly startedAt?: Date;
}

/** Executes the pipelines of one test. */
export interface Kit extends TestContext {
    readonly registry: Registry;
    /** What came to each LOAD and SINK step. */
    readonly kept: Map<string, JsonObject[]>;
}

/** With replacements for everything that needs a shop. */
export function kitOf(context: TestContext): Kit {
    const kept = new Map<string, JsonObject[]>();
    const { registry } = setUp(context.options ?? {});
    return {
        ...context,
        kept,
        registry: registry.with(adapter => withoutShop(adapter, kept, context)),
    };
}

/** Replaces an adapter that needs a shop by one with the same code and configuration. */
function withoutShop(adapter: AdapterDefinition, kept: Kit['kept'], { existing }: TestContext): AdapterDefinition {
    if (adapter.kind === 'loader') return loaderThatKeeps(adapter, kept);
    if (adapter.kind === 'sink') return sinkThatKeeps(adapter, kept);
    if (adapter.kind === 'extractor' && adapter.readsShop) return emptyShop(adapter);
    return adapter.kind === 'rule' && adapter.code === REFERENCE ? referenceTo(adapter, existing) : adapter;
}

/** What is executed, and what looks on at it. */
interface ExecutionInput {
    readonly triggerKey: string;
    /** Looks on at one step, as a step test does: no gate holds anything then. */
    readonly probe?: TestRunTap;
    /** The decisions at its gates. */
    readonly gates?: TestGateAnswers;
}

/** The result of an execution, and its remaining state. */
export interface TestExecution {
    readonly end: RunEnd;
    readonly trial: TestRun;
    readonly shape: PipelineShape;
    readonly gated: GatedRun;
    /** A gate's records were rejected. */
    readonly isCancelled: boolean;
}

/** From its beginning to its end, or to a gate without a decision. */
export async function execute(
    definition: PipelineDefinition,
    kit: Kit,
    { triggerKey, probe, gates = {} }: ExecutionInput,
): Promise<TestExecution> {
    const testRun = new TestRun();
    const gated = new GatedRun(gates);
    const ports = probe ? testRunPorts(testRun) : gated.ports(testRunPorts(testRun));
    const { registry, startedAt = new Date() } = kit;
    const input = { runId: 'test', mode: 'live', triggerKey, startedAt: startedAt.getTime() } as const;
    const { signal } = new AbortController();
    const parts = { journal: ports.journal, pace: new EventLoopYield({ clock: systemClock }), signal };
    for (;;) {
        // Compiled again for each part, like the worker that continues after a gate.
        const compiled = compilePipeline(
            definition,
            { ...input, ...(probe && { probe }) },
            {
                registry: withProvidedRecords(registry),
                clock: systemClock,
                platform: undefined,
                outbound: fakeOutbound(kit),
                resources: providedResources(kit),
            },
        );
        const { shape } = compiled;
        const end = await executeRun(compiled, ports, { signal });
        const ended = probe ? undefined : endedBy(end, shape);
        if (ended) await callEndHooks(compiled, ended, parts);
        const outcome = end.end === 'paused' ? gated.decide(end) : undefined;
        if (outcome === 'APPROVED') continue;
        const isCancelled = outcome === 'REJECTED';
        if (isCancelled)
            await callEndHooks(compiled, { status: 'CANCELLED', totals: totalsOf(end.counters, shape) }, parts);
        return { end, trial: testRun, shape, gated, isCancelled };
    }
}
