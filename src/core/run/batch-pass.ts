import type { JsonObject } from '../value/json';
import { byName } from '../data/own-properties';
import type { Batch } from '../data/record';
import type { SourceBatch } from '../steps/batcher';
import type { SourceLocations } from '../steps/source-locations';
import type { Node, StepFn, StepResult } from '../steps/step';
import type { AcknowledgedBatch } from './offset-committer';
import {
    spooledRecords,
    spooledSources,
    type SpooledInvocation,
    OriginLocations,
    restoreStateEntries,
    storedSpooledPart,
    storedBatchPass,
    invocationsOf,
} from './spooled-pass';
import { addCounts, countsOf, growth, type Counters, type StepCounters } from '../progress/counters';
import { type StateEntry, BatchStateEntries } from '../progress/state-entries';
import type { SpooledBatch, SourceOffset, Reject, ResumedBatch } from '../ports/ports';
import type { DownstreamSteps, DroppedRecords } from './seen-tracker';
import type { Progress } from './progress';
import type { ParallelBranch } from './parallel-branches';

/** Which batch makes the trip. */
interface BatchKey {
    readonly sourceKey: string;
    readonly batchNo: number;
}

/** Where something of a batch happens. */
export interface BatchStep extends BatchKey {
    readonly stepKey: string;
    /** The visit at a downstream step: 0, or more if several ways lead there. */
    readonly visit?: number;
}

/** The parts of the run that a trip uses. */
export interface BatchPassEnv {
    /** A step's work with its hooks, retried after transient errors. Throws once the run is stopped. */
    body(node: Node): StepFn;
    /** Applies hooks to the records that a source has read; undefined if there are no hooks. */
    readonly extracted: ((batch: Batch, key: BatchKey) => Promise<Batch>) | undefined;
    /** Applies hooks to records that a step held and releases. */
    released(node: Node, batch: Batch, step: BatchStep): Promise<Batch>;
    /** Observes the records that leave a source; undefined without an observer. */
    readonly left: ((sourceKey: string, batch: Batch) => void) | undefined;
    /** Calls hooks with rejected records, which are already durable; undefined if there are no hooks. */
    readonly rejected: ((rejects: readonly Reject[], step: BatchStep) => Promise<void>) | undefined;
    /** The memos for records that were taken out; undefined if no sweep needs them. */
    taken(at: DownstreamSteps, taken: DroppedRecords): Promise<readonly StateEntry[]> | undefined;
    /** Makes rejects durable. */
    store(rejects: readonly Reject[], step: BatchStep): Promise<void>;
    /** What is counted beyond the trip. `spend` charges the error budget, and throws when it is exceeded. */
    readonly progress: Pick<Progress, 'spend' | 'took' | 'came'>;
    now(): number;
    /** Decides which outgoing ways of a step run in parallel. */
    stretches(ways: readonly Node[]): readonly ParallelBranch[];
    /** A way failed next to others: the run stops at once, so that those wait only for their pending responses. */
    failed(error: unknown, stepKey: string): void;
}

/** Which records of a ROUTE step leave it by the way at a place. */
type Routed = (place: number) => Batch;

/** One of the ways that leave a step, and the records that go it. */
interface Way {
    readonly node: Node;
    readonly batch: Batch;
}

/** The walk of a batch over the whole graph, and its counters. Each batch makes one trip, which holding steps cut into parts. */
export class BatchPass {
    /** The current position of the trip. With parallel branches, the position that was reached last. */
    private at: string;
    /** The first error, and its step. */
    private failure: { readonly error: unknown; readonly stepKey: string } | undefined;
    private readonly counted = byName<StepCounters>();
    private readonly stateEntries = new BatchStateEntries();
    private visits = new Map<string, readonly Batch[]>();
    /** The records that steps have held since this part of the trip began. */
    private readonly held: SpooledInvocation[] = [];
    private origins = new OriginLocations();
    private sourceOf: (seq: number) => JsonObject | undefined = () => undefined;
    private placeOf: (seq: number) => string | undefined = () => undefined;

