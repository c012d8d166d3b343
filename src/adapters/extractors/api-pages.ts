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

/** For all of an answer that is too long to be held, its reader's work included; a run gives its slot back long before. */
const LONGEST_MS = 30 * 60_000;
/** Of an address, in a message. */
const MAX_PATH = 200;
/** Statuses by which servers refuse a cursor that they have given before. */
const REFUSALS: readonly unknown[] = [400, 404, 410, 422];

/** A request for a page, but for what is the same for all. */
export type PageRequest = Pick<OutboundRequest, 'url' | 'method' | 'body'>;

/** An API that records are read from page by page. */
export interface ApiSource {
    readonly paging: Paging;
    readonly reading: ResponseReading;
    readonly incremental?: Incremental | undefined;
    /** What all requests have alike. */
    readonly common: Pick<
        OutboundRequest,
        'headers' | 'auth' | 'originLock' | 'attempts' | 'perSecond' | 'busyIn' | 'reasonIn'
    > & {
        readonly timeoutMs: number;
        readonly expected?: readonly number[];
    };
    /** Statuses by which the server says that there is no such page, of pages after the first; undefined where none can be set. */
    readonly endStatus?: readonly number[];
    /** An answer is judged as a whole up to so many bytes before any of it is handed on; as long as is usual where absent. */
    readonly wholeUpTo?: number;
    /** `limit`: how many records are asked for. */
    request(position: PagePosition, limit: number): PageRequest;
    readonly recordOf?: RecordOf;
}

/** Pages of an API: each is asked for while the one before is worked on, and no more than one ahead. */
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
    /** What its requests have alike. */
    private readonly shared: Omit<OutboundStreamRequest, keyof PageRequest>;
    /** How many records are still wanted. */
    private desired: number;
    /** The answer that is on its way, and from where. */
    private coming: Promise<OutboundStream> | undefined;
    private host = '';
    private requested = '';
    /** A page that is the one before again, and where to go on after it. It is handed on once another page comes: then it is no sign of the end. */
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
            // Whatever its method, it reads.
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
        // Pages keep their size, since their numbers depend on it.
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

    /** Closes what is on its way. */
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

    /** Hands on the page's records, the last of them when it is known what follows, and asked for. Answers where that is. */
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
                    // The page behind the last one that is allowed is looked at, since only an empty one is an end.
                    if (place.page > maxPages) break;
                    yield await handOn(held);
                }
                if (this.desired <= 0) return undefined;
                if (this.line.needsDigests) fingerprint = digestAfter(fingerprint, part.value);
                held = this.recordsOf(part.value, place);
            }
            around = part.done ? part.value : undefined;
        } catch (error) {
            // What was read of a page before the rest of it failed.
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
        // Also behind the last page that a step test shows: what a path does not lead to is told there.
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
        // Empty, and says that there is more; a repeated page ends by itself.
        if (next && !isRepeat && place.page > maxPages) throw tooManyPages(maxPages);
        if (next) this.ask(next);
        // Of a longer page the beginning is handed on by now.
        if (isRepeat && held && countPageRows(held) === rows) {
            // Another time is the end: what waits is the last page twice more.
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

    /** The page that was the one before again, now that another one has come. */
    private async *doubtedPage(): AsyncGenerator<Page, void, void> {
        const { doubted } = this;
        this.doubted = undefined;
        if (doubted) yield await this.handedOn(doubted.part, doubted.after);
    }

    /** Where there are pages, places are told by them. */
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
        // Its pages keep the origin of the first.
        this.host ||= new URL(url).host;
        this.requested = url;
        this.coming = this.cx.outbound.stream.open({ ...this.shared, url, method, body });
        // What goes wrong is told to whoever takes the answer; nobody does where the reading is left.
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

    /** With the page that it came instead of. The query of its address is left out: it may hold what is nobody's business. */
    private located(error: unknown, { page }: PagePosition): unknown {
        if (!isFlowError(error) || this.shared.signal.aborted) return error;
        const of = this.source.paging.by === 'nothing' ? '' : `page ${page} of `;
        const { pathname } = new URL(this.requested);
        const { cause, waitMs, details } = error;
        const message = `${error.message} This was for ${of}${pathname.slice(0, MAX_PATH)}.${this.endAdvice(details?.['status'], page)}`;
        const facts = { cause, ...(waitMs !== undefined && { waitMs }), ...(details && { details }) };
        return new FlowError(error.code, message, facts);
    }

    /** Where a page after the first is not found, that may be the server's way to say that there is none. */
    private endAdvice(status: unknown, page: number): string {
        const { paging, endStatus } = this.source;
        if (page === 1 || paging.by !== 'numbers' || !endStatus || (status !== 404 && status !== 400)) return '';
        return ` If the server answers ${status} after its last page, set pagination.endStatus to [${status}].`;
    }

    /** A cursor that was good when the run was left may not be any more. */
    private rejected(error: unknown, { at, page }: PagePosition): unknown {
        const { status, isRefusal } = (isFlowError(error) && error.details) || {};
        const isOfCursor = this.source.paging.by === 'cursors' && at !== undefined;
        if (!isOfCursor || (isRefusal !== true && !REFUSALS.includes(status))) return error;
        return checkpointRejected(`its server does not take the cursor of page ${page} any more (${String(status)})`);
    }
}

/** Why what was read is not all that there is; once more to whoever goes on behind the last page. */
function* told(position: PagePosition): Generator<Page, void, void> {
    const isPart = incompleteReasonOf(position);
    if (isPart !== undefined) yield { records: [], checkpoint: storedPagePosition(position), isPart };
}

function tooManyPages(pages: number): Error {
    return flowError('PAGE_LIMIT', { pages, field: 'pagination.maxPages' });
}
