import gql from 'graphql-tag';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { defineExtractor, type JsonObject, type PipelineSource, z } from '../../src';
import { FlowExportPart } from '../../src/plugin/entities/export-part';
import { FlowFeed } from '../../src/plugin/entities/feed';
import { FlowManagedFile } from '../../src/plugin/entities/managed-file';
import { FileRemoval } from '../../src/plugin/files/file-removal';
import { ERRORS } from '../../src/core/errors/catalogue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

/** The current records of the source, and the number of records after which it fails. */
let stock: readonly JsonObject[] = [];
let breaksAfter = Infinity;

const shelf = defineExtractor({
    code: 'exportShelf',
    title: 'Shelf',
    summary: 'Yields what the test has put there.',
    config: z.strictObject({}),
    async *extract(_, { resumeFrom }) {
        for (let i = Number(resumeFrom ?? 0); i < stock.length; i++) {
            if (i >= breaksAfter) throw new Error('The shelf has fallen down.');
            yield { records: [stock[i]!], checkpoint: i + 1 };
        }
    },
});

const exporting = (code: string, config: JsonObject): PipelineSource => ({
    code,
    name: code,
    description: '',
    enabled: true,
    definition: {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'exportShelf' } },
            { key: 'export', kind: 'SINK', config: { adapterCode: 'fileExport', ...config } },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'export' },
        ],
        throughput: { batchSize: 1 },
        errorHandling: { maxRetries: 0 },
    },
});

const PRODUCT: JsonObject = {
    id: 'TS-1',
    title: 'T-shirt & trousers',
    description: 'Of <cotton>.',
    link: 'https://shop.example.com/p/t-shirt',
    image_link: 'https://shop.example.com/i/t-shirt.jpg',
    availability: 3,
    price: 1999,
    brand: 'Example',
    gtin: '4006381333931',
};

