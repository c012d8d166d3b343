import { addCounters, type Counters } from '../progress/counters';
import { newestEntries, type StoredStateEntry } from '../progress/state-entries';
import type { JsonObject } from '../value/json';
import type { Commit, SpooledBatch, SourceOffset } from '../ports/ports';

/** The result of a settled batch. */
export interface AcknowledgedBatch {
    readonly counters: Counters;
    readonly memos: readonly StoredStateEntry[];
    /** The records of the batch that steps hold; undefined if no step has ever held any. */
    readonly held?: SpooledBatch | undefined;
}

/** A batch's place in the line of its source. */
interface PendingOffset {
    readonly position: SourceOffset;
    /** False for the end of the source, which is not a batch. */
    readonly isBatch: boolean;
    /** The actions that the source requests once the run has succeeded. */
    readonly actions: readonly JsonObject[];
    /** Set when the batch has settled or will be held. */
    settled?: AcknowledgedBatch;
}

export interface OffsetCommitterEnv {
    commit(commit: Commit): Promise<void>;
    /** Reports that this number of additional batches is finished and durable. */
    committed(batches: number): void;
    failed(error: unknown): void;
    /** True once nothing may be written any more. */
    isClosed(): boolean;
}

/**
 * Positions commit in source order, after settlement. Batches settle in any order; the line advances over
 * those at its front that have, and hands the newest of them to the store, one write at a time.
 *
 * Invariant: a position is never committed while a batch before it has not settled.
 */
export class OffsetCommitter {
    private readonly pendingOffsets: PendingOffset[] = [];
    private writing: Promise<void> | undefined;
    private broken = false;

    constructor(
        private readonly sourceKey: string,
        private readonly env: OffsetCommitterEnv,
    ) {}

    enter(sourceOffset: SourceOffset, isBatch: boolean, actions: readonly JsonObject[] = []): PendingOffset {
        const pendingOffset: PendingOffset = { position: sourceOffset, isBatch, actions };
        this.pendingOffsets.push(pendingOffset);
        return pendingOffset;
    }

    settle(pendingOffset: PendingOffset, acknowledgedBatch: AcknowledgedBatch): void {
        pendingOffset.settled = acknowledgedBatch;
        if (!this.writing && this.pendingOffsets[0]?.settled) this.writing = this.write();
    }

    /** Resolves when everything that could be committed so far is. */
    async flush(): Promise<void> {
        await this.writing;
    }

    private async write(): Promise<void> {
        try {
            for (let settled = this.settledPrefix(); settled.length > 0; settled = this.settledPrefix()) {
                const commit = this.coalesce(settled);
                await this.env.commit(commit);
                this.env.committed(commit.batches);
            }
        } catch (error) {
            this.broken = true;
            this.env.failed(error);
        } finally {
            this.writing = undefined;
        }
    }

    /** Takes the settled tickets off the front. Takes nothing after a failed write, because a later position would leave a gap. */
    private settledPrefix(): readonly PendingOffset[] {
        if (this.broken || this.env.isClosed()) return [];
        const hole = this.pendingOffsets.findIndex(pendingOffset => !pendingOffset.settled);
        return this.pendingOffsets.splice(0, hole < 0 ? this.pendingOffsets.length : hole);
    }

    private coalesce(settled: readonly PendingOffset[]): Commit {
        const actions = settled.flatMap(pendingOffset => pendingOffset.actions);
        return {
            sourceKey: this.sourceKey,
            position: settled[settled.length - 1]!.position,
            counters: settled.reduce<Counters>(
                (sum, pendingOffset) => addCounters(sum, pendingOffset.settled!.counters),
                {},
            ),
            batches: settled.filter(pendingOffset => pendingOffset.isBatch).length,
            memos: newestEntries(settled.flatMap(pendingOffset => pendingOffset.settled!.memos)),
            held: settled.flatMap(pendingOffset => pendingOffset.settled!.held ?? []),
            ...(actions.length > 0 && { actions }),
        };
    }
}
