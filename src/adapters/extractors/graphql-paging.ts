import { compilePath, pathOf, segmentsOf } from '../../core/data/path';
import type { JsonObject } from '../../core/value/json';
import type { Paging, ReadPage } from './api-paging';
import type { PageAt, PagePosition } from './page-position';
import { cursorOf, signPath, valueAt } from './api-signs';
import { type GraphqlArgs, limitVariableOf } from './graphql-config';

/** How pages of `graphql` are identified. */
interface GraphqlPaging extends Paging {
    /** The records are the nodes of edges. */
    readonly hasEdges: boolean;
    variablesOf(position: PagePosition, limit: number): JsonObject;
}

export function graphqlPaging({ pagination, dataPath }: GraphqlArgs): GraphqlPaging {
    const { type, limit, maxPages, offsetVariable, cursorVariable, cursorPath, totalCountPath, hasMorePath } =
        pagination;
    const size = limitVariableOf(pagination);
    const sized = (records: number): JsonObject => (size === undefined ? {} : { [size]: records });
    const shared = {
        maxPages,
        limit,
        total: signPath(totalCountPath, 'pagination.totalCountPath'),
        hasMore: signPath(hasMorePath, 'pagination.hasMorePath'),
        hasEdges: false,
        remedy: `either the query does not use $${offsetVariable}, or the server has no further page and says so in a field that pagination.totalCountPath or pagination.hasMorePath can name`,
    };
    // The first page begins at the cursor in the variables.
    const atCursor = ({ at }: PagePosition): JsonObject => (at === undefined ? {} : { [cursorVariable]: at });
    const byCursor = (path: string): ((page: ReadPage) => PageAt) => {
        const compiled = compilePath(path);
        return page => cursorOf(valueAt(compiled, page.around), `at "${path}"`, page);
    };
    switch (type) {
        case 'NONE':
            return { ...shared, by: 'nothing', next: () => undefined, variablesOf: () => ({}) };
        case 'OFFSET':
            return {
                ...shared,
                by: 'numbers',
                // The offset grows by the rows received, because a server may return fewer than requested. An empty
                // page is skipped as a whole.
                next: ({ place, rows }) => Number(place.at ?? 0) + (rows || (place.limit ?? limit)),
                variablesOf: ({ at = 0 }, records) => ({ ...sized(records), [offsetVariable]: at }),
            };
        case 'CURSOR':
            return {
                ...shared,
                by: 'cursors',
                next: byCursor(cursorPath!),
                variablesOf: (place, records) => ({ ...sized(records), ...atCursor(place) }),
            };
        case 'RELAY': {
            const pageInfo = pagination.pageInfoPath ?? besideOf(dataPath);
            return {
                ...shared,
                by: 'cursors',
                hasMore: signPath(`${pageInfo}.hasNextPage`, 'pagination.pageInfoPath'),
                hasEdges: (segmentsOf(dataPath) as readonly string[]).at(-1) === 'edges',
                next: byCursor(`${pageInfo}.endCursor`),
                variablesOf: (place, records) => ({ ...sized(records), ...atCursor(place) }),
            };
        }
    }
}

function besideOf(dataPath: string): string {
    // The schema ensures that this is a path.
    const around = (segmentsOf(dataPath) as readonly string[]).slice(0, -1);
    return [...around.map(pathOf), 'pageInfo'].join('.');
}
