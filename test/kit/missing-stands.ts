import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformOf } from '../../e2e/config/load-harness';
import { testServer } from '../../e2e/config/test-server';
import type { Resources } from '../../src/core/adapter/context';
import type { ExampleFile } from '../../src/core/adapter/extractor';
import { noResources } from '../../src/core/adapter/no-resources';
import type { Outbound } from '../../src/core/adapter/outbound';
import type { JsonObject } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import type { VendurePlatform } from '../../src/platform/context';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { setUp } from '../../src/plugin/setup';
import { filesOfExample } from '../../src/testing/provided-files';
import { providedResources } from '../../src/testing/provided-resources';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';
import { startFtp } from '../servers/ftp-server';
import { scratchFolder } from '../servers/process';
import { startCloud } from '../servers/s3-server';
import { startSftp } from '../servers/sftp-server';
import { ApiServer, type PlayedAnswer, type PlayedRequest } from './api-plays';
import { QuickClock } from './api-reader';
import { played, type Served, type Way, ways } from './paging-ways';
import { PimCatalogue } from './pim/catalogue';
import { PIM_FAULTS } from './pim/faults';
import { PIM_KEY, PimServer } from './pim/server';
import { postgresSource, sourceContext, type SourceDatabase } from './source-database';

/** Changes a source; returns the resulting changes of the configuration. */
type Turn = () => Promise<JsonObject | void> | JsonObject | void;

/** A source with the ids 1 to 6 that an extractor reads. */
export interface SourceStand {
    readonly config: JsonObject;
    readonly resources?: Partial<Resources>;
    readonly outbound?: Outbound;
    readonly platform?: VendurePlatform;
    /** Stores one record for each of these ids, and serves them. */
    serve(ids: readonly number[]): Promise<void> | void;
    /** Each keeps all records stored, and serves them in another way, partly, or not at all. */
    readonly faults: Readonly<Record<string, Turn>>;
    /** It reads only changes, and never all records. */
    readonly isPart?: true;
    /** The configuration, for a source whose records are part of it. */
    configOf?(ids: readonly number[]): JsonObject;
    close?(): Promise<void>;
}

export const IDS = [1, 2, 3, 4, 5, 6];
const objects = (ids: readonly number[]): JsonObject[] => ids.map(id => ({ id }));
/** Two records a page. */
const paged = (ids: readonly number[]): JsonObject[][] =>
    ids.flatMap((id, i) => (i % 2 === 0 ? [objects(ids.slice(i, i + 2))] : []));

const openDoor = (): OutboundGateway =>
    new OutboundGateway({
        allowedHostnames: ['127.0.0.1'],
        clock: new QuickClock(),
        rules: { unknownHostKeys: true, maxFileBytes: 4_000_000 },
    });
const through = (gateway: OutboundGateway): Outbound => gateway.forRun({ scope: 'test', rateLimitRps: 0 });

/** The answers of a server instead of its second page. */
const BROKEN: Readonly<Record<string, PlayedAnswer>> = {
    'an error 500': { status: 500 },
    'an error 401': { status: 401 },
    'an error 404': { status: 404, body: { detail: 'Invalid page.' } },
    'a page of HTML': { headers: { 'content-type': 'text/html' }, body: '<h1>Down for maintenance</h1>' },
    'JSON that ends in the middle': { body: '{"items":[{"id":' },
    'an answer that is cut off': { body: { items: objects(IDS) }, isCut: true },
    'an object without records': { body: { message: 'try later' } },
    'GraphQL errors': { body: { errors: [{ message: 'no such price' }], data: null } },
};

