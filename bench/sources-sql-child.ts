import { createConnection, type Connection } from 'mysql2';
import { Client } from 'pg';
import { database } from '../src/adapters/extractors/database';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { extractedPages } from '../src/testing/bare-extract';
import { providedResources } from '../src/testing/provided-resources';
import { setUp } from '../src/plugin/setup';
import { tellReading } from './source-reading';
import type { SqlOrder } from './sources-sql';

const PAGE = 1_000;
const QUERY = 'SELECT id, changed, sku, title, price, stock, note FROM articles';

const resources = providedResources({ registry: setUp({}).registry });
type Article = Readonly<Record<string, string | number | null>>;
type Pages = AsyncGenerator<readonly Article[], void, void>;

/** Reads as a step does. */
async function* byFlow({ server, url }: SqlOrder): Pages {
    const { hostname: host, port, pathname, username } = new URL(url);
    const gateway = new OutboundGateway({ allowedHostnames: [host] }).forRun({ scope: 'bench', rateLimitRps: 0 });
    const config = {
        databaseType: server === 'postgres' ? 'POSTGRES' : 'MYSQL',
        host,
        port: Number(port || (server === 'postgres' ? 5432 : 3306)),
        database: pathname.slice(1),
        username,
        query: QUERY,
        pagination: { type: 'CURSOR', pageSize: PAGE, cursorColumn: 'changed', cursorTieBreakerColumn: 'id' },
    };
    for await (const { records } of extractedPages(
        { extractor: database, config },
        { ...resources, outbound: gateway },
    ))
        yield records as readonly Article[];
}

/** The bare driver: reads pages of texts after the last pair, and converts each cell to the value of a record. */
async function* byPg(url: string): Pages {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("SET timezone = 'UTC'");
    let after: readonly string[] | undefined;
    for (;;) {
        const where = after ? 'WHERE (changed, id) > ($1, $2)' : '';
        const { rows } = await client.query<string[]>({
            text: `${QUERY} ${where} ORDER BY changed, id LIMIT ${PAGE}`,
            values: [...(after ?? [])],
            rowMode: 'array',
            types: { getTypeParser: () => (value: string) => value } as never,
        });
        const articles = rows.map(([id, changed, sku, title, price, stock, note]) => ({
            id: id!,
            changed: `${changed!.replace(' ', 'T').slice(0, -3)}Z`,
            sku: sku!,
            title: title!,
            price: price!,
            stock: Number(stock),
            note: note!,
        }));
        if (articles.length > 0) yield articles;
        if (rows.length < PAGE) return client.end();
        const last = rows.at(-1)!;
        after = [last[1]!, last[0]!];
    }
}

async function* byMysql2(url: string): Pages {
    const connection: Connection = createConnection({
        uri: url,
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
    });
    await new Promise(resolve => connection.query("SET time_zone = '+00:00'", resolve));
    let after: readonly string[] | undefined;
    for (;;) {
        const where = after
            ? 'WHERE changed >= CAST(? AS DATETIME(6)) AND (changed > CAST(? AS DATETIME(6)) OR id > CAST(? AS SIGNED))'
            : '';
        const sql = `${QUERY} ${where} ORDER BY changed, id LIMIT ${PAGE}`;
        const values = after ? [after[0]!, after[0]!, after[1]!] : [];
        const rows = await new Promise<ReadonlyArray<readonly never[]>>((resolve, reject) =>
            connection.execute({ sql, values, rowsAsArray: true }, (error: unknown, found: unknown) =>
                error ? reject(error as Error) : resolve(found as ReadonlyArray<readonly never[]>),
            ),
        );
        const articles = rows.map(([id, changed, sku, title, price, stock, note]) => ({
            id: id!,
            changed: `${(changed as unknown as string).replace(' ', 'T')}Z`,
            sku: sku!,
            title: title!,
            price: price!,
            stock: stock!,
            note: note!,
        }));
        if (articles.length > 0) yield articles;
        if (rows.length < PAGE) return connection.destroy();
        const last = rows.at(-1)!;
        after = [String(last[1]), String(last[0])];
    }
}

const order = JSON.parse(process.argv[2]!) as SqlOrder;
const byHand = order.server === 'postgres' ? byPg : byMysql2;
tellReading(order.way === 'database' ? byFlow(order) : byHand(order.url), order.records);
