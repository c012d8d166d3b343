import { flowError } from '../errors/flow-error';
import type { ReleasedBatch, RunPorts } from '../ports/ports';
import type { Node } from '../steps/step';
import type { Attempts } from './attempts';
import type { CompiledPipeline } from './compile';

/** Where a run waits until it is let go on. */
export interface Pause {
    /** The first step, in the order of the edges, that holds something. */
    readonly stepKey: string;
    /** How many records it holds. */
    readonly records: number;
}

/** What the steps of an execution hold (ADR 30). Asks nothing of a pipeline whose steps hold nothing. */
export class HeldBatches {
    private readonly nodes: ReadonlyMap<string, Node>;

    constructor(
        compiled: Pick<CompiledPipeline, 'nodes'>,
        private readonly run: { readonly spool: RunPorts['spool']; readonly attempts: Attempts },
    ) {
        // A node is made when those behind it are, so that the last one is among the first that records come to.
        const holding = compiled.nodes.filter(({ step }) => step.holds === true).reverse();
        this.nodes = new Map(holding.map(node => [node.step.key, node]));
    }

    /** What was let go on of a source's batches, in their order: the spool as a source of its own. Ends where the reading is stopped. */
    async *released(sourceKey: string, stop: AbortSignal): AsyncGenerator<ReleasedBatch, void, void> {
        if (this.nodes.size === 0) return;
        const { spool, attempts } = this.run;
        for (let behind = -1; !stop.aborted;) {
            const place = { sourceKey, batchNo: behind + 1, work: 'spool' };
            const batch = await attempts.attempt(place, () => spool.next(sourceKey, behind));
            if (!batch) return;
            yield batch;
            behind = batch.batchNo;
        }
    }

    /** The step that held something. */
    node(stepKey: string): Node {
        const node = this.nodes.get(stepKey);
        if (node) return node;
        throw flowError('BUG', { problem: `records are held at "${stepKey}", which is no step that holds anything` });
    }

    /** Where the run waits when it has done all that it can; undefined where nothing is held. */
    async pause(): Promise<Pause | undefined> {
        if (this.nodes.size === 0) return undefined;
        const { spool, attempts } = this.run;
        const held = await attempts.attempt({ work: 'spool' }, () => spool.held());
        for (const stepKey of this.nodes.keys()) {
            const records = held.get(stepKey);
            if (records !== undefined) return { stepKey, records };
        }
        return undefined;
    }
}