async function apiStand(forgedCase: Way): Promise<SourceStand> {
    let served: Served = { pages: [] };
    let broken: PlayedAnswer | undefined;
    const whole = (request: PlayedRequest) => played(forgedCase, served)(request);
    const server = await new ApiServer(request =>
        broken !== undefined && forgedCase.pageOf(request.url, request.body) === 2 ? broken : whole(request),
    ).listen();
    const gateway = openDoor();
    const pages = paged(IDS);
    const serve = (next: Served, instead?: PlayedAnswer): void => {
        served = next;
        broken = instead;
    };
    const isCounted = forgedCase.sign === 'total';
    return {
        config: { url: `${server.url}/products`, retry: { maxAttempts: 1 }, ...forgedCase.config },
        outbound: through(gateway),
        serve: ids => serve({ pages: paged(ids) }),
        faults: {
            ...Object.fromEntries(
                Object.entries(BROKEN).map(([name, answer]) => [name, () => serve({ pages }, answer)]),
            ),
            'a page that is returned repeatedly': () =>
                serve({ pages: [pages[0]!, ...Array.from({ length: 6 }, () => pages[1]!), pages[2]!] }),
            // Without a total or another sign, an empty page is the end of numbered pages, as the guide says.
            ...((forgedCase.by === 'cursors' || forgedCase.sign !== 'none') && {
                'an empty page in the middle': () => serve({ pages: [pages[0]!, [], pages[1]!, pages[2]!] }),
            }),
            ...(isCounted && {
                'pages that are empty although they are counted': () =>
                    serve({ pages: [pages[0]!, [], []], total: () => 6 }),
                'a count that falls': () => serve({ pages: [...pages.slice(0, 2), []], total: page => 7 - page }),
                'fewer records than are counted': () => serve({ pages: pages.slice(0, 2), total: () => 6 }),
            }),
        },
        close: async () => {
            await server.close();
            await gateway.close();
        },
    };
}

async function pimStand(): Promise<SourceStand> {
    const server = await new PimServer(new PimCatalogue({ products: IDS.length })).listen();
    const gateway = openDoor();
    const { registry } = setUp({});
    const products = new Map(server.catalogue.products);
    const baseUrl = server.endpoint;
    const auth = { type: 'API_KEY', headerName: 'apikey', secretCode: 'pim-key' };
    const connections = { pim: { type: 'GRAPHQL', settings: { baseUrl, auth } } };
    return {
        config: { connectionCode: 'pim', entityType: 'product', first: 2, retry: { maxAttempts: 1 } },
        resources: providedResources({ registry, connections, secrets: { 'pim-key': PIM_KEY } }),
        outbound: through(gateway),
        serve: ids => {
            server.disturb = () => undefined;
            server.listings.hidden.clear();
            server.catalogue.products.clear();
            for (const id of ids) server.catalogue.products.set(id, products.get(id)!);
        },
        faults: {
            ...Object.fromEntries(
                PIM_FAULTS.map(([name, issue]) => [name, () => void (server.disturb = (_, answer) => issue(answer))]),
            ),
            'records that the key may not see': () => void server.listings.hidden.add(3),
            'nothing that the key may see': () => void IDS.forEach(id => server.listings.hidden.add(id)),
            'a count that falls': () => {
                let requested = 0;
                server.disturb = () =>
                    ++requested < 2
                        ? undefined
                        : { body: { data: { getProductListing: { totalCount: 2, edges: [] } } } };
            },
        },
        close: async () => {
            await server.close();
            await gateway.close();
        },
    };
}

/** Writes ids in a file format, and incomplete files of it. */
interface FileFormat {
    readonly of: (ids: readonly number[]) => ExampleFile;
    readonly broken: Readonly<Record<string, ExampleFile>>;
    readonly config?: JsonObject;
}