function exportsOf(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });
    beforeEach(() => {
        breaksAfter = Infinity;
    });

    const filesOf = async (exportCode: string) => {
        const { flowFiles } = await shop.adminClient.query(
            gql`
                query Exported($exportCode: String!) {
                    flowFiles(options: { filter: { exportCode: { eq: $exportCode } } }) {
                        items {
                            filename
                            format
                            mimeType
                            rows
                            path
                            exportCode
                        }
                    }
                }
            `,
            { exportCode },
        );
        return flowFiles.items as ReadonlyArray<Record<string, unknown>>;
    };
    const textOf = async (exportCode: string): Promise<string> => {
        const [file] = await filesOf(exportCode);
        const answer = await fetch(`${shop.url}${String(file!['path'])}/download`, {
            headers: {
                authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                'vendure-token': shop.channelToken,
            },
        });
        return answer.text();
    };
    const made = async (exportCode: string, more: JsonObject = {}): Promise<{ id: string; path: string }> => {
        const { createFlowFeed } = await shop.adminClient.query(
            gql`
                mutation Make($input: CreateFlowFeedInput!) {
                    createFlowFeed(input: $input) {
                        path
                        feed {
                            id
                        }
                    }
                }
            `,
            { input: { exportCode, name: 'A publisher', ...more } },
        );
        return { id: createFlowFeed.feed.id as string, path: createFlowFeed.path as string };
    };
    const got = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
        fetch(shop.url + path, { headers, method });

    it('become one file when they are complete, and keep the previous one until then', async () => {
        stock = [
            { sku: 'A', stock: 1 },
            { sku: 'B', note: 'x;"y"' },
        ];
        expect(await shop.perform('export-stock')).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
        expect(await filesOf('stock')).toMatchObject([{ format: 'csv', mimeType: 'text/csv', rows: 2 }]);
        const first = 'sku;stock;note\r\nA;1;\r\nB;;"x;""y"""\r\n';
        expect(await textOf('stock')).toBe(first);

        stock = [{ sku: 'C' }, { sku: 'D' }];
        breaksAfter = 1;
        expect(await shop.perform('export-stock')).toMatchObject({ status: 'FAILED' });
        expect(await textOf('stock')).toBe(first);

        breaksAfter = Infinity;
        expect(await shop.perform('export-stock')).toMatchObject({ status: 'COMPLETED' });
        expect(await textOf('stock')).toBe('sku\r\nC\r\nD\r\n');
        expect(await filesOf('stock')).toHaveLength(1);
    });

    it('leave nothing of runs that did not complete', async () => {
        stock = [{ sku: 'A' }, { sku: 'B' }];
        breaksAfter = 1;
        expect(await shop.perform('export-stock')).toMatchObject({ status: 'FAILED' });
        const parts = shop.dataSource.getRepository(FlowExportPart);
        expect(await parts.count()).toBeGreaterThan(0);
        await shop.app.get(FileRemoval).sweep(new AbortController().signal);
        expect(await parts.count()).toBe(0);
    });

    it('write nothing in a dry run, and no file without records', async () => {
        stock = [];
        expect(await shop.perform('export-empty')).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY' });
        stock = [{ sku: 'A' }];
        expect(await shop.perform('export-empty', 'dryRunFlowPipeline')).toMatchObject({ status: 'COMPLETED' });
        expect(await filesOf('export-empty.export')).toEqual([]);
        expect(await shop.dataSource.getRepository(FlowExportPart).count()).toBe(0);
    });

    it('reject what a publisher would reject by its attribute, and publish the rest', async () => {
        stock = [PRODUCT, { ...PRODUCT, id: 'TS-2', gtin: '4006381333932' }, { ...PRODUCT, id: 'TS-3', link: null }];
        const run = await shop.perform('export-google');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 2 });
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`
                query Refused($runId: String!) {
                    flowRecordErrors(options: { filter: { runId: { eq: $runId } }, sort: { id: ASC } }) {
                        items {
                            code
                            path
                        }
                    }
                }
            `,
            { runId: run.id },
        );
        expect(flowRecordErrors.items).toEqual([
            { code: 'RECORD_INVALID', path: 'gtin' },
            { code: 'RECORD_INVALID', path: 'link' },
        ]);
        const text = await textOf('google');
        expect(text).toContain(
            '<g:title>T-shirt &amp; trousers</g:title><g:description>Of &lt;cotton&gt;.</g:description>',
        );
        expect(text).toContain('<g:availability>in_stock</g:availability><g:price>19.99 EUR</g:price>');
        expect(text.match(/<item>/g)).toHaveLength(1);
    });

    it('are served to everyone who has the address, compressed and with validators for caches', async () => {
        stock = [{ sku: 'A', stock: 1 }];
        await shop.perform('export-stock');
        const { path } = await made('stock');
        expect(path).toMatch(/^\/flow\/feeds\/[A-Za-z0-9_-]{43}$/);
        const answer = await got(`${path}.csv`, { 'accept-encoding': 'identity' });
        expect(answer.status).toBe(200);
        expect(await answer.text()).toBe('sku;stock\r\nA;1\r\n');
        expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
        expect(answer.headers.get('content-encoding')).toBeNull();
        const etag = answer.headers.get('etag')!;
        const same = await got(path, { 'if-none-match': `"other", ${etag}` });
        expect([same.status, await same.text()]).toEqual([304, '']);
        const packed = await rawOf(shop.url + path);
        expect(packed.headers['content-encoding']).toBe('gzip');
        expect(gunzipSync(packed.body).toString()).toBe('sku;stock\r\nA;1\r\n');
        const head = await got(path, {}, 'HEAD');
        expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);

        // Compression is unwanted, or its quality is below zero: the file is not compressed. A range is ignored.
        for (const coding of ['gzip;q=0', 'gzip;q=0, *;q=1', '*;q=0', 'identity', 'br', 'gzip;q=none', '']) {
            const plain = await rawOf(shop.url + path, { 'accept-encoding': coding, range: 'bytes=0-3' });
            expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
            expect(plain.body.toString()).toBe('sku;stock\r\nA;1\r\n');
        }
        for (const tags of ['*', etag.replace('W/', ''), `"a", , "b,c",${etag}`, ` ${etag} `])
            expect((await got(path, { 'if-none-match': tags })).status).toBe(304);
        for (const tags of ['', '"', 'W/', etag.slice(0, -2), etag.replaceAll('"', '')])
            expect((await got(path, { 'if-none-match': tags })).status).toBe(200);
        // A client that repeats HEAD requests leaves nothing open.
        const open = (): number => filesOpen().length;
        const before = open();
        for (let times = 0; times < 20; times++) await got(path, {}, 'HEAD');
        expect(open()).toBeLessThanOrEqual(before);

        stock = [{ sku: 'A', stock: 2 }];
        await shop.perform('export-stock');
        const next = await got(path, { 'if-none-match': etag });
        expect([next.status, await next.text()]).toEqual([200, 'sku;stock\r\nA;2\r\n']);
    });

    it('are not served if the address is revoked, expired or guessed', async () => {
        const feeds = shop.dataSource.getRepository(FlowFeed);
        const { id, path } = await made('stock');
        expect((await got(path)).status).toBe(200);
        const revoke = gql`
            mutation Revoke($id: ID!) {
                revokeFlowFeed(id: $id) {
                    revokedAt
                    revokedBy {
                        identifier
                    }
                    createdBy {
                        identifier
                    }
                }
            }
        `;
        const { revokeFlowFeed: revoked } = await shop.adminClient.query(revoke, { id });
        expect(revoked).toMatchObject({
            revokedAt: expect.any(String) as string,
            revokedBy: { identifier: 'superadmin' },
            createdBy: { identifier: 'superadmin' },
        });
        const { revokeFlowFeed: again } = await shop.adminClient.query(revoke, { id });
        expect(again.revokedAt).toBe(revoked.revokedAt);

        const expiring = await made('stock', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
        expect((await got(expiring.path)).status).toBe(200);
        await feeds.update({ id: expiring.id.replace('T_', '') as never }, { expiresAt: new Date(Date.now() - 1_000) });
        const none = await made('never-exported');

        const rejected = [
            ...[path, expiring.path, none.path],
            // A guessed address, one with a suffix, and one on another path.
            ...['A'.repeat(43), 'a', `${'A'.repeat(43)}.csv.csv`, '..%2F..%2Fetc%2Fpasswd', '%00', '*'].map(
                token => `/flow/feeds/${token}`,
            ),
            `${path}x`,
        ];
        for (const one of rejected) {
            const answer = await got(one);
            expect([answer.status, await answer.json()]).toEqual([
                404,
                { success: false, error: ERRORS.FEED_UNKNOWN.text, code: 'FEED_UNKNOWN' },
            ]);
        }
        const stored = JSON.stringify(await feeds.find());
        expect(stored).not.toContain(path.split('/').at(-1));
        await expect(made('no/export')).rejects.toThrow('exportCode is "no/export"');
    });

    it('are files of their channel like others', async () => {
        const file = await shop.dataSource.getRepository(FlowManagedFile).findOneByOrFail({ exportCode: 'stock' });
        expect(file).toMatchObject({ encoding: 'utf-8', uploadedBy: null, expiresAt: null });
    });
}

