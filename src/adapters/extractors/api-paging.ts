import type { StepLog } from '../../core/adapter/context';
import { compilePath, type Path } from '../../core/data/path';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { malformed } from './api-answer';
import { shortDigest, type PageAt, type PagePlace } from './api-place';

/** A page that has been read: what it is told by where the next one is. */
export interface ReadPage {
    readonly place: PagePlace;
    readonly host: string;
    /** Rows that it had, those included that were read before. */
    readonly rows: number;
    readonly fingerprint: string | undefined;
    /** What stands around its records; undefined where its format has nothing there. */
    readonly around: JsonValue | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly last: JsonObject | undefined;
}

/** How an API tells its pages apart. */
export interface Paging {
    /**
     * By numbers, which say nothing of whether there is such a page, or by cursors and addresses, which its server has given. By `places` where the API
     * is known to count them, and says how many there are: what it answers for one may come again, and may be empty.
     */
    readonly by: 'nothing' | 'numbers' | 'cursors' | 'places';
    readonly maxPages: number;
    readonly limit: number;
    /** What says how many records there are, and whether there are more. */
    readonly total?: SignPath | undefined;
    readonly hasMore?: SignPath | undefined;
    /** By places: whether any lie behind a page. */
    readonly more?: ((page: ReadPage, total: number) => boolean) | undefined;
    /** What to do about a server that answers its first page again and again, as the end of a sentence. */
    readonly remedy: string;
    /** Where the next page is; undefined where nothing tells of one. Throws REMOTE_MALFORMED and OUTBOUND_ORIGIN. */
    next(page: ReadPage): PageAt;
}

/** Where a sign of the end stands in an answer, and the field that says so: `pagination.totalPath`. */
export interface SignPath {
    readonly path: Path;
    readonly field: string;
}

/** The sign at a path, if it is given. */
export function signPath(path: string | undefined, field: string): SignPath | undefined {
    return path === undefined ? undefined : { path: compilePath(path), field };
}

/** What follows a page: nothing, another one, or an error once its records are handed on. */
export interface Following {
    readonly next?: PagePlace;
    readonly error?: FlowError;
    /** The page is one that has been before, and its records are read. */
    readonly isRepeat?: boolean;
    /** What the last page leaves behind of what was counted. */
    readonly counted?: Counted;
}

type Counted = Pick<PagePlace, 'total' | 'most' | 'unshown'>;

/** Why places that were read are not all that there are, as the end of a sentence; undefined where they are. */
export function lackOfPlaces({ total, most, unshown = 0 }: Counted): string | undefined {
    if (unshown > 0) return `has not shown ${unshown} of the ${total} records that it counts`;
    if (most !== undefined && total !== undefined && total < most)
        return `counted ${most} records while it was read, and ${total} in the end`;
    return undefined;
}

/** Finds out what follows each page of a reading, and that there is an end to it. */
export class PageLine {
    /** Cursors of the pages since the reading was begun. */
    private readonly seen = new Set<string>();
    private hasWarnedOfTotal = false;

    constructor(
        private readonly paging: Paging,
        private readonly log: StepLog,
    ) {}

    /** Whether a page is one of numbers that has been before; told by its first rows. */
    isRepeat({ page, first, previous }: PagePlace, fingerprint: string | undefined): boolean {
        return (
            this.paging.by === 'numbers' &&
            page > 1 &&
            fingerprint !== undefined &&
            (fingerprint === first || fingerprint === previous)
        );
    }

    following(page: ReadPage): Following {
        const { place, fingerprint, rows } = page;
        if (this.paging.by === 'nothing') return {};
        if (this.isRepeat(place, fingerprint)) return this.behindRepeat(page);
        const total = this.total(page);
        if (this.paging.more && total !== undefined) return this.behindPlaces(page, total);
        const hasMore = signOf(this.paging.hasMore, page, flagOf);
        const read = place.rows + rows;
        if (hasMore === false) return {};
        if (rows === 0 && hasMore === undefined) {
            if (total !== undefined && read < total)
                this.warn(`Page ${place.page} is empty after ${read} records; by its server there are ${total}.`);
            return {};
        }
        if (hasMore === undefined && total !== undefined && read >= total) return {};
        const at = this.paging.next(page);
        if (at === undefined) return this.behindLast(page, hasMore);
        if (this.paging.by === 'cursors') return this.behindCursor(page, at, total);
        if (at === place.at) return { error: endless(page, 'an empty page says that there is more') };
        return { next: this.placeBehind(page, at, { total }) };
    }