const FORMATS: Readonly<Record<string, FileFormat>> = {
    csv: {
        of: ids => `id,name\n${ids.map(id => `${id},x\n`).join('')}`,
        broken: {
            'a header alone': 'id,name\n',
            'rows that are too short': 'id,name\n1,x\n2,x\n3\n4\n5,x\n6,x\n',
            'a quote that is never closed': 'id,name\n1,x\n2,"x\n3,x\n4,x\n5,x\n6,x\n',
            'another delimiter': 'id;name\n1;x\n2;x\n3;x\n4;x\n5;x\n6;x\n',
            'columns without ids': 'name,other\nx,x\ny,y\n',
        },
    },
    json: {
        of: ids => JSON.stringify({ items: objects(ids) }),
        config: { itemsPath: 'items' },
        broken: {
            'an empty list': '{"items":[]}',
            'a text that ends in the middle': '{"items":[{"id":1},{"id":2},{"id"',
            'records elsewhere': '{"data":[{"id":1}]}',
            'an element that is not a record': '{"items":[{"id":1},7,{"id":3}]}',
        },
    },
    xml: {
        of: ids => `<all>${ids.map(id => `<item><id>${id}</id></item>`).join('')}</all>`,
        config: { recordPath: 'all.item' },
        broken: {
            'no element': '<all></all>',
            'elements elsewhere': '<all><items><item><id>1</id></item></items></all>',
            'a text that ends in the middle': '<all><item><id>1</id></item><item><id>2',
        },
    },
    xlsx: {
        of: ids => ({ Rows: [['id', 'name'], ...ids.map(id => [String(id), 'x'])] }),
        broken: {
            'a header alone': { Rows: [['id', 'name']] },
            'no row': { Rows: [] },
            'rows on the second sheet': { Cover: [['Products']], Rows: [['id'], ['1'], ['2']] },
        },
    },
};

function fileStand(format: string): SourceStand {
    const { of, broken, config = {} } = FORMATS[format]!;
    const name = `rows.${format}`;
    let content: ExampleFile | undefined;
    const find = (id: string) => filesOfExample(content === undefined ? {} : { [name]: content }).find(id);
    return {
        config: { fileId: name, ...config },
        resources: { ...noResources, files: { find } },
        serve: ids => void (content = of(ids)),
        faults: {
            'a file that has expired': () => void (content = undefined),
            'an empty file': () => void (content = ''),
            ...Object.fromEntries(Object.entries(broken).map(([issue, text]) => [issue, () => void (content = text)])),
        },
    };
}

/** Folders on servers: `a.csv` to `c.csv` with two ids each. */
interface Folder {
    readonly config: JsonObject;
    readonly type: string;
    readonly settings: JsonObject;
    readonly most: string;
    write(name: string, content: string, hour: number): Promise<void> | void;
    empty(): Promise<void> | void;
    readonly faults?: Readonly<Record<string, Turn>>;
    close(): Promise<void>;
}

function folderStand({ config, type, settings, most, write, empty, faults: issues = {}, close }: Folder): SourceStand {
    const gateway = openDoor();
    const secrets = { secret: 'secret', test: 'test' };
    const { registry } = setUp({});
    const serve = async (ids: readonly number[]): Promise<void> => {
        await empty();
        for (const [i, records] of paged(ids).entries())
            await write(`${'abc'[i]!}.csv`, `id\n${records.map(({ id }) => `${String(id)}\n`).join('')}`, i);
    };
    return {
        config: { connectionCode: 'server', ...config },
        resources: providedResources({ registry, connections: { server: { type, settings } }, secrets }),
        outbound: through(gateway),
        serve,
        faults: {
            'no file': empty,
            'a file that is empty': () => write('b.csv', '', 1),
            'a file that is malformed': () => write('b.csv', 'id,name\n3,"x\n', 1),
            'files with their headers alone': async () => {
                for (const [i, name] of ['a', 'b', 'c'].entries()) await write(`${name}.csv`, 'id\n', i);
            },
            'more files than a run reads': () => ({ [most]: 2 }),
            'a bound of time': () => ({ modifiedAfter: new Date(HOURS[1]!).toISOString() }),
            'only new records': () => ({ modifiedAfter: 'LAST_RUN' }),
            ...issues,
        },
        close: async () => {
            await close();
            await gateway.close();
        },
    };
}

const HOURS = [0, 1, 2, 3].map(hour => Date.UTC(2026, 0, 1, hour));

