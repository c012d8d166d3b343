import { flowError } from '../errors/flow-error';
import { buildGraph } from '../pipeline/graph';
import type { ResumedBatch, SpoolStore } from '../ports/ports';
import type { RunTotals } from '../progress/outcome';
import type { Node, ReleaseCondition } from '../steps/step';
import type { RetryExecutor } from './retry-executor';
import type { CompiledPipeline } from './compile';

/** Where a run waits for its release. */
export interface Pause {
    /** The first step, in the order of the edges, that holds something. */
    readonly stepKey: string;
    /** How many records it holds. */
    readonly records: number;
    /** When the step releases its records by itself; absent if a user has to release them. */
    readonly opening?: ReleaseCondition;
}

/** The records that the steps of an execution hold (ADR 8). Reads nothing for a pipeline without holding steps. */
export class SpooledBatches {
    private readonly nodes: ReadonlyMap<string, Node>;

    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'nodes' | 'definition' | 'input'>,
        private readonly run: { readonly spool: SpoolStore | undefined; readonly attempts: RetryExecutor },
    ) {
        // A node is created after its downstream nodes, so the last node is among the first that records reach.
        const holding = compiled.nodes.filter(({ step }) => step.holds !== undefined).reverse();
        this.nodes = new Map(holding.map(node => [node.step.key, node]));
    }

    /** The steps that may hold batches of a source: none in a run that holds nothing. */
    behind(sourceKey: string): readonly string[] {
        const { definition, input } = this.compiled;
        if (!this.run.spool || this.nodes.size === 0 || input.mode !== 'live') return [];
        const reachable = buildGraph(definition).reachable(sourceKey);
        return [...this.nodes.keys()].filter(key => reachable.has(key));
    }

    /** How many records each of these steps holds, of those that hold any. */
    async countsOf(stepKeys: readonly string[]): Promise<ReadonlyMap<string, number>> {
        const { spool, attempts } = this.run;
        if (!spool || stepKeys.length === 0) return new Map();
        const held = await attempts.attempt({ work: 'spool' }, () => spool.held());
        return new Map([...held].filter(([key, records]) => records > 0 && stepKeys.includes(key)));
    }

    /** The released batches of a source in their order: the spool serves as a separate source. Ends when the reading is stopped. */
    async *released(sourceKey: string, stop: AbortSignal): AsyncGenerator<ResumedBatch, void, void> {
        const { spool, attempts } = this.run;
        if (!spool || this.nodes.size === 0) return;
        for (let after = -1; !stop.aborted;) {
            const place = { sourceKey, batchNo: after + 1, work: 'spool' };
            const batch = await attempts.attempt(place, () => spool.next(sourceKey, after));
            if (!batch) return;
            yield batch;
            after = batch.batchNo;
        }
    }

    /** The step that held the records. */
    node(stepKey: string): Node {
        const node = this.nodes.get(stepKey);
        if (node) return node;
        throw flowError('BUG', { problem: `records are held at "${stepKey}", which is not a step that holds records` });
    }

    /** Where a run with these totals waits after it has done all that it can; undefined if nothing is held. */
    async pause(totals: RunTotals): Promise<Pause | undefined> {
        const { spool, attempts } = this.run;
        if (!spool || this.nodes.size === 0) return undefined;
        const held = await attempts.attempt({ work: 'spool' }, () => spool.held());
        for (const [stepKey, { step }] of this.nodes) {
            const records = held.get(stepKey);
            if (records === undefined) continue;
            const opening = step.holds?.(totals);
            return { stepKey, records, ...(opening && { opening }) };
        }
        return undefined;
    }
}
