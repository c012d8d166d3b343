import type { AdapterContext } from '../adapter/context';
import type { ExtractContext, Extractor, Page, SavedCheckpoint } from '../adapter/extractor';
import { ownLine } from '../adapter/own-line';
import { type PageRow, rowsInOrder } from '../adapter/page-rows';
import type { JsonObject } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import { isFlowError } from '../errors/flow-error';
import type { Position, Reject } from '../ports/ports';
import { whenAborted } from '../work/abort';
import { Places, rejectOf } from './places';

/** Some records as they leave their source, and how far the source is read with them. */
export interface SourceBatch {
    readonly batchNo: number;
    readonly records: Batch;
    /** Rows that were no records. Each takes a number and a place in the batch, as a record does. */
    readonly faults: readonly Reject[];
    /** Where its records stand at the source. */
    readonly places: Places;
    /** The position before this batch. */
    readonly from: Position;
    /** The position after this batch. Its `done` marks the end of the source, which is a batch without records. */
    readonly after: Position;
    /** What is to be done once the run has succeeded, of the pages that are wholly read with it. */
    readonly actions: readonly JsonObject[];
}

/** How often a source is still opened again. */
export interface SourceRetries {
    /** Waits until it is time for the next try; throws the error on when there is none. `batchNo`: what the source is to read next. */
    wait(error: unknown, batchNo: number): Promise<void>;
    /** The source got on: the next failure is a new one. */
    reset(): void;
}

export interface ReadEnv {
    readonly retries: SourceRetries;
    /** Ends the reading: the run stops, or its slice is over. */
    readonly stop: AbortSignal;
    readonly adapter: AdapterContext;
    /** Hears how long the source took for a page. */
    took(ms: number): void;
    /** Where the source goes on when the other side refuses the checkpoint at this position. */
    beginAgain(position: Position): Position;
    /** Hears why its pages are not all that the source has. */
    isPart(why: string): void;
    /** Actions of earlier runs that are not done yet. */
    readonly pendingActions?: () => Promise<readonly JsonObject[]>;
}

/** A source of records: an extractor whose pages are cut into batches. */
export interface SourceStep {
    readonly key: string;
    /** Where its position outlives the run, and under which key; undefined where it does not. */
    saved?(cx: AdapterContext): Promise<SavedCheckpoint | undefined>;
    readonly isPart?: boolean; // It reads no more than that of what there is.
    /** Does what its pages have asked for, now that the run has succeeded; undefined where they ask for nothing. */
    afterSuccess?(actions: readonly JsonObject[], cx: AdapterContext): Promise<void>;
    readonly actsAfterCompletion?: boolean; // What its pages ask for is not the business of the run.
    read(from: Position, env: ReadEnv): AsyncGenerator<SourceBatch, void, void>;
}

export interface Cut {
    readonly batchSize: number;
    /** How many records a preview reads of the source. */
    readonly limit: number | undefined;
    /** Hears of each record that is read, and throws where all of them are too much to be held. */
    held?(record: JsonObject): void;
}

/** Where every source begins. */
export const START: Position = { token: undefined, skip: 0, batchNo: 0, seq: 0, done: false };

const CLOSING_MS = 1_000;

/** An extractor with its configuration. */
export interface SourceReading extends Pick<SourceStep, 'saved' | 'afterSuccess' | 'actsAfterCompletion' | 'isPart'> {
    extract(cx: ExtractContext): ReturnType<Extractor['extract']>;
}

export function extractStep(key: string, { extract, ...more }: SourceReading, cut: Cut): SourceStep {
    return {
        key,
        ...more,
        /** A transient failure opens the extractor again where the last batch ended; what was read since is read again. */
        async *read(from, env) {
            let position = from;
            for (;;) {
                const cutter = new Cutter(key, position, cut);
                try {
                    for await (const batch of cutAll(extract, cutter, env)) {
                        position = batch.after;
                        env.retries.reset();
                        yield batch;
                    }
                    return;
                } catch (error) {
                    if (env.stop.aborted) return;
                    if (mayBeginAgain(error, position)) {
                        position = env.beginAgain(position);
                        continue;
                    }
                    await waitUnlessStopped(error, position.batchNo, env);
                    if (env.stop.aborted) return;
                }
            }
        },
    };
}

/** A source that refuses its own beginning, or what it has given since it was begun again, has nowhere to go on. */
function mayBeginAgain(error: unknown, { token, isBegunAgain }: Position): boolean {
    return isFlowError(error) && error.code === 'CHECKPOINT_REFUSED' && token !== undefined && !isBegunAgain;
}

async function waitUnlessStopped(error: unknown, batchNo: number, { retries, stop }: ReadEnv): Promise<void> {
    try {
        await retries.wait(error, batchNo);
    } catch (failure) {
        // A wait that was cut short is no failure of the source.
        if (!stop.aborted) throw failure;
    }
}