    private behindPlaces(page: ReadPage, total: number): Following {
        const { more, maxPages, remedy } = this.paging;
        const { place, rows } = page;
        const counted = this.counted(page, total);
        if (!more!(page, total)) return { counted };
        // It is known already that the next one is not the end.
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

    /** Records move to other places where their number changes, and not as long as it stays. */
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

    private behindLast(page: ReadPage, hasMore: boolean | undefined): Following {
        const { place, rows } = page;
        if (hasMore)
            return { error: malformed({ ...page, page: place.page }, 'says that there is more, and nothing of where') };
        // A path that was mistyped looks like that.
        if (place.page === 1 && rows >= (place.limit ?? this.paging.limit) && this.paging.by === 'cursors')
            this.warn(
                `The first page has ${rows} records and says nothing of a next one, so it is taken for the only one.`,
            );
        return {};
    }

    private behindCursor(page: ReadPage, at: string | number, total: number | undefined): Following {
        const { place } = page;
        if (place.at !== undefined) this.seen.add(shortDigest(String(place.at)));
        const digest = shortDigest(String(at));
        if (this.seen.has(digest) || digest === place.anchor)
            return { error: endless(page, `page ${place.page} leads to one that has been before`) };
        this.seen.add(digest);
        // Brent's way to find a circle, which needs no more than one of its cursors to be stored.
        const isPower = (place.page & (place.page - 1)) === 0;
        return { next: this.placeBehind(page, at, { total, anchor: isPower ? digest : place.anchor }) };
    }

    /** Some servers answer their last page where there is no further one. One that answers a page twice more has come to its end. */
    private behindRepeat(page: ReadPage): Following {
        const { place, rows } = page;
        const repeats = place.repeats + 1;
        const isFirstAlone = place.first === place.previous;
        if (repeats === 1) {
            const at = this.paging.next(page);
            const next = { ...place, page: place.page + 1, at, skip: 0, current: undefined, repeats };
            return at === undefined ? {} : { next, isRepeat: true };
        }
        if (isFirstAlone)
            return {
                isRepeat: true,
                error: endless(page, `pages 2 and 3 are page 1 again (${rows} records); ${this.paging.remedy}`),
            };
        this.warn(
            `Page ${place.page - 1} and the one behind it are pages that have been before, so the ${place.rows} records before are taken for all.`,
        );
        return { isRepeat: true };
    }

    private placeBehind({ place, rows, fingerprint }: ReadPage, at: PageAt, more: Partial<PagePlace>): PagePlace {
        const { total = place.total, anchor = place.anchor, most = place.most, unshown = place.unshown } = more;
        const isCounted = this.paging.by === 'numbers' || this.paging.by === 'places';
        return {
            ...place,
            page: place.page + 1,
            at,
            rows: place.rows + rows,
            skip: 0,
            current: undefined,
            first: isCounted ? (place.first ?? fingerprint) : place.first,
            previous: isCounted ? fingerprint : place.previous,
            repeats: 0,
            total,
            anchor,
            most,
            unshown,
        };
    }

    private total(page: ReadPage): number | undefined {
        const { total: known } = page.place;
        const total = signOf(this.paging.total, page, countOf) ?? known;
        if (
            known !== undefined &&
            total !== undefined &&
            total < known &&
            !this.paging.more &&
            !this.hasWarnedOfTotal
        ) {
            this.hasWarnedOfTotal = true;
            this.warn(
                `By its server there were ${known} records, and now there are ${total}: some have gone while they were read, so that others may have moved to a page that was read before.`,
            );
        }
        return total;
    }

    private warn(message: string): void {
        this.log.warn(message, { code: 'SOURCE_DOUBTFUL' });
    }
}

/** What a sign says; undefined where there is none. */
function signOf<T>(
    sign: SignPath | undefined,
    page: ReadPage,
    read: (value: JsonValue | undefined) => T | undefined,
): T | undefined {
    if (!sign) return undefined;
    const { around, place } = page;
    const value = valueAt(sign.path, around);
    const said = read(value);
    if (said !== undefined) return said;
    // Some servers count once.
    if (value === undefined && place.page > 1 && place.total !== undefined) return undefined;
    const { field, path } = sign;
    throw malformed(
        { ...page, page: place.page },
        `has ${value === undefined ? 'nothing' : show(value)} at "${path.text}", where ${field} looks`,
    );
}

function flagOf(value: JsonValue | undefined): boolean | undefined {
    if (value === null || value === 0 || value === 'false') return false;
    if (value === 1 || value === 'true') return true;
    return typeof value === 'boolean' ? value : undefined;
}

function countOf(value: JsonValue | undefined): number | undefined {
    const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The outermost value may be a list, which paths lead through as well. */
export function valueAt(path: Path, around: JsonValue | undefined): JsonValue | undefined {
    return typeof around === 'object' && around !== null ? path.get(around as JsonObject) : undefined;
}

/** A cursor as it is sent; undefined where there is none. Throws REMOTE_MALFORMED for what is no cursor. */
export function cursorOf(value: JsonValue | undefined, where: string, page: ReadPage): string | number | undefined {
    if (value === undefined || value === null || value === '') return undefined;
    if ((typeof value === 'string' && value.length <= MAX_CURSOR) || typeof value === 'number') return value;
    const what = typeof value === 'string' ? `a text of ${value.length} characters` : show(value);
    throw malformed({ ...page, page: page.place.page }, `has ${what} ${where}, which is no cursor`);
}

const MAX_CURSOR = 8_192;

function endless({ host }: ReadPage, problem: string): FlowError {
    return flowError('PAGES_ENDLESS', { host, problem });
}
