import { compilePath } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { malformed } from './api-response';
import type { Paging, ReadPage } from './api-paging';
import type { PageAt, PagePosition } from './page-position';
import { cursorOf, signPath, valueAt } from './api-signs';
import type { HttpApiArgs } from './http-api-config';
import { nextLink } from './page-address';

/**
 * How pages of `httpApi` are identified. A request uses the parameters from `paramsOf`, or the address that is the
 * position of the page.
 */
export interface HttpPaging extends Paging {
    /** Whether the position of a further page is its address. */
    readonly isAddressed: boolean;
    paramsOf(position: PagePosition, limit: number): JsonObject;
}

type Pagination = HttpApiArgs['pagination'];

/** `origin` is the only origin that links may lead to. */
export function httpPaging({ pagination }: HttpApiArgs, url: URL): HttpPaging {
    const { type, limit, maxPages, totalPath, hasMorePath, limitParam, pageSizeParam } = pagination;
    const sized = (param: string | null, size: number): JsonObject => (param === null ? {} : { [param]: size });
    const shared = {
        maxPages,
        limit,
        total: signPath(totalPath, 'pagination.totalPath'),
        hasMore:
            hasMorePath === undefined
                ? undefined
                : { ...signPath(hasMorePath, 'pagination.hasMorePath')!, isOptional: true },
        isAddressed: false,
        remedy: '',
    };
    switch (type) {
        case 'NONE':
            return { ...shared, by: 'nothing', next: () => undefined, paramsOf: () => ({}) };
        case 'OFFSET':
            return {
                ...shared,
                by: 'numbers',
                remedy: remedyFor('pagination.offsetParam', pagination.offsetParam),
                // The offset grows by the rows received, because a server may return fewer than requested. An empty
                // page is skipped as a whole.
                next: ({ place, rows }) => Number(place.at ?? 0) + (rows || (place.limit ?? limit)),
                paramsOf: ({ at = 0 }, size) => ({ ...sized(limitParam, size), [pagination.offsetParam]: at }),
            };
        case 'PAGE':
            return {
                ...shared,
                by: 'numbers',
                remedy: remedyFor('pagination.pageParam', pagination.pageParam),
                next: ({ place }) => Number(place.at ?? pagination.firstPage) + 1,
                paramsOf: ({ at = pagination.firstPage }, size) => ({
                    ...sized(pageSizeParam, size),
                    [pagination.pageParam]: at,
                }),
            };
        case 'CURSOR':
            return cursors(pagination, { ...shared, url, sized });
        case 'LINK_HEADER':
            return {
                ...shared,
                by: 'cursors',
                isAddressed: true,
                next: page => addressOf(nextLink(page.headers['link']), page, url),
                paramsOf: (_, size) => sized(limitParam, size),
            };
    }
}

interface Shared extends Omit<HttpPaging, 'by' | 'next' | 'paramsOf'> {
    readonly url: URL;
    sized(param: string | null, size: number): JsonObject;
}

function cursors(pagination: Pagination, { url, sized, ...shared }: Shared): HttpPaging {
    const { cursorIs, cursorParam, limitParam, initialCursor } = pagination;
    const cursorIn = cursorSource(pagination);
    if (cursorIs === 'LINK')
        return {
            ...shared,
            by: 'cursors',
            isAddressed: true,
            next: page => addressOf(cursorIn(page), page, url),
            paramsOf: (_, size) => sized(limitParam, size),
        };
    return {
        ...shared,
        by: 'cursors',
        next: cursorIn,
        paramsOf: ({ at = initialCursor }, size) => ({
            ...sized(limitParam, size),
            ...(at !== undefined && { [cursorParam]: at }),
        }),
    };
}

function cursorSource({ cursorPath, cursorHeader, cursorField }: Pagination): (page: ReadPage) => PageAt {
    if (cursorHeader !== undefined) {
        const header = cursorHeader.toLowerCase();
        return page => cursorOf(page.headers[header], `in the header ${cursorHeader}`, page);
    }
    if (cursorField !== undefined) {
        const path = compilePath(cursorField);
        return page => {
            const value = page.last && path.get(page.last);
            // The id of a record, which may be 0.
            return value === 0 ? value : cursorOf(value, `in "${cursorField}" of its last record`, page);
        };
    }
    const path = compilePath(cursorPath!);
    return page => {
        if (page.around === undefined && page.rows > 0)
            throw malformed({ ...page, page: page.place.page }, 'is not JSON, which cursorPath needs');
        return cursorOf(valueAt(path, page.around), `at "${path.text}"`, page);
    };
}

function remedyFor(field: string, param: string): string {
    return `either the server knows no parameter "${param}" (${field}), or it has no further page and says so in a field that pagination.totalPath or pagination.hasMorePath can name`;
}

/** The address of the next page, which must have the origin of the first. */
function addressOf(link: JsonValue | undefined, page: ReadPage, first: URL): string | undefined {
    if (link === undefined || link === null) return undefined;
    const base = typeof page.place.at === 'string' ? page.place.at : first.href;
    if (typeof link !== 'string' || !URL.canParse(link, base))
        throw malformed({ ...page, page: page.place.page }, 'has a link to its next page that is not an address');
    const url = new URL(link, base);
    if (url.origin !== first.origin)
        throw flowError('OUTBOUND_ORIGIN', {
            host: url.host || url.protocol,
            problem: `the link to the next page leads away from ${first.origin}`,
        });
    url.hash = '';
    return url.href;
}
