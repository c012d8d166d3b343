import type { JsonObject } from '../value/json';
import { byName } from '../data/own';
import type { Batch } from '../data/record';
import type { SourceBatch } from '../steps/extract';
import type { Places } from '../steps/places';
import type { Node, StepFn, StepResult } from '../steps/step';
import type { Settled } from './commit-line';
import { addCounts, countsOf, growth, type Counters, type StepCounters } from '../progress/counters';
import { TripMemos } from '../progress/memos';
import type { Reject } from '../ports/ports';

/** Which batch makes the trip. */
export interface TripKey {
    readonly sourceKey: string;
    readonly batchNo: number;
}

/** Where something of a batch happens. */
export interface TripPlace extends TripKey {
    readonly stepKey: string;
    /** At a step behind the source: 0, or more where several ways lead there. */
    readonly visit?: number;
}

/** What a trip has of the run. */
export interface TripEnv {
    /** A step's work with its hooks, done again where it fails for a transient reason. Throws once the run was told to stop. */
    body(node: Node): StepFn;
    /** What hooks make of the records that a source has read; undefined where there are none. */
    readonly extracted: ((batch: Batch, key: TripKey) => Promise<Batch>) | undefined;
    /** Looks on at what leaves a source; undefined where nobody does. */
    readonly left: ((sourceKey: string, batch: Batch) => void) | undefined;
    /** Tells hooks of rejected records, which are durable by then; undefined where there are none. */
    readonly rejected: ((rejects: readonly Reject[], place: TripPlace) => Promise<void>) | undefined;
    /** Makes rejects durable. */
    store(rejects: readonly Reject[], place: TripPlace): Promise<void>;
    /** Charges the error budget; throws when it is exceeded. */
    spend(counts: { readonly read?: number; readonly rejected?: number }): void;
    took(stepKey: string, ms: number): void;
    now(): number;
}

/** A batch's walk over the whole graph, and what is counted on the way. One batch makes one trip (architecture, decision 3). */
export class Trip {
    /** Where the trip is; when it fails, that is where. */
    stepKey: string;
    private readonly counted = byName<StepCounters>();
    private readonly memos = new TripMemos();
    private readonly visited = new Map<string, readonly Batch[]>();
    private source: Batch = [];
    private places: Places | undefined;
    /** The places of the source's records in the batch. */
    private bySeq: ReadonlyMap<number, number> | undefined;

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

    /** To every end of the graph. Answers what it leaves behind once all that the batch became has settled. */
    async make({ records, faults, places }: SourceBatch, nodes: readonly Node[]): Promise<Settled> {
        const { key, env } = this;
        const { sourceKey } = key;
        this.source = records;
        this.places = places;
        const read = records.length + faults.length;
        await this.refuse({ ...key, stepKey: sourceKey }, faults);
        const startedAt = env.now();
        const out = env.extracted ? await env.extracted(records, key) : records;
        env.took(sourceKey, env.now() - startedAt);
        this.count(sourceKey, {
            in: read,
            out: out.length,
            rejected: faults.length,
            ...growth(records.length, out.length),
        });
        env.left?.(sourceKey, out);
        env.spend({ read, rejected: faults.length });
        await this.travel(out, nodes);
        return { counters: this.counted, memos: this.memos.settled() };
    }

    /** Branches one after another in the order of their edges, each to its end (architecture 10a, order). */
    private async travel(batch: Batch, nodes: readonly Node[]): Promise<void> {
        if (batch.length === 0) return;
        for (const node of nodes) {
            const { out, routed } = await this.visit(batch, node);
            if (!routed) await this.travel(out, node.next);
            else
                for (const [i, next] of node.next.entries())
                    await this.travel(routed.get(node.branches![i]!) ?? [], [next]);
        }
    }

    private async visit(batch: Batch, node: Node): Promise<Pick<StepResult, 'out' | 'routed'>> {
        const { env } = this;
        const { key } = node.step;
        this.stepKey = key;
        const earlier = this.visited.get(key) ?? [];
        const visit = { ...this.key, number: earlier.length, earlier, sourceOf: this.sourceOf, placeOf: this.placeOf };
        const startedAt = env.now();
        const {
            out,
            routed,
            counts,
            rejects,
            warnings = [],
            failed,
            memos,
            stored,
            abort,
            taken = batch,
        } = await env.body(node)(batch, visit);
        env.took(key, env.now() - startedAt);
        this.memos.fail(failed);
        if (memos) this.memos.add(memos);
        const place = { ...this.key, stepKey: key, visit: visit.number };
        await this.refuse(place, rejects, stored);
        await env.store(warnings, place);
        if (abort) {
            // What comes with the rejected record is judged by nobody any more.
            this.count(key, { ...counts, in: rejects.length });
            throw abort;
        }
        this.visited.set(key, [...earlier, taken]);
        this.count(key, { ...counts, in: batch.length, out: out.length });
        env.spend({ rejected: counts.rejected ?? 0 });
        return { out, ...(routed && { routed }) };
    }

    private readonly sourceOf = (seq: number): JsonObject | undefined => this.source[this.inBatch(seq)]?.data;

    private readonly placeOf = (seq: number): string | undefined => this.places?.of(this.inBatch(seq));

    /** Asked of rejected records alone. */
    private inBatch(seq: number): number {
        this.bySeq ??= new Map(this.source.map(({ origin }, index) => [origin.seq, index]));
        return this.bySeq.get(seq) ?? -1;
    }

    private async refuse(place: TripPlace, rejects: readonly Reject[], stored: readonly Reject[] = []): Promise<void> {
        const { env } = this;
        await env.store(rejects, place);
        if (env.rejected && rejects.length + stored.length > 0) await env.rejected([...rejects, ...stored], place);
    }

    private count(stepKey: string, counts: Partial<StepCounters>): void {
        this.counted[stepKey] = addCounts(countsOf(this.counted, stepKey), counts);
    }
}