/** Without conversion: fetch unpacks the response. */
async function rawOf(url: string, sent: Record<string, string> = { 'accept-encoding': 'br, gzip;q=0.8' }) {
    const { request } = await import('undici');
    const { statusCode: status, headers, body } = await request(url, { headers: sent });
    return { status, headers, body: Buffer.from(await body.arrayBuffer()) };
}

/** The files of the storage that this process has open; empty if the system does not provide that. */
function filesOpen(): readonly string[] {
    const folder = '/proc/self/fd';
    return (existsSync(folder) ? readdirSync(folder) : []).flatMap(name => {
        try {
            const path = readlinkSync(join(folder, name));
            return /[/][0-9a-f]{32}$/.test(path) ? [path] : [];
        } catch {
            // It was closed after the folder was read.
            return [];
        }
    });
}

export const exportsSuite: SharedSuite = {
    title: 'exports',
    adapters: [shelf],
    pipelines: [
        exporting('export-stock', { format: 'CSV', exportCode: 'stock', delimiter: ';' }),
        exporting('export-empty', { format: 'CSV' }),
        exporting('export-google', {
            format: 'XML',
            feed: 'googleMerchant',
            exportCode: 'google',
            country: 'DE',
            currencyCode: 'EUR',
            pricesIncludeTax: true,
            feedLink: 'https://shop.example.com',
        }),
    ],
    tests: exportsOf,
};
