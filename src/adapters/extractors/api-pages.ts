import { checkpointRefused, type ExtractContext, type Page, type PageFault } from '../../core/adapter/extractor';
import type { OutboundRequest } from '../../core/adapter/http';
import type { OutboundStream, OutboundStreamRequest } from '../../core/adapter/outbound';
import { rowsInOrder } from '../../core/adapter/page-rows';
import { FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import type { RecordPage } from '../../io/formats/source';
import { type AnswerParts, type AnswerReader, type AnswerReading, answerReader, WHOLE_BYTES } from './api-answer';
import { lackOfPlaces, PageLine, type Paging, type ReadPage } from './api-paging';
import { fingerprintOf, type PagePlace, readPagePlace, storedPagePlace } from './api-place';
import type { Incremental } from './incremental';
import { breathe } from './paging';

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
    readonly reading: AnswerReading;
    readonly incremental?: Incremental | undefined;
    /** What all requests have alike. */
    readonly common: Pick<OutboundRequest, 'headers' | 'auth' | 'originLock' | 'attempts' | 'perSecond' | 'busyIn'> & {
        readonly timeoutMs: number;
        readonly expected?: readonly number[];
    };
    /** An answer is judged as a whole up to so many bytes before any of it is handed on; as long as is usual where absent. */
    readonly wholeUpTo?: number;
    /** `limit`: how many records are asked for. */
    request(place: PagePlace, limit: number): PageRequest;
    /** What a record is; a text is why it is none, undefined passes it over. */
    recordOf?(record: JsonObject): JsonObject | string | undefined;
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
    private readonly partsOf: AnswerReader;
    /** What its requests have alike. */
    private readonly shared: Omit<OutboundStreamRequest, keyof PageRequest>;
    /** How many records are still wanted. */
    private wanted: number;
    /** The answer that is on its way, and from where. */
    private coming: Promise<OutboundStream> | undefined;
    private host = '';
    private asked = '';

    constructor(
        private readonly source: ApiSource,
        private readonly cx: ExtractContext,
    ) {
        this.line = new PageLine(source.paging, cx.log);
        this.partsOf = answerReader(source.reading, cx);
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
        this.wanted = cx.limit ?? Infinity;
    }

    async *pages(): AsyncGenerator<Page, void, void> {
        const { cx, source } = this;
        const stored = readPagePlace(cx.resumeFrom);
        if (stored.isDone) return void (yield* told(stored));
        const start = source.incremental?.begun(stored, cx.clock) ?? stored;
        // Pages keep their size, since their numbers depend on it.
        const fewer = cx.limit === undefined ? undefined : Math.max(1, Math.min(cx.limit, source.paging.limit));
        let place: PagePlace | undefined = { ...start, limit: start.limit ?? fewer };
        for (let isResumed = cx.resumeFrom !== undefined; place; isResumed = false)
            place = yield* this.page(place, isResumed);
    }

    /** Closes what is on its way. */
    async leave(): Promise<void> {
        this.left.abort(new Error('The reading of the API was left.'));
        const stream = await this.coming?.catch(() => undefined);
        stream?.close();
    }

    private async *page(asked: PagePlace, isResumed: boolean): AsyncGenerator<Page, PagePlace | undefined, void> {
        let stream: OutboundStream | undefined;
        let parts: AnswerParts | undefined;
        try {
            stream = await this.answer(asked);
            const place = this.source.incremental?.answered(asked, stream.headers) ?? asked;
            parts = this.partsOf({ stream, host: this.host, page: place.page, skip: place.skip });
            return yield* this.partsOfPage(parts, { headers: stream.headers, place });
        } catch (error) {
            throw isResumed ? this.refused(error, asked) : error;
        } finally {
            await parts?.return(undefined);
            stream?.close();
        }
    }

    /** Hands on the page's records, the last of them when it is known what follows, and asked for. Answers where that is. */
    private async *partsOfPage(
        parts: AnswerParts,
        { headers, place }: Pick<ReadPage, 'headers' | 'place'>,
    ): AsyncGenerator<Page, PagePlace | undefined, void> {
        const { host } = this;
        const { paging, incremental } = this.source;
        let fingerprint = place.current;
        let held: RecordPage | undefined;
        let part = await parts.next();
        for (; !part.done; part = await parts.next()) {
            if (held) yield await this.handedOn(held, { ...place, skip: held.rows, current: fingerprint });
            if (this.wanted <= 0) return undefined;
            fingerprint ??= fingerprintOf(part.value);
            held = this.asRecords(this.placed(part.value, place.page));
            if (this.line.isRepeat(place, fingerprint)) break;
            // The page behind the last one that is allowed is looked at, since only an empty one is an end.
            if (place.page > paging.maxPages && held.rows > 0) throw tooManyPages(paging.maxPages);
        }
        const rows = held?.rows ?? place.skip;
        const around = part.done ? part.value : undefined;
        const last = held?.records.at(-1);
        const page: ReadPage = { place, host, rows, fingerprint, around, headers, last };
        // Also behind the last page that a step test shows: what a path does not lead to is told there.
        const { next, error, isRepeat, counted } = this.line.following(page);
        if (held && countOf(held) >= this.wanted)
            return void (yield await this.handedOn(held, { ...place, skip: rows, current: fingerprint }));
        // Empty, and says that there is more; a repeated page ends by itself.
        if (next && !isRepeat && place.page > paging.maxPages) throw tooManyPages(paging.maxPages);
        if (next) this.ask(next);
        if (isRepeat) held = undefined;
        const end = next ?? { ...place, ...counted, skip: rows, isDone: !error };
        if (held || incremental) yield await this.handedOn(held, end);
        if (!next && !error) yield* told(end);
        if (error) throw error;
        return next;
    }

    private async handedOn(part: RecordPage = NOTHING, place: PagePlace): Promise<Page> {
        await breathe(this.cx);
        const { records, faults, placeOf } = part;
        this.wanted -= countOf(part);
        const page = { records, checkpoint: storedPagePlace(place), placeOf };
        if (faults.length === 0 && !this.source.incremental) return page;
        return {
            ...page,
            ...(faults.length > 0 && { faults }),
            ...(this.source.incremental && { nextRun: { from: { since: place.next! } } }),
        };
    }

    private ask(place: PagePlace): void {
        const { url, method, body } = this.source.request(place, place.limit ?? this.source.paging.limit);
        // Its pages keep the origin of the first.
        this.host ||= new URL(url).host;
        this.asked = url;
        this.coming = this.cx.outbound.stream.open({ ...this.shared, url, method, body });
        // What goes wrong is told to whoever takes the answer; nobody does where the reading is left.
        this.coming.catch(() => undefined);
    }

    private async answer(place: PagePlace): Promise<OutboundStream> {
        if (!this.coming) this.ask(place);
        try {
            return await this.coming!;
        } catch (error) {
            throw isFlowError(error) && !this.shared.signal.aborted ? this.located(error, place) : error;
        } finally {
            this.coming = undefined;
        }
    }

    /** With the page that it came instead of. The query of its address is left out: it may hold what is nobody's business. */
    private located(error: FlowError, { page }: PagePlace): FlowError {
        const of = this.source.paging.by === 'nothing' ? '' : `page ${page} of `;
        const { pathname } = new URL(this.asked);
        const message = `${error.message} This was for ${of}${pathname.slice(0, MAX_PATH)}.`;
        const { cause, waitMs, details } = error;
        return new FlowError(error.code, message, {
            cause,
            ...(waitMs !== undefined && { waitMs }),
            ...(details && { details }),
        });
    }

    /** A cursor that was good when the run was left may not be any more. */
    private refused(error: unknown, { at, page }: PagePlace): unknown {
        const { status, isRefusal } = (isFlowError(error) && error.details) || {};
        const isOfCursor = this.source.paging.by === 'cursors' && at !== undefined;
        if (!isOfCursor || (isRefusal !== true && !REFUSALS.includes(status))) return error;
        return checkpointRefused(`its server does not take the cursor of page ${page} any more (${String(status)})`);
    }

    /** Where there are pages, places are told by them. */
    private placed(part: RecordPage, page: number): RecordPage {
        if (this.source.paging.by === 'nothing') return part;
        const inPage = (place: string | undefined): string | undefined => place && `page ${page}, ${place}`;
        const { placeOf, faults } = part;
        return {
            ...part,
            placeOf: index => inPage(placeOf(index)),
            faults: faults.map(fault => ({ ...fault, place: inPage(fault.place) })),
        };
    }

    /** Records as the source has them; those that are none become faults. */
    private asRecords(part: RecordPage): RecordPage {
        const { recordOf } = this.source;
        if (!recordOf) return part;
        const records: JsonObject[] = [];
        const faults: PageFault[] = [];
        const places: number[] = [];
        for (const row of rowsInOrder(part)) {
            const index = records.length;
            const found = row.fault ? '' : recordOf(row.record);
            if (row.fault) faults.push({ ...row.fault, index });
            else if (typeof found === 'string') {
                const place = part.placeOf(row.index);
                faults.push({ index, path: 'value', data: row.record, problem: found, place });
            } else if (found) {
                records.push(found);
                places.push(row.index);
            }
        }
        const { rows, placeOf } = part;
        const isSame = faults.length === part.faults.length && records.length === part.records.length;
        return { records, faults, rows, placeOf: isSame ? placeOf : index => placeOf(places[index] ?? -1) };
    }
}

/** Why what was read is not all that there is; once more to whoever goes on behind the last page. */
function* told(place: PagePlace): Generator<Page, void, void> {
    const isPart = lackOfPlaces(place);
    if (isPart !== undefined) yield { records: [], checkpoint: storedPagePlace(place), isPart };
}

function tooManyPages(pages: number): Error {
    return flowError('PAGE_LIMIT', { pages, field: 'pagination.maxPages' });
}

const NOTHING: RecordPage = { records: [], faults: [], rows: 0, placeOf: () => undefined };

function countOf({ records, faults }: RecordPage): number {
    return records.length + faults.length;
}
