import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import type { Row } from './report';
import { benchSource } from './source-reading';

const AT_ONCE = 20_000;

const SERVERS = {
    postgres: process.env['FLOW_TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
    mariadb: process.env['FLOW_TEST_MARIADB_URL'] ?? 'mysql://root@127.0.0.1:3306/mysql',
} as const;
export type SourceServer = keyof typeof SERVERS;

/** The settings of a process that reads. */
export interface SqlOrder {
    readonly server: SourceServer;
    readonly url: string;
    readonly way: 'by hand' | 'database';
    readonly records: number;
}

/**
 * Reads rows of seven columns in pages of 1,000, each after the last pair of time and key: by the extractor `database`,
 * and by the bare driver with the same pages and values. Each reading has a separate process.
 */
export async function benchSqlSources(records = 1_000_000, only?: string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const server of ['postgres', 'mariadb'] as const) {
        if (only !== undefined && only !== server) continue;
        const name = `flow_bench_${process.pid}`;
        const url = new URL(SERVERS[server]);
        const admin = await adminOf(server, url.href);
        await admin.ask(`CREATE DATABASE ${name}`);
        url.pathname = `/${name}`;
        try {
            await fill(server, url.href, records);
            const order = { server, url: url.href };
            const ways = ['by hand', 'database'] as const;
            rows.push(...benchSource({ source: server, script: 'sources-sql-child.ts', order, records, ways }));
        } finally {
            await admin.ask(`DROP DATABASE ${name}`);
            await admin.end();
        }
    }
    return rows;
}

async function adminOf(
    server: SourceServer,
    url: string,
): Promise<{ ask(sql: string): Promise<unknown>; end(): Promise<void> }> {
    if (server === 'postgres') {
        const client = new Client({ connectionString: url });
        await client.connect();
        return { ask: sql => client.query(sql), end: () => client.end() };
    }
    const connection = await createConnection({ uri: url });
    return { ask: sql => connection.query(sql), end: () => connection.end() };
}

async function fill(server: SourceServer, url: string, records: number): Promise<void> {
    const { ask, end } = await adminOf(server, url);
    const moment = server === 'postgres' ? 'timestamptz(6)' : 'TIMESTAMP(6)';
    await ask(
        `CREATE TABLE articles (id BIGINT PRIMARY KEY, changed ${moment} NOT NULL, sku VARCHAR(40) NOT NULL, title VARCHAR(200) NOT NULL, price DECIMAL(12,2) NOT NULL, stock INT NOT NULL, note VARCHAR(200))`,
    );
    const title = "'Trail shoe, water resistant, number '";
    for (let from = 0; from < records; from += AT_ONCE) {
        const to = Math.min(from + AT_ONCE, records);
        const values =
            server === 'postgres'
                ? `SELECT i, '2024-01-01'::timestamptz + (i / 3) * interval '1 us', 'SKU-' || i, ${title} || i, i % 1000 + 0.95, i % 90, 'delivered by the usual supplier' FROM generate_series(${from}, ${to - 1}) i`
                : `SELECT seq, '2024-01-01 00:00:00' + INTERVAL (seq DIV 3) MICROSECOND, CONCAT('SKU-', seq), CONCAT(${title}, seq), seq % 1000 + 0.95, seq % 90, 'delivered by the usual supplier' FROM seq_${from}_to_${to - 1}`;
        await ask(`INSERT INTO articles ${values}`);
    }
    await ask('CREATE INDEX by_change ON articles (changed, id)');
    await ask(server === 'postgres' ? 'ANALYZE articles' : 'ANALYZE TABLE articles');
    await end();
}
