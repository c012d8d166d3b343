import type { AdapterContext } from '../adapter/context';
import type { ExtractContext, Extractor, Page, SavedCheckpoint } from '../adapter/extractor';
import { logEvent } from '../adapter/log-event';
import type { JsonObject } from '../value/json';
import { asFlowError, type FlowError, isFlowError } from '../errors/flow-error';
import type { SourceOffset } from '../ports/ports';
import { endOf } from '../progress/outcome';
import { onAbort } from '../concurrency/abort';
import { type BatchSize, Batcher, type SourceBatch } from './batcher';

/** How often a source is still opened again. */
interface SourceRetries {
    /**
     * Waits until the next attempt; throws the error if there is none. `batchNo`: the batch that the source reads next.
     */
    wait(error: unknown, batchNo: number): Promise<void>;
    /** The source got on: the next failure is a new one. */
    reset(): void;
}

export interface SourceReadEnv {
    readonly retries: SourceRetries;
    /** Ends the reading: the run stops, or its slice is over. */
    readonly stop: AbortSignal;
    readonly adapter: AdapterContext;
    /** Called with the time that the source took for a page. */
    took(ms: number): void;
    /** The position at which the source resumes when the other system rejects the checkpoint of this position. */
    beginAgain(sourceOffset: SourceOffset): SourceOffset;
    /** Called with the reason why its pages are not everything that the source has. */
    isPart(why: string): void;
    /** Actions of earlier runs that are not done yet. */
    readonly pendingActions?: () => Promise<readonly JsonObject[]>;
}

/** A source of records: an extractor whose pages are cut into batches. */
export interface SourceStep {
    readonly key: string;
    /** Whether its position outlives the run, and under which key; undefined if it does not. */
    saved?(cx: AdapterContext): Promise<SavedCheckpoint | undefined>;
    readonly isPart?: boolean; // It reads only a part of the source.
    /** Runs the actions that its pages requested, after the run has succeeded; undefined if its pages request none. */
    afterSuccess?(actions: readonly JsonObject[], cx: AdapterContext): Promise<void>;
    readonly actsAfterCompletion?: boolean; // What its pages ask for is not the business of the run.
    read(from: SourceOffset, env: SourceReadEnv): AsyncGenerator<SourceBatch, void, void>;
}

/** Where every source begins. */
export const START: SourceOffset = { token: undefined, skip: 0, batchNo: 0, seq: 0, done: false };

const CLOSING_MS = 1_000;

/** An extractor with its configuration. */
interface SourceReading extends Pick<SourceStep, 'saved' | 'afterSuccess' | 'actsAfterCompletion' | 'isPart'> {
    extract(cx: ExtractContext): ReturnType<Extractor['extract']>;
}

export function extractStep(key: string, { extract, ...more }: SourceReading, batchSize: BatchSize): SourceStep {
    return {
        key,
        ...more,
        /**
         * A transient failure opens the extractor again at the end of the last batch, and what was read since then is read again. When no retry is
         * left, the records read so far are passed on.
         */
        async *read(from, env) {
            let position = from;
            // Of the tries since the last batch, the one that has read most.
            let furthest: Batcher | undefined;
            for (;;) {
                const batcher = new Batcher(key, position, batchSize);
                try {
                    for await (const batch of cutAll(extract, batcher, env)) {
                        position = batch.after;
                        furthest = undefined;
                        env.retries.reset();
                        yield batch;
                    }
                    return;
                } catch (error) {
                    if (env.stop.aborted) return;
                    if (mayBeginAgain(error, position)) {
                        position = env.beginAgain(position);
                        furthest = undefined;
                        continue;
                    }
                    if (!furthest || batcher.pending > furthest.pending) furthest = batcher;
                    const failure = await failureOf(error, position.batchNo, env);
                    if (env.stop.aborted) return;
                    if (failure === undefined) continue;
                    if (endOf(failure) === 'FAILED') yield* furthest.rest();
                    throw failure;
                }
            }
        },
    };
}

/** Returns whether the source may start again. A source cannot if it rejects its own beginning, or a checkpoint that it issued after a restart. */
function mayBeginAgain(error: unknown, { token, isBegunAgain }: SourceOffset): boolean {
    return isFlowError(error) && error.code === 'CHECKPOINT_REFUSED' && token !== undefined && !isBegunAgain;
}

/**
 * Waits for the next attempt; returns the error if there is none. If the wait ends because the run stops, that is not
 * an error of the source.
 */
function failureOf(error: unknown, batchNo: number, { retries }: SourceReadEnv): Promise<FlowError | undefined> {
    return retries.wait(error, batchNo).then(() => undefined, asFlowError);
}

async function* cutAll(
    extract: (cx: ExtractContext) => ReturnType<Extractor['extract']>,
    batcher: Batcher,
    { stop, adapter, took, isPart, pendingActions }: SourceReadEnv,
): AsyncGenerator<SourceBatch, void, void> {
    const closing = new AbortController();
    const close = (): void => closing.abort(stop.reason);
    const unlisten = onAbort(stop, close);
    const pages = extract({
        ...adapter,
        signal: closing.signal,
        resumeFrom: batcher.resumeFrom,
        limit: batcher.wanted,
        ...(pendingActions && { pendingActions }),
    });
    try {
        while (!batcher.isFull) {
            const askedAt = adapter.clock.now();
            const page = await unlessStopped(pages.next(), stop);
            took(adapter.clock.now() - askedAt);
            if (page === STOPPED) return;
            if (page.done) break;
            if (page.value.isPart !== undefined) isPart(page.value.isPart);
            yield* batcher.cut(page.value);
        }
        yield* batcher.end();
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
        const unlisten = onAbort(stop, () => resolve(STOPPED));
        promise.then(resolve, reject).finally(unlisten);
    });
}

/** Ends the generator, so that its `finally` runs; one that does not end is left to itself after a second. */
async function leave(pages: AsyncGenerator<Page, void, void>, { clock, log }: AdapterContext): Promise<void> {
    const left = new AbortController();
    const closed = pages.return().then(
        () => undefined,
        (error: unknown) => logEvent(log, 'SOURCE_NOT_CLOSED', { problem: String(error) }),
    );
    const late = clock.sleep(CLOSING_MS, left.signal).catch(() => undefined); // rejects because the wait was not needed
    await Promise.race([closed, late]);
    left.abort();
}
