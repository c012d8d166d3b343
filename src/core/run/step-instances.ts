import type { AdapterRun } from '../adapter/context';
import type { Delivered } from '../adapter/loader';
import type { Batch } from '../data/record';
import { flowError } from '../errors/flow-error';
import type { RunPorts } from '../ports/ports';
import type { HookCalls } from '../hooks/hooks';
import type { Node, StepFn, StepReconciler } from '../steps/step';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import type { RetryExecutor } from './retry-executor';
import { reconciledRecords } from './seen-tracker';
import type { BatchSequencers } from './batch-sequencer';
import type { CompiledPipeline } from './compile';
import type { ExecutionContext } from './execution-context';

/** What steps are opened with. */
interface StepInstanceDeps {
    readonly ports: RunPorts;
    readonly pace: EventLoopYield;
    readonly orders: BatchSequencers;
    readonly attempts: RetryExecutor;
    readonly hooks: HookCalls;
    readonly surroundings: ExecutionContext;
}

type Finish = (delivered: Delivered) => Promise<void>;

/** The steps after the sources, opened for one execution: each with its hooks and with retries of transient errors. */
export class StepInstances {
    private readonly bodies = new Map<Node, StepFn>();
    private readonly finishings = new Map<string, Finish>();
    /** The sweeps for missing records, by step. */
    readonly sweeps = new Map<string, StepReconciler>();

    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'input' | 'definition'>,
        private readonly deps: StepInstanceDeps,
    ) {}

    /**
     * Opens the step, given the number of records that reached it in earlier slices of the run. Throws the error with which the step rejects its
     * opening.
     */
    async open(node: Node, cameBefore: number): Promise<void> {
        const { ports, pace, orders, attempts, hooks, surroundings: context } = this.deps;
        const { key } = node.step;
        const env = {
            run: this.run(),
            startedAt: this.compiled.input.startedAt,
            ports,
            pace,
            memory: orders.memory(key, ports.memory),
            cameBefore,
            atEnd: context.atEnd,
            finishing: (finish: Finish) => void this.finishings.set(key, finish),
            sweeping: (stepReconciler: StepReconciler) => void this.sweeps.set(key, stepReconciler),
            gone: (records: Batch) => reconciledRecords(records, this.reconcilersAfter(node), ports.memory),
            adapter: context.adapter(key),
        };
        const body = await attempts.attempt({ stepKey: key, work: 'open' }, () => node.step.open(env));
        const tried: StepFn = (batch, visit) => {
            const { sourceKey, batchNo, number } = visit;
            return attempts.attempt({ stepKey: key, sourceKey, batchNo, visit: number, work: 'step' }, () =>
                body(batch, visit),
            );
        };
        this.bodies.set(node, this.probed(key, hooks.around(node.kind, node.step, tried)));
    }

    body(node: Node): StepFn {
        const body = this.bodies.get(node);
        if (!body) throw flowError('BUG', { problem: `step "${node.step.key}" was never opened` });
        return body;
    }

    /** What steps want done once all of the run has settled, by their keys, in the order of the edges. */
    get toFinish(): ReadonlyArray<readonly [stepKey: string, finish: Finish]> {
        // Steps are opened from the last to the first.
        return [...this.finishings].reverse();
    }

    /** Steps are opened from last to first, so the sweeps of all downstream steps are known. */
    private reconcilersAfter(node: Node): ReadonlyMap<string, StepReconciler> {
        const after = new Set([node]);
        // The set grows during the iteration.
        for (const one of after) for (const next of one.next) after.add(next);
        const keys = new Set([...after].map(({ step }) => step.key));
        return new Map([...this.sweeps].filter(([key]) => keys.has(key)));
    }

    private run(): AdapterRun {
        const { input, definition } = this.compiled;
        const { runId, pipelineId = '', pipelineCode = '', revisionNumber = 0, startedAt } = input;
        const { throughput, errorHandling } = definition;
        return { runId, pipelineId, pipelineCode, revision: revisionNumber, startedAt, throughput, errorHandling };
    }

    private probed(key: string, body: StepFn): StepFn {
        const { probe } = this.compiled.input;
        if (probe?.stepKey !== key) return body;
        return async (batch, visit) => {
            probe.came(batch);
            const result = await body(batch, visit);
            probe.gave(result.out, result.routed);
            return result;
        };
    }
}
