import type { Row } from './report';
import { benchHttpSources } from './sources-http';
import { benchSqlSources } from './sources-sql';

/** Sources in other systems, read by Flow and by hand. `only` is http, postgres or mariadb. */
export async function benchSources(records?: number, only?: string): Promise<readonly Row[]> {
    return [
        ...(only === undefined || only === 'http' ? await benchHttpSources(records) : []),
        ...(only === 'http' ? [] : await benchSqlSources(records, only)),
    ];
}