    constructor(
        private readonly key: BatchKey,
        private readonly env: BatchPassEnv,
    ) {
        this.at = key.sourceKey;
    }

    /** Where the trip is; when it fails, that is where. */
    get stepKey(): string {
        return this.failure?.stepKey ?? this.at;
    }

    /** What has been counted so far. */
    get counters(): Counters {
        return this.counted;
    }

    /**
     * Walks to every end of the graph, or to a step that holds the batch. Returns the result once everything that the batch became has arrived
     * there.
     */
    async make(
        { records, faults: issues, places, from }: SourceBatch,
        nodes: readonly Node[],
    ): Promise<AcknowledgedBatch> {
        const { key, env } = this;
        const { sourceKey } = key;
        this.knowSource(records, places);
        env.progress.came(sourceKey, places.of(records.length - 1));
        const read = records.length + issues.length;
        await this.refuse({ ...key, stepKey: sourceKey }, issues);
        const startedAt = env.now();
        const out = env.extracted ? await env.extracted(records, key) : records;
        env.progress.took(sourceKey, env.now() - startedAt);
        this.count(sourceKey, {
            in: read,
            out: out.length,
            rejected: issues.length,
            ...growth(records.length, out.length),
        });
        env.left?.(sourceKey, out);
        await this.remember(env.taken({ next: nodes }, { batch: records, out, failed: [] }));
        env.progress.spend({ read, rejected: issues.length });
        await this.runNodes(out, nodes);
        return this.held.length === 0 ? this.settled() : this.holding(from);
    }

    /** Continues after the steps that held the batch. */
    async continueFrom(batch: ResumedBatch, nodeOf: (stepKey: string) => Node): Promise<AcknowledgedBatch> {
        const { trip: batchPass, parts, from, isHeldElsewhere } = batch;
        const places = new OriginLocations(batchPass.origins);
        this.origins = places;
        this.visits = invocationsOf(batchPass);
        restoreStateEntries(this.stateEntries, batchPass, places);
        ({ sourceOf: this.sourceOf, placeOf: this.placeOf } = spooledSources(parts, places));
        for (const part of parts) {
            const { stepKey, visit } = part;
            this.at = stepKey;
            const node = nodeOf(stepKey);
            const records = spooledRecords(part, places);
            const out = await this.env.released(node, records, { ...this.key, stepKey, visit });
            const counts = { held: -records.length, out: out.length, ...growth(records.length, out.length) };
            this.count(stepKey, counts);
            await this.runNodes(out, node.next);
        }
        if (isHeldElsewhere || this.held.length > 0) return this.holding(from);
        return { ...this.settled(), held: { ...this.key, from, trip: undefined, parts: [] } };
    }

    private settled(): AcknowledgedBatch {
        return { counters: this.counted, memos: this.stateEntries.settled() };
    }

    private holding(from: SourceOffset): AcknowledgedBatch {
        const { key, origins, visits: visited, sourceOf, placeOf } = this;
        const { settled: stateEntries, waiting, failed } = this.stateEntries.held();
        const parts = this.held.map(visit => storedSpooledPart(visit, origins, { sourceOf, placeOf }));
        const held: SpooledBatch = {
            ...key,
            from,
            trip: storedBatchPass({ visited, waiting, failed }, origins),
            parts,
        };
        return { counters: this.counted, memos: stateEntries, held };
    }

    /** Used only for rejected and held records. */
    private knowSource(records: Batch, sourceLocations: SourceLocations): void {
        let bySeq: ReadonlyMap<number, number> | undefined;
        const inBatch = (seq: number): number => {
            bySeq ??= new Map(records.map(({ origin }, index) => [origin.seq, index]));
            return bySeq.get(seq) ?? -1;
        };
        this.sourceOf = seq => records[inBatch(seq)]?.data;
        this.placeOf = seq => sourceLocations.of(inBatch(seq));
    }

