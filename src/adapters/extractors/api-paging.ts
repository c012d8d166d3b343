import type { StepLog } from '../../core/adapter/context';
import { logEvent } from '../../core/adapter/log-event';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { malformed } from './api-response';
import { shortDigest, type PageAt, type PagePosition } from './page-position';
import { readCount, readFlag, signOf, type SignPath } from './api-signs';

/** A page that has been read, from which the position of the next one is derived. */
export interface ReadPage {
    readonly place: PagePosition;
    readonly host: string;
    /** The number of its rows, including those that were read before. */
    readonly rows: number;
    readonly fingerprint: string | undefined;
    /** The part of the response next to its records; undefined if its format has nothing there. */
    readonly around: JsonValue | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly last: JsonObject | undefined;
}

/** How an API identifies its pages. */
export interface Paging {
    /**
     * `numbers` do not show whether such a page exists. `cursors` come from the server; so do addresses, which count as
     * cursors. `places` is for an API that is known to count its records and to report the total: a page may then equal
     * an earlier one, and may be empty.
     */
    readonly by: 'nothing' | 'numbers' | 'cursors' | 'places';
    readonly maxPages: number;
    readonly limit: number;
    /** Where the response has the total number of records, and whether there are more. */
    readonly total?: SignPath | undefined;
    readonly hasMore?: SignPath | undefined;
    /** For `places`: whether there are more pages after this one. */
    readonly more?: ((page: ReadPage, total: number) => boolean) | undefined;
    /**
     * Why a page lacks some of its records, according to the rest of the response. The text ends a sentence that begins
     * with the source.
     */
    readonly flawOf?: ((page: ReadPage) => string | undefined) | undefined;
    /** What to do if a server returns its first page again and again, as the end of a sentence. */
    readonly remedy: string;
    /** The position of the next page; undefined if there is none. Throws REMOTE_MALFORMED and OUTBOUND_ORIGIN. */
    next(page: ReadPage): PageAt;
}

/** What follows a page: nothing, another page, or an error that is thrown after the page's records are yielded. */
export interface Following {
    readonly next?: PagePosition;
    readonly error?: FlowError;
    /** What remains of the counted records after the last page. */
    readonly counted?: Counted;
}

type Counted = Pick<PagePosition, 'total' | 'most' | 'unshown' | 'lack'>;

/** Why the reading is incomplete, as the end of a sentence; undefined if it is complete. */
export function incompleteReasonOf({ total, most, unshown = 0, lack: gap }: Counted): string | undefined {
    if (unshown > 0) return `has not shown ${unshown} of the ${total} records that it counts`;
    if (most !== undefined && total !== undefined && total < most)
        return `counted ${most} records while it was read, and ${total} in the end`;
    return gap;
}

/** Decides what follows each page of a reading, and ensures that the reading ends. */
export class PageLine {
    /** Cursors of the pages since the reading began. */
    private readonly seen = new Set<string>();
    private hasWarnedOfTotal = false;

    constructor(
        private readonly paging: Paging,
        private readonly log: StepLog,
    ) {}

    /** Whether pages are compared by their content. */
    get needsDigests(): boolean {
        return this.paging.by === 'numbers' || this.paging.by === 'places';
    }

    /** Whether a page is repeated by a server that does not report a total. */
    isRepeat({ place, fingerprint }: Pick<ReadPage, 'place' | 'fingerprint'>): boolean {
        const { by, total, hasMore } = this.paging;
        return by === 'numbers' && !total && !hasMore && isAgain(place, fingerprint);
    }

    following(read: ReadPage): Following {
        const flaw = this.paging.flawOf?.(read);
        const page = flaw === undefined ? read : { ...read, place: { ...read.place, lack: flaw } };
        const { place } = page;
        if (this.paging.by === 'nothing') return { counted: { lack: place.lack } };
        if (this.isRepeat(page)) return this.behindRepeat(page);
        const total = this.total(page);
        if (this.paging.more && total !== undefined) return this.behindPlaces(page, total);
        const hasMore = signOf(this.paging.hasMore, page, readFlag);
        if (hasMore === false) return this.ended(page, total);
        if (this.paging.by === 'numbers')
            return this.behindNumber(page, { total, hasMore, isFlawed: flaw !== undefined });
        const at = this.paging.next(page);
        if (at === undefined) return this.behindLast(page, { total, hasMore });
        return this.behindCursor(page, at, { total, most: mostOf(place, total) });
    }

    /** There is no further page. */
    ended({ place, rows }: Pick<ReadPage, 'place' | 'rows'>, total = place.total): Following {
        const unshown = (total ?? 0) - place.rows - rows;
        return { counted: { total, most: mostOf(place, total), lack: place.lack, ...(unshown > 0 && { unshown }) } };
    }

    /** The server has answered a page after the first with a status that means the end. */
    endedBy(status: number, position: PagePosition): Counted {
        const gap = this.paging.hasMore && `said that there is more, and answered ${status} for page ${position.page}`;
        return { ...this.ended({ place: position, rows: 0 }).counted, ...(gap && { lack: gap }) };
    }