async function onDisk(type: 'FTP' | 'SFTP'): Promise<SourceStand> {
    const folder = scratchFolder();
    const root = join(folder, 'in');
    mkdirSync(root);
    const turns = { asListed: (line: string) => line, more: [] as string[], entries: [] as object[] };
    const server =
        type === 'FTP'
            ? await startFtp({ folder, asListed: line => turns.asListed(line), moreLines: () => turns.more })
            : await startSftp({ folder });
    const write = (name: string, content: string, hour: number): void => {
        mkdirSync(join(root, name, '..'), { recursive: true });
        writeFileSync(join(root, name), content);
        utimesSync(join(root, name), new Date(HOURS[hour]!), new Date(HOURS[hour]!));
    };
    const sound = (): void => {
        turns.asListed = line => line;
        for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
    };
    return folderStand({
        config: { remotePath: '/in' },
        type,
        settings: { host: '127.0.0.1', port: server.port, username: 'shop', passwordSecretCode: 'secret' },
        most: 'maxFiles',
        write,
        empty: sound,
        faults: {
            'a name with control characters': () => {
                rmSync(join(root, 'b.csv'));
                write('b\u0001.csv', 'id\n3\n4\n', 1);
            },
            'no folder': () => ({ remotePath: '/elsewhere' }),
            ...(type === 'FTP' && {
                'lines that are not understood': () =>
                    void (turns.asListed = line => (line.includes('b.csv') ? '??? b.csv' : line)),
            }),
        },
        close: () => server.close(),
    });
}

async function inBucket(): Promise<SourceStand> {
    const Bucket = 'flow-missing';
    const cloud = await startCloud(Bucket);
    const write = async (name: string, Body: string): Promise<void> => {
        await cloud.client.send(new PutObjectCommand({ Bucket, Key: `in/${name}`, Body }));
    };
    const empty = async (): Promise<void> => {
        const { Contents = [] } = await cloud.client.send(new ListObjectsV2Command({ Bucket }));
        const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
        if (Objects.length > 0) await cloud.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    };
    return folderStand({
        config: { prefix: 'in/' },
        type: 'OBJECT_STORAGE',
        settings: {
            bucket: Bucket,
            endpoint: cloud.endpoint,
            forcePathStyle: true,
            accessKeyIdSecretCode: 'test',
            secretAccessKeySecretCode: 'test',
        },
        most: 'maxObjects',
        write,
        empty,
        faults: {
            'a key that is not allowed': async () => {
                await empty();
                await write('a.csv', 'id\n1\n2\n');
                await write('../b.csv', 'id\n3\n4\n');
            },
            'no bucket': () => ({ bucket: 'flow-nobody' }),
        },
        close: () => cloud.stop(),
    });
}

async function databaseStand(url: string, pagination: JsonObject | undefined): Promise<SourceStand> {
    const source = await postgresSource(url);
    await source.ask('CREATE TABLE rows_of (id INT PRIMARY KEY, changed timestamptz NOT NULL)');
    const { outbound, ...resources } = sourceContext();
    return {
        config: {
            ...source.step,
            query: 'SELECT id, changed FROM rows_of ORDER BY changed, id',
            ...(pagination && { pagination: { enabled: true, pageSize: 2, ...pagination } }),
        },
        resources,
        ...(outbound && { outbound }),
        serve: ids => fill(source, ids),
        faults: {
            'a table that was deleted': async () => void (await source.ask('ALTER TABLE rows_of RENAME TO away')),
            ...(pagination && {
                'more pages than are allowed': () => ({ pagination: { ...paging(pagination), maxPages: 2 } }),
            }),
            ...(pagination?.['type'] === 'CURSOR' && {
                'a NULL in the column of the cursor': async () =>
                    void (await source.ask(
                        'ALTER TABLE rows_of ALTER changed DROP NOT NULL; UPDATE rows_of SET changed = NULL WHERE id = 3',
                    )),
                'only new records': () => ({ incremental: { enabled: true, column: 'changed' } }),
            }),
        },
        close: () => source.drop(),
    };
}

const paging = (pagination: JsonObject): JsonObject => ({ enabled: true, pageSize: 2, ...pagination });

async function fill(source: SourceDatabase, ids: readonly number[]): Promise<void> {
    await source.ask('ALTER TABLE IF EXISTS away RENAME TO rows_of');
    await source.ask('DELETE FROM rows_of');
    for (const id of ids)
        await source.ask(`INSERT INTO rows_of VALUES (${id}, timestamptz '2026-01-01 00:00:0${Math.floor(id / 2)}')`);
}

