import { checkpointRejected, type ExtractContext, type Page } from '../../core/adapter/extractor';
import type { OutboundRequest } from '../../core/adapter/http';
import type { OutboundStream, OutboundStreamRequest } from '../../core/adapter/outbound';
import { FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { RecordPage } from '../../io/formats/source';
import {
    type ResponseChunks,
    type ResponseReader,
    type ResponseReading,
    responseReader,
    WHOLE_BYTES,
} from './api-response';
import { type Following, incompleteReasonOf, PageLine, type Paging, type ReadPage } from './api-paging';
import { digestAfter, type PagePosition, readPagePosition, storedPagePosition } from './page-position';
import type { Incremental } from './incremental';
import { convertRecords, countPageRows, NOTHING, withPageLocation, type RecordOf } from './page-records';
import { yieldToEventLoop } from './paging';

/**
 * The longest time for a response that is too long to be held, including the work of its reader. A run returns its slot
 * long before.
 */
const LONGEST_MS = 30 * 60_000;
/** The maximum number of characters of an address in a message. */
const MAX_PATH = 200;
/** Statuses with which servers reject a cursor that they issued earlier. */
const REFUSALS: readonly unknown[] = [400, 404, 410, 422];

/** A request for a page, without the fields that all requests share. */
export type PageRequest = Pick<OutboundRequest, 'url' | 'method' | 'body'>;

/** An API that records are read from page by page. */
export interface ApiSource {
    readonly paging: Paging;
    readonly reading: ResponseReading;
    readonly incremental?: Incremental | undefined;
    /** The fields that all requests share. */
    readonly common: Pick<
        OutboundRequest,
        'headers' | 'auth' | 'originLock' | 'attempts' | 'perSecond' | 'busyIn' | 'reasonIn'
    > & {
        readonly timeoutMs: number;
        readonly expected?: readonly number[];
    };
    /**
     * Statuses that mean that there is no such page, on pages after the first; undefined if they cannot be configured.
     */
    readonly endStatus?: readonly number[];
    /**
     * Responses up to this number of bytes are checked as a whole before any record is yielded. Default: `WHOLE_BYTES`.
     */
    readonly wholeUpTo?: number;
    /** `limit`: the number of records to request. */
    request(position: PagePosition, limit: number): PageRequest;
    readonly recordOf?: RecordOf;
}

/** Pages of an API. Each page is requested while the previous one is processed, and at most one page ahead. */
export async function* apiPages(source: ApiSource, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const reading = new ApiReading(source, cx);
    try {
        yield* reading.pages();
    } finally {
        await reading.leave();
    }
}

class ApiReading {
    private readonly line: PageLine;
    private readonly left = new AbortController();
    private readonly partsOf: ResponseReader;
    /** The fields that all of its requests share. */
    private readonly shared: Omit<OutboundStreamRequest, keyof PageRequest>;
    /** How many records are still wanted. */
    private desired: number;
    /** The response that is being received, and its position. */
    private coming: Promise<OutboundStream> | undefined;
    private host = '';
    private requested = '';
    /**
     * A page that repeats the previous one, and the position after it. It is yielded once a different page follows,
     * because it is then not the end.
     */
    private doubted: { readonly part: RecordPage; readonly after: PagePosition } | undefined;

    constructor(
        private readonly source: ApiSource,
        private readonly cx: ExtractContext,
    ) {
        this.line = new PageLine(source.paging, cx.log);
        this.partsOf = responseReader(source.reading, cx);
        const { timeoutMs, ...common } = source.common;
        this.shared = {
            ...common,
            idleMs: timeoutMs,
            totalMs: Math.max(timeoutMs, LONGEST_MS),
            wholeUpTo: source.wholeUpTo ?? WHOLE_BYTES,
            // Requests only read, whatever their method.
            isRepeatable: true,
            signal: AbortSignal.any([cx.signal, this.left.signal]),
        };
        this.desired = cx.limit ?? Infinity;
    }

    async *pages(): AsyncGenerator<Page, void, void> {
        const { cx, source } = this;
        const stored = readPagePosition(cx.resumeFrom);
        if (stored.isDone) return void (yield* told(stored));
        const start = source.incremental?.begun(stored, cx.clock) ?? stored;
        // The page size stays the same, because page numbers depend on it.
        const fewer = cx.limit === undefined ? undefined : Math.max(1, Math.min(cx.limit, source.paging.limit));
        let place: PagePosition | undefined = { ...start, limit: start.limit ?? fewer };
        try {
            for (let isResumed = cx.resumeFrom !== undefined; place; isResumed = false)
                place = yield* this.page(place, isResumed);
        } catch (error) {
            if (!this.shared.signal.aborted) yield* this.doubtedPage();
            throw error;
        }
    }

    /** Closes the pending response. */
    async leave(): Promise<void> {
        this.left.abort(new Error('The reading of the API was left.'));
        const stream = await this.coming?.catch(() => undefined);
        stream?.close();
    }

    private async *page(
        requested: PagePosition,
        isResumed: boolean,
    ): AsyncGenerator<Page, PagePosition | undefined, void> {
        let stream: OutboundStream | undefined;
        let parts: ResponseChunks | undefined;
        try {
            stream = await this.answer(requested);
            const place = this.source.incremental?.answered(requested, stream.headers) ?? requested;
            if (this.isEnd(stream.status, requested)) {
                yield* this.doubtedPage();
                return yield* this.theEnd({ ...place, ...this.line.endedBy(stream.status, place) });
            }
            parts = this.partsOf({ stream, host: this.host, page: place.page, skip: place.skip });
            return yield* this.partsOfPage(parts, { headers: stream.headers, place });
        } catch (error) {
            const told = stream && stream.status >= 400 ? this.located(error, requested) : error;
            throw isResumed ? this.rejected(told, requested) : told;
        } finally {
            await parts?.return(undefined);
            stream?.close();
        }
    }

    /**
     * Yields the records of the page. The last chunk is yielded once the next position is known and its page is
     * requested. Returns that position.
     */
    private async *partsOfPage(
        chunks: ResponseChunks,
        { headers, place }: Pick<ReadPage, 'headers' | 'place'>,
    ): AsyncGenerator<Page, PagePosition | undefined, void> {
        const { host } = this;
        const { maxPages } = this.source.paging;
        let fingerprint = place.current;
        let held: RecordPage | undefined;
        let around: ReadPage['around'];
        const handOn = (part: RecordPage): Promise<Page> =>
            this.handedOn(part, { ...place, skip: part.rows, current: fingerprint });
        try {
            let part = await chunks.next();
            for (; !part.done; part = await chunks.next()) {
                if (held) {
                    yield* this.doubtedPage();
                    // The page after the last allowed one is requested as well, because only an empty page is the end.
                    if (place.page > maxPages) break;
                    yield await handOn(held);
                }
                if (this.desired <= 0) return undefined;
                if (this.line.needsDigests) fingerprint = digestAfter(fingerprint, part.value);
                held = this.recordsOf(part.value, place);
            }
            around = part.done ? part.value : undefined;
        } catch (error) {
            // Yield what was read of a page before the rest failed.
            if (held && place.page <= maxPages && !this.shared.signal.aborted) {
                yield* this.doubtedPage();
                yield await handOn(held);
            }
            throw error;
        }
        const rows = held?.rows ?? place.skip;
        const page: ReadPage = { place, host, rows, fingerprint, around, headers, last: held?.records.at(-1) };
        const isRepeat = this.line.isRepeat(page);
        if (!isRepeat) yield* this.doubtedPage();
        if (!isRepeat && rows > 0 && place.page > maxPages) throw tooManyPages(maxPages);
        return yield* this.lastPart(page, { held, isRepeat });
    }

    private async *lastPart(
        page: ReadPage,
        { held, isRepeat }: { readonly held: RecordPage | undefined; readonly isRepeat: boolean },
    ): AsyncGenerator<Page, PagePosition | undefined, void> {
        const { place, rows, fingerprint } = page;
        const { maxPages } = this.source.paging;
        // This also applies after the last page of a step test, which reports a path that leads to nothing.
        let following: Following;
        try {
            following = this.line.following(page);
        } catch (thrown) {
            if (held) yield await this.handedOn(held, { ...place, skip: rows, current: fingerprint });
            throw thrown;
        }
        const { next, error, counted } = following;
        if (held && countPageRows(held) >= this.desired)
            return void (yield await this.handedOn(held, { ...place, skip: rows, current: fingerprint }));
        // The page is empty and says that there is more. A repeated page ends the reading by itself.
        if (next && !isRepeat && place.page > maxPages) throw tooManyPages(maxPages);
        if (next) this.ask(next);
        // The beginning of a longer page has been yielded by now.
        if (isRepeat && held && countPageRows(held) === rows) {
            // If the page repeats once more, that is the end; the pending page is the last one again.
            this.doubted = next && { part: held, after: { ...next, repeats: 0 } };
            if (next) return next;
            held = undefined;
        }
        if (next) {
            if (held || this.source.incremental) yield await this.handedOn(held, next);
            return next;
        }
        const end = { ...place, ...counted, skip: rows, isDone: !error };
        if (error) {
            if (held || this.source.incremental) yield await this.handedOn(held, end);
            throw error;
        }
        return yield* this.theEnd(end, held);
    }

    /** The last records, and why they are not all. */
    private async *theEnd(position: PagePosition, held?: RecordPage): AsyncGenerator<Page, undefined, void> {
        const end = { ...position, isDone: true };
        if (held || this.source.incremental) yield await this.handedOn(held, end);
        yield* told(end);
    }

    /** Yields the page that repeated the previous one, now that a different page follows. */
    private async *doubtedPage(): AsyncGenerator<Page, void, void> {
        const { doubted } = this;
        this.doubted = undefined;
        if (doubted) yield await this.handedOn(doubted.part, doubted.after);
    }

    /** With several pages, locations name the page as well. */
    private recordsOf(part: RecordPage, { page }: PagePosition): RecordPage {
        const { paging, recordOf } = this.source;
        const placed = paging.by === 'nothing' ? part : withPageLocation(page, part);
        return recordOf ? convertRecords(placed, recordOf) : placed;
    }

    private isEnd(status: number, { page }: PagePosition): boolean {
        return page > 1 && this.source.paging.by === 'numbers' && this.source.endStatus?.includes(status) === true;
    }

    private async handedOn(part: RecordPage = NOTHING, position: PagePosition): Promise<Page> {
        await yieldToEventLoop(this.cx);
        const { records, faults: issues, placeOf } = part;
        this.desired -= countPageRows(part);
        const page = { records, checkpoint: storedPagePosition(position), placeOf };
        if (issues.length === 0 && !this.source.incremental) return page;
        return {
            ...page,
            ...(issues.length > 0 && { faults: issues }),
            ...(this.source.incremental && { nextRun: { from: { since: position.next! } } }),
        };
    }

    private ask(position: PagePosition): void {
        const { url, method, body } = this.source.request(position, position.limit ?? this.source.paging.limit);
        // Further pages keep the origin of the first.
        this.host ||= new URL(url).host;
        this.requested = url;
        this.coming = this.cx.outbound.stream.open({ ...this.shared, url, method, body });
        // Errors are thrown where the response is awaited. If reading stops before that, nothing awaits it.
        this.coming.catch(() => undefined);
    }

    private async answer(position: PagePosition): Promise<OutboundStream> {
        if (!this.coming) this.ask(position);
        try {
            return await this.coming!;
        } catch (error) {
            throw this.located(error, position);
        } finally {
            this.coming = undefined;
        }
    }

    /**
     * Adds the page that was requested. The query of the address is left out, because it may contain confidential
     * values.
     */
    private located(error: unknown, { page }: PagePosition): unknown {
        if (!isFlowError(error) || this.shared.signal.aborted) return error;
        const of = this.source.paging.by === 'nothing' ? '' : `page ${page} of `;
        const { pathname } = new URL(this.requested);
        const { cause, waitMs, details } = error;
        const message = `${error.message} This was for ${of}${pathname.slice(0, MAX_PATH)}.${this.endAdvice(details?.['status'], page)}`;
        const facts = { cause, ...(waitMs !== undefined && { waitMs }), ...(details && { details }) };
        return new FlowError(error.code, message, facts);
    }

    /** If a page after the first is not found, the server may report the end in this way. */
    private endAdvice(status: unknown, page: number): string {
        const { paging, endStatus } = this.source;
        if (page === 1 || paging.by !== 'numbers' || !endStatus || (status !== 404 && status !== 400)) return '';
        return ` If the server answers ${status} after its last page, set pagination.endStatus to [${status}].`;
    }

    /** A cursor that was valid when the run stopped may have expired. */
    private rejected(error: unknown, { at, page }: PagePosition): unknown {
        const { status, isRefusal } = (isFlowError(error) && error.details) || {};
        const isOfCursor = this.source.paging.by === 'cursors' && at !== undefined;
        if (!isOfCursor || (isRefusal !== true && !REFUSALS.includes(status))) return error;
        return checkpointRejected(`its server does not take the cursor of page ${page} any more (${String(status)})`);
    }
}

/** Reports why the reading is incomplete; once more if another worker resumes after the last page. */
function* told(position: PagePosition): Generator<Page, void, void> {
    const isPart = incompleteReasonOf(position);
    if (isPart !== undefined) yield { records: [], checkpoint: storedPagePosition(position), isPart };
}

function tooManyPages(pages: number): Error {
    return flowError('PAGE_LIMIT', { pages, field: 'pagination.maxPages' });
}