    /** Runs branches in the order of their edges, each to its end; branches to other systems run in parallel. */
    private async runNodes(batch: Batch, nodes: readonly Node[], routed?: Routed): Promise<void> {
        for (const parallelBranch of this.env.stretches(nodes)) {
            const ways = parallelBranch.map((place): Way => ({
                node: nodes[place]!,
                batch: routed ? routed(place) : batch,
            }));
            const [first] = ways;
            if (ways.length === 1) await this.go(first!);
            else await this.runParallel(ways);
        }
    }

    private async go({ node, batch }: Way): Promise<void> {
        if (batch.length === 0) return;
        const { out, routed } = await this.visit(batch, node);
        await this.runNodes(out, node.next, routed && (place => routed.get(node.branches![place]!) ?? []));
    }

    /** Runs all branches to their ends, even if one fails, because the acknowledgements of other systems must be recorded. */
    private async runParallel(forgedCases: readonly Way[]): Promise<void> {
        const going = forgedCases.map(way =>
            this.go(way).catch((error: unknown) => {
                this.env.failed(error, this.stepKey);
                throw error;
            }),
        );
        const ends = await Promise.allSettled(going);
        const failed = ends.find(({ status }) => status === 'rejected');
        // What failed first is why the others may have failed.
        if (failed?.status === 'rejected') throw this.failure?.error ?? failed.reason;
    }

    private async visit(batch: Batch, node: Node): Promise<Pick<StepResult, 'out' | 'routed'>> {
        try {
            return await this.work(batch, node);
        } catch (error) {
            this.failure ??= { error, stepKey: node.step.key };
            throw error;
        }
    }

    private async work(batch: Batch, node: Node): Promise<Pick<StepResult, 'out' | 'routed'>> {
        const { env } = this;
        const { key } = node.step;
        this.at = key;
        const earlier = this.visits.get(key) ?? [];
        const visit = { ...this.key, number: earlier.length, earlier, sourceOf: this.sourceOf, placeOf: this.placeOf };
        const startedAt = env.now();
        const result = await env.body(node)(batch, visit);
        const {
            out,
            routed,
            counts,
            rejects,
            warnings = [],
            failed,
            memos: stateEntries,
            stored,
            abort,
            held = [],
            taken = batch,
        } = result;
        env.progress.took(key, env.now() - startedAt);
        this.stateEntries.fail(failed);
        if (stateEntries) this.stateEntries.add(stateEntries);
        await this.remember(env.taken(node, { ...result, batch }));
        const place = { ...this.key, stepKey: key, visit: visit.number };
        await this.refuse(place, rejects, stored);
        await env.store(warnings, place);
        if (abort) {
            // The step cannot check the records next to the rejected one any more.
            this.count(key, { ...counts, in: rejects.length });
            throw abort;
        }
        this.visits.set(key, [...earlier, taken]);
        if (held.length > 0) this.held.push({ stepKey: key, visit: visit.number, batch: held });
        this.count(key, { ...counts, in: batch.length, out: out.length, held: held.length });
        env.progress.spend({ rejected: counts.rejected ?? 0 });
        return { out, ...(routed && { routed }) };
    }

    private async remember(stateEntries: Promise<readonly StateEntry[]> | undefined): Promise<void> {
        if (stateEntries) this.stateEntries.add(await stateEntries);
    }

    private async refuse(step: BatchStep, rejects: readonly Reject[], stored: readonly Reject[] = []): Promise<void> {
        const { env } = this;
        await env.store(rejects, step);
        if (env.rejected && rejects.length + stored.length > 0) await env.rejected([...rejects, ...stored], step);
    }

    private count(stepKey: string, counts: Partial<StepCounters>): void {
        this.counted[stepKey] = addCounts(countsOf(this.counted, stepKey), counts);
    }
}
