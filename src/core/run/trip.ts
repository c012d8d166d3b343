import type { Batch } from '../data/record';
import type { SourceBatch } from '../steps/extract';
import type { Node, StepFn } from '../steps/step';
import { addCounts, NO_COUNTS, type Counters, type StepCounters } from './counters';
import type { Reject } from './ports';

/** Which batch makes the trip. */
export interface TripKey {
    readonly sourceKey: string;
    readonly batchNo: number;
}

/** What a trip has of the run. */
export interface TripEnv {
    body(node: Node): StepFn;
    /** Does a step's work, again where it fails for a transient reason. Throws once the run was told to stop. */
    attempt<T>(stepKey: string, work: () => Promise<T>): Promise<T>;
    /** Makes rejects durable. */
    store(stepKey: string, rejects: readonly Reject[]): Promise<void>;
    /** Charges the error budget; throws when it is exceeded. */
    spend(counts: { readonly read?: number; readonly rejected?: number }): void;
    took(stepKey: string, ms: number): void;
    now(): number;
}

/** A batch's walk over the whole graph, and what is counted on the way. One batch makes one trip (architecture, decision 3). */
export class Trip {
    /** Where the trip is; when it fails, that is where. */
    stepKey: string;
    private readonly counted: Record<string, StepCounters> = {};
    private readonly visited = new Map<string, readonly Batch[]>();

    constructor(
        private readonly key: TripKey,
        private readonly env: TripEnv,
    ) {
        this.stepKey = key.sourceKey;
    }

    /** What has been counted so far. */
    get counters(): Counters {
        return this.counted;
    }

    /** To every end of the graph. Answers the counters once all that the batch became has settled. */
    async make({ records, faults }: SourceBatch, nodes: readonly Node[]): Promise<Counters> {
        const { sourceKey } = this.key;
        const read = records.length + faults.length;
        await this.env.store(sourceKey, faults);
        this.count(sourceKey, { in: read, out: records.length, rejected: faults.length });
        this.env.spend({ read, rejected: faults.length });
        await this.travel(records, nodes);
        return this.counted;
    }

    /** Branches one after another in the order of their edges, each to its end (architecture 10a, order). */
    private async travel(batch: Batch, nodes: readonly Node[]): Promise<void> {
        if (batch.length === 0) return;
        for (const node of nodes) await this.travel(await this.visit(batch, node), node.next);
    }

    private async visit(batch: Batch, node: Node): Promise<Batch> {
        const { env } = this;
        const { key } = node.step;
        this.stepKey = key;
        const earlier = this.visited.get(key) ?? [];
        const visit = { ...this.key, number: earlier.length, earlier };
        const startedAt = env.now();
        const { out, counts, rejects } = await env.attempt(key, () => env.body(node)(batch, visit));
        env.took(key, env.now() - startedAt);
        await env.store(key, rejects);
        this.visited.set(key, [...earlier, batch]);
        this.count(key, { ...counts, in: batch.length, out: out.length });
        env.spend({ rejected: counts.rejected ?? 0 });
        return out;
    }

    private count(stepKey: string, counts: Partial<StepCounters>): void {
        this.counted[stepKey] = addCounts(this.counted[stepKey] ?? NO_COUNTS, counts);
    }
}