async function* cutAll(
    extract: (cx: ExtractContext) => ReturnType<Extractor['extract']>,
    cutter: Cutter,
    { stop, adapter, took, isPart, pendingActions }: ReadEnv,
): AsyncGenerator<SourceBatch, void, void> {
    const closing = new AbortController();
    const close = (): void => closing.abort(stop.reason);
    const unlisten = whenAborted(stop, close);
    const pages = extract({
        ...adapter,
        signal: closing.signal,
        resumeFrom: cutter.resumeFrom,
        limit: cutter.wanted,
        ...(pendingActions && { pendingActions }),
    });
    try {
        while (!cutter.isFull) {
            const askedAt = adapter.clock.now();
            const page = await unlessStopped(pages.next(), stop);
            took(adapter.clock.now() - askedAt);
            if (page === STOPPED) return;
            if (page.done) break;
            if (page.value.isPart !== undefined) isPart(page.value.isPart);
            yield* cutter.cut(page.value);
        }
        yield* cutter.end();
    } finally {
        unlisten();
        if (stop.aborted) close();
        await leave(pages, adapter);
    }
}

const STOPPED: unique symbol = Symbol('stopped');

function unlessStopped<T>(promise: Promise<T>, stop: AbortSignal): Promise<T | typeof STOPPED> {
    return new Promise((resolve, reject) => {
        if (stop.aborted) resolve(STOPPED);
        const unlisten = whenAborted(stop, () => resolve(STOPPED));
        promise.then(resolve, reject).finally(unlisten);
    });
}

/** Ends the generator, so that its `finally` runs; one that does not end is left to itself after a second. */
async function leave(pages: AsyncGenerator<Page, void, void>, { clock, log }: AdapterContext): Promise<void> {
    const left = new AbortController();
    const closed = pages.return().then(
        () => undefined,
        (error: unknown) => ownLine(log, 'WARN', 'The source could not be closed.', { problem: String(error) }),
    );
    const late = clock.sleep(CLOSING_MS, left.signal).catch(() => undefined); // rejects because the wait was not needed
    await Promise.race([closed, late]);
    left.abort();
}

/** Cuts pages into batches of one size wherever the pages end, and knows where to go on after each. */
class Cutter {
    private token: Position['token'];
    /** Records since the token, those that were skipped included. */
    private sinceToken = 0;
    private toSkip: number;
    private seq: number;
    private batchNo: number;
    private last: Position;
    private records: FlowRecord[] = [];
    private faults: Reject[] = [];
    private places = new Places();
    /** What of a position does not change by records alone. */
    private said: Pick<Position, 'nextRun' | 'isPart' | 'isBegunAgain'>;
    private actions: JsonObject[] = [];

    constructor(
        private readonly key: string,
        position: Position,
        private readonly size: Cut,
    ) {
        this.token = position.token;
        this.toSkip = position.skip;
        this.seq = position.seq;
        this.batchNo = position.batchNo;
        this.last = position;
        const { nextRun, isPart, isBegunAgain } = position;
        this.said = { ...(nextRun && { nextRun }), ...(isPart && { isPart }), ...(isBegunAgain && { isBegunAgain }) };
    }

    get resumeFrom(): Position['token'] {
        return this.token;
    }

    /** How many records a preview still wants of the extractor, counted from the token. */
    get wanted(): number | undefined {
        return this.size.limit === undefined ? undefined : this.toSkip + this.size.limit - this.seq;
    }

    get isFull(): boolean {
        return this.seq === this.size.limit;
    }

    *cut(page: Page): Generator<SourceBatch, void, void> {
        const rows = rowsInOrder(page);
        let isPlaced = false;
        for (let i = 0; i < rows.length && !this.isFull; i++) {
            this.sinceToken++;
            if (this.toSkip > 0) {
                this.toSkip--;
                continue;
            }
            const row = rows[i]!;
            if (row.record && !isPlaced) this.places.startsAt(this.records.length, row.index, page);
            isPlaced ||= row.record !== undefined;
            this.take(row);
            // The page that ends with the batch is wholly read with it.
            if (i === rows.length - 1) this.pass(page);
            if (this.records.length + this.faults.length === this.size.batchSize) {
                isPlaced = false;
                yield this.batch();
            }
        }
        if (rows.length === 0 && this.toSkip === 0 && !this.isFull) this.pass(page);
        // Of one that was passed over before, all else that it says is known.
        else if (!this.isFull) this.passToken(page);
    }

    *end(): Generator<SourceBatch, void, void> {
        if (this.records.length + this.faults.length > 0) yield this.batch();
        const { batchNo, last: from } = this;
        const after = { ...this.position(), done: true };
        yield { batchNo, records: [], faults: [], places: new Places(), from, after, actions: this.takeActions() };
    }

    private take({ record, fault }: PageRow): void {
        const seq = this.seq++;
        if (fault) this.faults.push(rejectOf(fault, this.key, seq));
        else {
            this.size.held?.(record);
            this.records.push({ data: record, origin: { seq } });
        }
    }

    private pass(page: Page): void {
        this.passToken(page);
        const { nextRun, isPart, afterSuccess = [] } = page;
        this.said = { ...this.said, ...(nextRun && { nextRun }), ...(isPart && { isPart }) };
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
        const { records, faults, places, last: from } = this;
        const batchNo = this.batchNo++;
        this.records = [];
        this.faults = [];
        this.places = new Places();
        this.last = this.position();
        return { batchNo, records, faults, places, from, after: this.last, actions: this.takeActions() };
    }

    private position(): Position {
        const { token, sinceToken: skip, batchNo, seq, said } = this;
        return { token, skip, batchNo, seq, done: false, ...said };
    }
}