    /**
     * An empty page is the end, unless a total or `hasMore` says that there is more, or the page is flawed. A total and
     * a flaw count once.
     */
    private behindNumber(page: ReadPage, { total, hasMore, isFlawed = false }: Signs): Following {
        const { place, rows, fingerprint } = page;
        const read = place.rows + rows;
        const isShort = total !== undefined && read < total;
        // A total that was always lower than the number of records received is wrong, and does not show what is still
        // to come.
        const isWrong = total !== undefined && rows > 0 && read > (mostOf(place, total) ?? 0);
        if (hasMore === undefined && total !== undefined && !isShort && !isWrong) return this.ended(page, total);
        if (rows === 0 && hasMore === undefined && (!(isShort || isFlawed) || place.empty)) {
            if (isShort) logEvent(this.log, 'PAGE_EMPTY', { page: place.page, read, total });
            return this.ended(page, total);
        }
        const at = this.paging.next(page);
        const gap = isAgain(place, fingerprint)
            ? `has given page ${place.page - 1} again as page ${place.page}`
            : place.lack;
        return {
            next: this.placeBehind(page, at, { total, most: mostOf(place, total), lack: gap, empty: rows === 0 }),
        };
    }

    private behindPlaces(page: ReadPage, total: number): Following {
        const { more, maxPages, remedy } = this.paging;
        const { place, rows } = page;
        const counted = this.counted(page, total);
        if (!more!(page, total)) return { counted };
        // It is already known that the next page is not the end.
        if (place.page >= maxPages) return { error: flowError('PAGE_LIMIT', { pages: maxPages, field: 'maxPages' }) };
        if (this.isSamePlace(page, total))
            return {
                error: endless(
                    page,
                    `page ${place.page} is page 1 or the one before again (${rows} records); ${remedy}`,
                ),
            };
        return { next: this.placeBehind(page, this.paging.next(page), counted) };
    }

    /** Positions of records change with their number, and stay as long as it stays. */
    private isSamePlace({ place, fingerprint }: ReadPage, total: number): boolean {
        const { first, previous } = place;
        return (
            total === place.total && fingerprint !== undefined && (fingerprint === first || fingerprint === previous)
        );
    }

    private counted({ place, rows }: ReadPage, total: number): Counted {
        const due = Math.min(place.limit ?? this.paging.limit, total - Number(place.at ?? 0));
        const unshown = (place.unshown ?? 0) + Math.max(0, due - rows);
        return { total, most: Math.max(place.most ?? 0, total), ...(unshown > 0 && { unshown }) };
    }

    private behindLast(page: ReadPage, { total, hasMore }: Signs): Following {
        const { place, rows } = page;
        if (hasMore)
            return { error: malformed({ ...page, page: place.page }, 'says that there is more, and nothing of where') };
        // A misspelt path looks like that.
        if (place.page === 1 && rows >= (place.limit ?? this.paging.limit) && this.paging.by === 'cursors')
            logEvent(this.log, 'PAGE_ALONE', { rows });
        return this.ended(page, total);
    }

    private behindCursor(page: ReadPage, at: string | number, counted: Counted): Following {
        const { place } = page;
        if (place.at !== undefined) this.seen.add(shortDigest(String(place.at)));
        const digest = shortDigest(String(at));
        if (this.seen.has(digest) || digest === place.anchor)
            return { error: endless(page, `page ${place.page} leads to one that has been before`) };
        this.seen.add(digest);
        // Brent's algorithm detects a circle with only one stored cursor.
        const isPower = (place.page & (place.page - 1)) === 0;
        return { next: this.placeBehind(page, at, { ...counted, anchor: isPower ? digest : place.anchor }) };
    }

    /**
     * Some servers repeat their last page when a page does not exist, so a page that is returned twice more is the end.
     * That is not certain, so the reading is partial.
     */
    private behindRepeat(page: ReadPage): Following {
        const { place, rows } = page;
        if (place.repeats === 0) return { next: { ...this.placeBehind(page, this.paging.next(page), {}), repeats: 1 } };
        if (place.first === place.previous)
            return { error: endless(page, `pages 2 and 3 are page 1 again (${rows} records); ${this.paging.remedy}`) };
        logEvent(this.log, 'PAGES_REPEATED', { page: place.page - 1 });
        return { counted: { lack: `has given the same page as pages ${place.page - 2} to ${place.page}` } };
    }

    private placeBehind({ place, rows, fingerprint }: ReadPage, at: PageAt, more: Partial<PagePosition>): PagePosition {
        const { total = place.total, anchor = place.anchor, most = place.most, unshown = place.unshown } = more;
        const { lack: gap = place.lack, empty = false } = more;
        return {
            ...place,
            page: place.page + 1,
            at,
            rows: place.rows + rows,
            skip: 0,
            current: undefined,
            first: place.first ?? fingerprint,
            previous: fingerprint,
            repeats: 0,
            empty,
            lack: gap,
            total,
            anchor,
            most,
            unshown,
        };
    }

    private total(page: ReadPage): number | undefined {
        const { total: known } = page.place;
        const total = signOf(this.paging.total, page, readCount) ?? known;
        if (
            known !== undefined &&
            total !== undefined &&
            total < known &&
            !this.paging.more &&
            !this.hasWarnedOfTotal
        ) {
            this.hasWarnedOfTotal = true;
            logEvent(this.log, 'TOTAL_CHANGED', { known, total });
        }
        return total;
    }
}

/** What a response says about the end. */
interface Signs {
    readonly total: number | undefined;
    readonly hasMore: boolean | undefined;
    readonly isFlawed?: boolean;
}

/** Whether a page equals the previous one, row by row. */
function isAgain({ page, previous }: PagePosition, fingerprint: string | undefined): boolean {
    return page > 1 && fingerprint !== undefined && fingerprint === previous;
}

function mostOf({ most }: PagePosition, total: number | undefined): number | undefined {
    return total === undefined ? most : Math.max(most ?? 0, total);
}

function endless({ host }: ReadPage, problem: string): FlowError {
    return flowError('PAGES_ENDLESS', { host, problem });
}