async function cdcStand(url: string): Promise<SourceStand> {
    const source = await postgresSource(url);
    await source.ask('CREATE TABLE rows_of (id INT PRIMARY KEY, changed timestamptz NOT NULL)');
    await source.ask('CREATE INDEX by_change ON rows_of (changed, id)');
    const { host, port, database, username } = source.step as Record<string, string | number>;
    const settings = { host, port, database, username, passwordSecretCode: 'reader-password' } as JsonObject;
    const { outbound, ...resources } = sourceContext({}, { erp: { type: 'POSTGRES', settings } });
    return {
        config: {
            connectionCode: 'erp',
            databaseType: 'POSTGRES',
            table: 'rows_of',
            trackingColumn: 'changed',
            trackingType: 'TIMESTAMP',
            primaryKey: 'id',
            columns: ['id'],
        },
        resources,
        ...(outbound && { outbound }),
        isPart: true,
        serve: ids => fill(source, ids),
        faults: {
            'a table that was deleted': async () => void (await source.ask('ALTER TABLE rows_of RENAME TO away')),
            'fewer rows a run': () => ({ batchSize: 2 }),
        },
        close: () => source.drop(),
    };
}

async function shopStand(): Promise<SourceStand> {
    const server = await testServer('postgres', { jobs: 'none' });
    const platform = await platformOf(server.app);
    const loader = loaders.find(({ code }) => code === 'facetUpsert')!;
    return {
        config: { entity: 'FACET', filters: [{ field: 'code', operator: 'like', value: 'missing-%' }], batchSize: 2 },
        platform,
        serve: async ids => {
            const load = await openLoaderTestRun({ loader, platform });
            await load(
                IDS.map(id => ({
                    code: `missing-${id}`,
                    name: `Missing ${id}`,
                    ...(!ids.includes(id) && { __operation: 'DELETE' }),
                })),
            );
        },
        faults: {
            'only new records': () => ({ updatedSince: 'LAST_RUN' }),
            'only changes after a time': () => ({ updatedSince: '2099-01-01' }),
        },
        close: () => server.destroy(),
    };
}

/** The records are part of the configuration, so none of them can be missing. */
const inStep = (configOf: (ids: readonly number[]) => JsonObject) => (): SourceStand => ({
    config: configOf(IDS),
    configOf,
    serve: () => undefined,
    faults: {},
});

type Stands = Readonly<Record<string, () => Promise<SourceStand> | SourceStand>>;

/** The sources of each extractor, by its code: one for each way of paging, or for each server. */
export function missingStands(postgres: string): Readonly<Record<string, Stands>> {
    const apis = (extractor: Way['extractor']): Stands =>
        Object.fromEntries(
            [...ways()]
                .filter(([, way]) => way.extractor === extractor)
                .map(([name, way]) => [name, () => apiStand(way)]),
        );
    const cursor = { type: 'CURSOR', cursorColumn: 'changed', cursorTieBreakerColumn: 'id' };
    return {
        httpApi: apis('httpApi'),
        graphql: apis('graphql'),
        pimGraphQL: { listing: pimStand },
        inMemory: { records: inStep(ids => ({ data: objects(ids) })) },
        generator: { template: inStep(ids => ({ count: ids.length, template: { id: 'seq:1' } })) },
        csv: { file: () => fileStand('csv'), text: inStep(ids => ({ csvText: String(FORMATS['csv']!.of(ids)) })) },
        json: { file: () => fileStand('json') },
        xml: { file: () => fileStand('xml') },
        xlsx: { file: () => fileStand('xlsx') },
        ftp: { SFTP: () => onDisk('SFTP'), FTP: () => onDisk('FTP') },
        objectStorage: { bucket: inBucket },
        database: {
            whole: () => databaseStand(postgres, undefined),
            OFFSET: () => databaseStand(postgres, { type: 'OFFSET' }),
            CURSOR: () => databaseStand(postgres, cursor),
        },
        platformQuery: { facets: shopStand },
        cdc: { table: () => cdcStand(postgres) },
    };
}
