import type { NextRun, Page } from '../adapter/extractor';
import { type PageRow, rowsInSequence } from '../adapter/page-rows';
import type { Batch, FlowRecord } from '../data/record';
import type { SourceOffset, Reject } from '../ports/ports';
import type { JsonObject } from '../value/json';
import { SourceLocations, rejectOf } from './source-locations';

/** Records as they leave their source, with the position of the source after them. */
export interface SourceBatch {
    readonly batchNo: number;
    readonly records: Batch;
    /** Rows that are not records. Each takes a number and a place in the batch, as a record does. */
    readonly faults: readonly Reject[];
    /** The locations of its records in the source. */
    readonly places: SourceLocations;
    /** The position before this batch. */
    readonly from: SourceOffset;
    /** The position after this batch. Its `done` marks the end of the source, which is a batch without records. */
    readonly after: SourceOffset;
    /** The actions for a successful run, for the pages that were read completely with it. */
    readonly actions: readonly JsonObject[];
}

/** How pages are cut. */
export interface BatchSize {
    readonly batchSize: number;
    /** How many records a preview reads of the source. */
    readonly limit: number | undefined;
    /** Called with each record that is read; throws when all of them exceed the memory limit. */
    held?(record: JsonObject): void;
}

/** Cuts pages into batches of one size, regardless of where the pages end, and knows the position at which to resume after each. */
export class Batcher {
    private token: SourceOffset['token'];
    /** Records since the token, including skipped ones. */
    private sinceToken = 0;
    private toSkip: number;
    private seq: number;
    private batchNo: number;
    private last: SourceOffset;
    /** How many records the next batch has. */
    private due: number;
    private records: FlowRecord[] = [];
    private issues: Reject[] = [];
    private sourceLocations = new SourceLocations();
    /** What of a position does not change by records alone. */
    private said: Pick<SourceOffset, 'nextRun' | 'isPart' | 'isBegunAgain'>;
    private actions: JsonObject[] = [];

    constructor(
        private readonly key: string,
        sourceOffset: SourceOffset,
        private readonly size: BatchSize,
    ) {
        this.token = sourceOffset.token;
        this.toSkip = sourceOffset.skip;
        this.seq = sourceOffset.seq;
        this.batchNo = sourceOffset.batchNo;
        this.last = sourceOffset;
        this.due = sourceOffset.cut ?? size.batchSize;
        const { nextRun, isPart, isBegunAgain } = sourceOffset;
        this.said = { ...(nextRun && { nextRun }), ...(isPart && { isPart }), ...(isBegunAgain && { isBegunAgain }) };
    }

    get resumeFrom(): SourceOffset['token'] {
        return this.token;
    }

    /** How many records a preview still wants of the extractor, counted from the token. */
    get wanted(): number | undefined {
        return this.size.limit === undefined ? undefined : this.toSkip + this.size.limit - this.seq;
    }

    /** How many records wait for their batch to be full. */
    get pending(): number {
        return this.records.length + this.issues.length;
    }

    get isFull(): boolean {
        return this.seq === this.size.limit;
    }

    *cut(page: Page): Generator<SourceBatch, void, void> {
        const rows = rowsInSequence(page);
        let isPlaced = false;
        for (let i = 0; i < rows.length && !this.isFull; i++) {
            this.sinceToken++;
            if (this.toSkip > 0) {
                this.toSkip--;
                continue;
            }
            const row = rows[i]!;
            if (row.record && !isPlaced) this.sourceLocations.startsAt(this.records.length, row.index, page);
            isPlaced ||= row.record !== undefined;
            this.take(row);
            // The page that ends with the batch is wholly read with it.
            if (i === rows.length - 1) this.pass(page);
            if (this.pending === this.due) {
                isPlaced = false;
                yield this.batch();
            }
        }
        if (rows.length === 0 && this.toSkip === 0 && !this.isFull) this.pass(page);
        // For a page that was skipped before, everything else is already known.
        else if (!this.isFull) this.passToken(page);
    }

    *end(): Generator<SourceBatch, void, void> {
        if (this.pending > 0) yield this.batch();
        const { batchNo, last: from } = this;
        const after = { ...this.sourceOffset(), done: true };
        yield {
            batchNo,
            records: [],
            faults: [],
            places: new SourceLocations(),
            from,
            after,
            actions: this.takeActions(),
        };
    }

    /**
     * Yields the waiting records as a separate batch after the source has failed for good. The position before it contains their number. That
     * position is stored before the batch is loaded, so that a later reading from there cuts the same batch.
     */
    *rest(): Generator<SourceBatch, void, void> {
        if (this.pending === 0) return;
        this.last = { ...this.last, cut: this.pending };
        yield this.batch();
    }

    private take({ record, fault: issue }: PageRow): void {
        const seq = this.seq++;
        if (issue) this.issues.push(rejectOf(issue, this.key, seq));
        else {
            this.size.held?.(record);
            this.records.push({ data: record, origin: { seq } });
        }
    }

    private pass(page: Page): void {
        this.passToken(page);
        const { nextRun, isPart, afterSuccess = [] } = page;
        const { nextRun: before, ...said } = this.said;
        const all = { ...said, ...(isPart && { isPart }) };
        const next = nextRun ?? before;
        this.said = { ...all, ...(next && mayBegin(next, all) && { nextRun: next }) };
        for (const action of afterSuccess) this.actions.push(action);
    }

    private takeActions(): readonly JsonObject[] {
        const { actions } = this;
        this.actions = [];
        return actions;
    }

    private passToken({ checkpoint }: Page): void {
        if (checkpoint === undefined) return;
        this.token = checkpoint;
        this.sinceToken = 0;
    }

    private batch(): SourceBatch {
        const { records, issues, sourceLocations, last: from } = this;
        const batchNo = this.batchNo++;
        this.records = [];
        this.issues = [];
        this.sourceLocations = new SourceLocations();
        this.last = this.sourceOffset();
        this.due = this.size.batchSize;
        return {
            batchNo,
            records,
            faults: issues,
            places: sourceLocations,
            from,
            after: this.last,
            actions: this.takeActions(),
        };
    }

    private sourceOffset(): SourceOffset {
        const { token, sinceToken: skip, batchNo, seq, said } = this;
        return { token, skip, batchNo, seq, done: false, ...said };
    }
}

/** Whether the next run may begin there: after a partial reading, only if everything before it was read. */
function mayBegin(nextRun: NextRun, { isPart }: Pick<SourceOffset, 'isPart'>): boolean {
    return isPart === undefined || nextRun === 'beginning' || nextRun.evenIfPart === true;
}
