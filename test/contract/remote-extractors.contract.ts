import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ftpExtractor } from '../../src/adapters/extractors/ftp';
import { objectStorageExtractor } from '../../src/adapters/extractors/object-storage';
import { openRemote, type RemoteContext } from '../../src/adapters/remote-files/open-remote';
import type { ExtractContext, Extractor, Page } from '../../src/core/adapter/extractor';
import type { SourceReference } from '../../src/core/adapter/source-reference';
import { asFlowError } from '../../src/core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { LIST_BOUNDS } from '../../src/io/remote/remote-files';
import { setUp } from '../../src/plugin/setup';
import { readPages } from '../../src/testing/bare-extract';
import { checksOf } from '../../src/testing/contract';
import { contextWith } from '../../src/testing/context';
import { providedResources } from '../../src/testing/provided-resources';
import { zipOf } from '../../src/testing/zip';
import { readingChecks } from '../../src/testing/reading-checks';
import { codeOf } from '../kit/blobs-contract';
import { type StubServer, StubServers } from '../kit/stub-server';
import { type CutProxy, cutProxy } from '../servers/cut-proxy';
import { startFtp } from '../servers/ftp-server';
import { scratchFolder } from '../servers/process';
import { CLOUD_KEYS, startCloud } from '../servers/s3-server';
import { startSftp } from '../servers/sftp-server';

const BUCKET = 'flow-read';
const XLSX = readFileSync(join(__dirname, '../fixtures/files/rows.xlsx'));

type Cutting = Pick<CutProxy, 'port' | 'cutAfter' | 'cuts'>;

/** A server with a folder `in`, and the configuration of a step that reads it. */
interface Served {
    readonly extractor: Extractor;
    readonly config: (more?: JsonObject) => JsonObject;
    readonly connections: Parameters<typeof providedResources>[0]['connections'];
    /** In the order of this list, oldest first, one second apart. */
    write(name: string, content: string | Uint8Array, age?: number): Promise<void>;
    /** Makes a link next to the files, on servers that have links. */
    link?(name: string, to: string): void;
    readonly cutting: Cutting;
    names(): Promise<readonly string[]>;
    empty(): Promise<void>;
    /** Where files are moved to. */
    readonly moving: JsonObject;
    readonly metadata: { readonly flag: string; readonly field: string };
    readonly most: string;
}

const ending: Array<() => Promise<void>> = [];
const doorFor = (maxFileBytes: number): OutboundGateway =>
    new OutboundGateway({ allowedHostnames: ['127.0.0.1'], rules: { unknownHostKeys: true, maxFileBytes } });
const gateway = doorFor(4_000_000);
const wideDoor = doorFor(8_000_000);
afterAll(async () => {
    for (const end of ending) await end();
    await Promise.all([gateway.close(), wideDoor.close()]);
});

const HOUR = 3_600_000;
/** Long enough for a client to notice that it was disconnected. */
const SOON_MS = 20;
const BEGIN = Date.UTC(2026, 0, 1);

function onDisk(folder: string): Pick<Served, 'write' | 'link' | 'names' | 'empty'> {
    const at = (name: string): string => join(folder, 'in', name);
    const list = async (): Promise<readonly string[]> => {
        const { readdirSync } = await import('node:fs');
        return readdirSync(join(folder, 'in'), { recursive: true, withFileTypes: true })
            .filter(entry => entry.isFile())
            .map(entry => join(entry.parentPath, entry.name).slice(join(folder, 'in').length + 1))
            .sort();
    };
    return {
        write: async (name, content, age = 0) => {
            mkdirSync(dirname(at(name)), { recursive: true });
            writeFileSync(at(name), content);
            const time = new Date(BEGIN + age * HOUR);
            utimesSync(at(name), time, time);
        },
        link: (name, to) => symlinkSync(to, at(name)),
        names: list,
        empty: async () => {
            rmSync(join(folder, 'in'), { recursive: true });
            mkdirSync(join(folder, 'in'));
        },
    };
}

/** FTP uses a separate data connection: the server cuts both. */
async function cuttableFtp(folder: string): Promise<Cutting> {
    const server = await startFtp({ folder });
    ending.push(() => server.close());
    return server;
}

/** A server whose connections a proxy cuts, however many there are. */
async function cuttable({ port, close }: { readonly port: number; close?(): Promise<void> }): Promise<Cutting> {
    const proxy = await cutProxy(port);
    ending.push(() => proxy.close());
    if (close) ending.push(close);
    return proxy;
}

async function ofFtp(type: 'FTP' | 'SFTP'): Promise<Served> {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'in'));
    const cutting = await (type === 'FTP' ? cuttableFtp(folder) : startSftp({ folder }).then(cuttable));
    const settings = { host: '127.0.0.1', port: cutting.port, username: 'shop', passwordSecretCode: 'secret' };
    return {
        extractor: ftpExtractor as unknown as Extractor,
        connections: { server: { type, settings } },
        config: more => ({ connectionCode: 'server', remotePath: '/in', ...more }),
        moving: { enabled: true, destinationPath: '/in/done' },
        metadata: { flag: 'includeFileMetadata', field: '_ftp' },
        most: 'maxFiles',
        cutting,
        ...onDisk(folder),
    };
}

async function ofBucket(): Promise<Served> {
    const cloud = await startCloud(BUCKET);
    ending.push(() => cloud.stop());
    const client: S3Client = cloud.client;
    const keysOf = async (): Promise<readonly string[]> => {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
        return Contents.map(({ Key }) => Key!);
    };
    const cutting = await cuttable({ port: Number(new URL(cloud.endpoint).port) });
    const settings = {
        bucket: BUCKET,
        endpoint: `http://127.0.0.1:${cutting.port}`,
        forcePathStyle: true,
        accessKeyIdSecretCode: CLOUD_KEYS.accessKeyId,
        secretAccessKeySecretCode: CLOUD_KEYS.secretAccessKey,
    };
    return {
        extractor: objectStorageExtractor as unknown as Extractor,
        connections: { server: { type: 'OBJECT_STORAGE', settings } },
        config: more => ({ connectionCode: 'server', prefix: 'in/', ...more }),
        moving: { enabled: true, destinationPrefix: 'done/' },
        metadata: { flag: 'includeObjectMetadata', field: '_objectStorage' },
        most: 'maxObjects',
        cutting,
        write: async (name, content) => {
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `in/${name}`, Body: content }));
        },
        names: async () =>
            (await keysOf())
                .filter(key => key.startsWith('in/'))
                .map(key => key.slice(3))
                .sort(),
        empty: async () => {
            const Objects = (await keysOf()).map(Key => ({ Key }));
            if (Objects.length > 0)
                await client.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects } }));
        },
    };
}

function reading(make: () => Promise<Served>): void {
    let served: Served;
    let cx: Partial<ExtractContext>;
    beforeAll(async () => {
        served = await make();
        const { registry } = setUp({});
        const { connections } = served;
        const secrets = { secret: 'secret', test: 'test' };
        cx = {
            ...contextWith(providedResources({ registry, connections, secrets })),
            outbound: gateway.forRun({ scope: 'test', rateLimitRps: 0 }),
        };
    });
    afterEach(() => served.empty());

    const pages = (more: JsonObject = {}, part: Partial<ExtractContext> = {}): Promise<readonly Page[]> =>
        readPages({ extractor: served.extractor, config: served.config(more) }, { ...cx, ...part });
    const records = async (more: JsonObject = {}, part: Partial<ExtractContext> = {}): Promise<readonly JsonObject[]> =>
        (await pages(more, part)).flatMap(page => page.records);
    const skus = (all: readonly JsonObject[]): readonly JsonValue[] => all.map(({ sku }) => sku!);
    const handlesOf = (all: readonly Page[]) => all.flatMap(page => page.records.map(({ handle }) => handle));
    const faultsOf = (all: readonly Page[]) => all.flatMap(({ faults: issues = [] }) => issues);

    it('reads files of every format, compressed or not, and adds the location of each record', async () => {
        const files: ReadonlyArray<readonly [name: string, content: string | Uint8Array]> = [
            ['a.csv', 'sku,name\nA,Größe\n'],
            ['b.tsv', 'sku\tname\nB,B\tx\n'],
            ['c.json', '[{"sku":"C","stock":5}]'],
            ['d.ndjson', '{"sku":"D"}\n{"sku":"D2"}\n'],
            ['e.xml', '<all><item><sku>E</sku></item></all>'],
            ['f.csv.gz', gzipSync('sku,name\nF,x\n')],
            ['g.json.gz', gzipSync('{"sku":"G"}')],
            ['h.zip', zipOf([{ name: 'inner.csv', content: 'sku,name\nH,x\n' }])],
        ];
        for (const [i, [name, content]] of files.entries()) await served.write(name, content, i);
        const all = await records();
        expect([...skus(all)].sort()).toEqual(['A', 'B,B', 'C', 'D', 'D2', 'E', 'F', 'G', 'H']);
        expect(all).toContainEqual({ sku: 'A', name: 'Größe' });
        expect(all).toContainEqual({ sku: 'C', stock: 5 });
    });

    it('reads workbooks, and a sheet of them by its name', async () => {
        await served.write('rows.xlsx', XLSX);
        await served.write('packed.zip', zipOf([{ name: 'rows.xlsx', content: XLSX }]), 1);
        const all = await records({ xlsx: { sheet: 'Rows' } });
        expect(all.length).toBeGreaterThan(2_000);
    });

    it('uses the settings instead of the format that the file name suggests', async () => {
        await served.write('stock.dat', 'A;5\nB;7\n');
        expect(await records({ format: 'CSV', csv: { delimiter: ';', header: false } })).toEqual([
            { column1: 'A', column2: '5' },
            { column1: 'B', column2: '7' },
        ]);
        await served.empty();
        await served.write('padded.csv', 'sku , name\n A , "x, y"\n');
        expect(await records({ csv: { trim: true } })).toEqual([{ sku: 'A', name: 'x, y' }]);
        await served.empty();
        await served.write('feed.json', '{"data":{"items":[{"sku":"A"}]}}');
        await served.write('feed.xml', '<a><b><i><sku>B</sku></i></b></a>', 1);
        const nested = { json: { path: 'data.items' }, xml: { recordPath: 'a.b.i' } };
        expect([...skus(await records(nested))].sort()).toEqual(['A', 'B']);
    });

    it('reads each of 50,000 records once, and in order, though the connection is cut at 20 random places', async () => {
        const about = 'one of the very many products of a large file; '.repeat(3);
        const rows = Array.from({ length: 50_000 }, (_, i) => `SKU-${String(i).padStart(6, '0')},${i % 100},${about}`);
        await served.write('large.csv', ['sku,stock,about', ...rows].join('\n'));
        // Far enough apart for some data to arrive: a client gives up when it is cut off five times without any.
        const places = Array.from({ length: 20 }, () => 250_000 + Math.floor(Math.random() * 100_000));
        served.cutting.cutAfter(...places);
        const outbound = wideDoor.forRun({ scope: 'large', rateLimitRps: 0 });
        const clock = { ...cx.clock!, sleep: () => sleep(SOON_MS) };
        const read = skus(await records({}, { clock, outbound }));
        expect(served.cutting.cuts()).toBe(places.length);
        expect(read).toEqual(rows.map(row => row.slice(0, 10)));
    });

    it('adds where a record comes from, if the step wants that', async () => {
        await served.write('a.csv', 'sku\nA\n');
        const { flag, field } = served.metadata;
        const [record] = await records({ [flag]: true });
        expect(record![field]).toMatchObject({ size: 6 });
        expect(JSON.stringify(record![field])).toContain('a.csv');
        const [page] = await pages();
        expect(page!.placeOf!(0)).toMatch(/in\/a\.csv, line 2$/);
    });

    it('skips a file that cannot be read, reports its name and the reason, and reads the others', async () => {
        const bomb = gzipSync(Buffer.alloc(40_000_000));
        const bad: Readonly<Record<string, string | Uint8Array>> = {
            'b.csv': 'sku,name\nB,"never closed\n',
            'c.json': '[{"sku":"C"},',
            'd.csv.gz': gzipSync('sku\nD\n').subarray(0, 20),
            'e.csv.gz': bomb,
            'f.zip': zipOf([
                { name: 'one.csv', content: 'sku\nF\n' },
                { name: 'two.csv', content: 'sku\nF\n' },
            ]),
            'g.zip': zipOf([{ name: 'bomb.csv', content: Buffer.alloc(40_000_000) }]),
            'h.pdf': '%PDF-1.7',
            'i.xlsx': 'no workbook',
            'j.csv': Buffer.alloc(5_000_000, 'x\n'),
        };
        await served.write('a.csv', 'sku\nA\n');
        for (const [i, [name, content]] of Object.entries(bad).entries()) await served.write(name, content, i + 1);
        await served.write('k.csv', 'sku\nK\n', 20);
        const all = await pages();
        expect([...skus(all.flatMap(page => page.records))].sort()).toEqual(['A', 'K']);
        const issues = faultsOf(all);
        expect(issues.map(({ data }) => String(data['file']).replace(/^.*\//, '')).sort()).toEqual(Object.keys(bad));
        expect(
            issues.every(({ path, data, problem, isFile }) => isFile && path === data['file'] && problem !== ''),
        ).toBe(true);
        await expect(records({ continueOnError: false })).rejects.toMatchObject({
            treat: expect.not.stringMatching('bug'),
        });
    });

    it('continues from every checkpoint with the rest, and reads no file twice', async () => {
        for (let i = 0; i < 4; i++) {
            const rows = Array.from({ length: 1_500 }, (_, j) => `${i}-${j}`).join('\n');
            await served.write(`${i}.csv`, `sku\n${rows}\n`, i);
        }
        const all = await pages();
        const whole = skus(all.flatMap(page => page.records));
        expect(new Set(whole).size).toBe(6_000);
        for (const [i, { checkpoint }] of all.entries()) {
            const before = skus(all.slice(0, i + 1).flatMap(page => page.records));
            const rest = skus(await records({}, { resumeFrom: checkpoint }));
            expect([...before, ...rest]).toEqual(whole);
        }
    });

    it('joins rows of a file to records, and continues from every checkpoint with the rest', async () => {
        const rows = (from: string): string =>
            Array.from({ length: 1_500 }, (_, i) => `${from}${Math.floor(i / 3)},${i % 3},`).join('\n');
        await served.write('a.csv', `handle,size,note\n${rows('a')}\n`);
        await served.write('b.csv', `handle,size,note\n${rows('b')}\n`, 1);
        for (const groupBy of ['handle', { column: 'handle', apart: true }]) {
            const all = await pages({ groupBy });
            const joined = all.flatMap(page => page.records);
            expect(joined).toHaveLength(1_000);
            expect(joined[0]).toEqual({ handle: 'a0', rows: ['0', '1', '2'].map(size => ({ handle: 'a0', size })) });
            const handles = (records: readonly JsonObject[]): readonly unknown[] => records.map(({ handle }) => handle);
            for (const [i, { checkpoint }] of all.entries()) {
                const before = handles(all.slice(0, i + 1).flatMap(page => page.records));
                const rest = handles(await records({ groupBy }, { resumeFrom: checkpoint }));
                expect([...before, ...rest]).toEqual(handles(joined));
            }
        }
        await served.empty();
        await served.write('short.csv', 'handle,size\na,S\na\nb,M\n');
        const broken = await pages({ groupBy: 'handle' });
        expect(handlesOf(broken)).toEqual(['b']);
        expect(faultsOf(broken).map(({ path }) => path)).toEqual([expect.stringMatching(/^rows\.1/)]);
        await served.empty();
        await served.write('rows.xlsx', XLSX);
        const first = (await records({ xlsx: { sheet: 'Rows' } }, { limit: 1 }))[0]!;
        const [column] = Object.keys(first);
        const sheet = await records({ xlsx: { sheet: 'Rows' }, groupBy: column! }, { limit: 1 });
        expect(sheet[0]).toMatchObject({ [column!]: first[column!], rows: [first] });
    });

    it('removes the apostrophes of a file that was written for spreadsheets, if the step is set to do so', async () => {
        await served.write('a.csv', "sku,name\n'-A1,'@brand\nB,it's\n");
        const read = [
            { sku: '-A1', name: '@brand' },
            { sku: 'B', name: "it's" },
        ];
        expect(await records({ csv: { formulaSafe: true } })).toEqual(read);
        expect(await records()).toEqual([{ sku: "'-A1", name: "'@brand" }, read[1]]);
    });

    it('counts as partial while a file that matches is still being written', async () => {
        await served.write('a.csv', 'sku\nA\n');
        expect((await pages()).some(({ isPart }) => isPart !== undefined)).toBe(false);
        await served.write('.b.csv.0f1e2d3c4b5a.part', 'sku\nB\n');
        const warned: string[] = [];
        const log = { ...contextWith({}).log, event: undefined, warn: (text: string) => void warned.push(text) };
        const all = await pages({}, { log });
        expect(skus(all.flatMap(page => page.records))).toEqual(['A']);
        expect(all.at(-1)!.isPart).toBeDefined();
        expect(warned.join()).toContain('.b.csv.0f1e2d3c4b5a.part');
    });

    it('counts as partial if links are not followed', async () => {
        if (!served.link) return expect(served.most).toBe('maxObjects'); // Object storage has no links.
        await served.write('a.csv', 'sku\nA\n');
        served.link('b.csv', 'a.csv');
        const all = await pages();
        expect(skus(all.flatMap(page => page.records))).toEqual(['A']);
        expect(all.at(-1)!.isPart).toBeDefined();
        expect((await pages({ filePattern: 'a*.csv' })).some(({ isPart }) => isPart !== undefined)).toBe(false);
        expect((await pages({ filePattern: '*.csv' })).at(-1)!.isPart).toBeDefined();
    });

    it('reads at most the allowed number of files, and reports that there are more', async () => {
        for (let i = 0; i < 5; i++) await served.write(`${i}.csv`, `sku\n${i}\n`, i);
        const first = await pages({ [served.most]: 2 });
        expect(first.flatMap(page => page.records)).toHaveLength(2);
        expect(first.at(-1)!.isPart).toBeDefined();
        // Although the read is partial, everything before that position was read.
        expect(first.at(-1)!.nextRun).toMatchObject({ evenIfPart: true });
        expect((await pages()).some(({ isPart }) => isPart !== undefined)).toBe(false);
    });

    it.each<JsonObject>([
        {},
        { modifiedAfter: '2025-01-01' },
        { modifiedAfter: 'LAST_RUN' },
        { continueOnError: false },
    ])(
        'continues in the next run with the files that are left, and begins again once all are read: %j',
        async config => {
            for (let i = 0; i < 5; i++) await served.write(`${i}.csv`, `sku\n${i}\n`, i);
            const most = { ...config, [served.most]: 2 };
            const left: unknown[] = [];
            const log = { ...contextWith({}).log, event: undefined, warn: (text: string) => void left.push(text) };
            let resumeFrom: JsonValue | undefined;
            const runs: Array<{ readonly read: readonly JsonValue[]; readonly isPart: boolean }> = [];
            for (let run = 0; run < 4; run++) {
                const all = await pages(most, { resumeFrom, log });
                const nextRun = all.findLast(page => page.nextRun !== undefined)?.nextRun;
                if (nextRun !== undefined) resumeFrom = nextRun === 'beginning' ? undefined : nextRun.from;
                runs.push({
                    read: skus(all.flatMap(page => page.records)),
                    isPart: all.some(({ isPart }) => isPart !== undefined),
                });
            }
            const isIncremental = config['modifiedAfter'] === 'LAST_RUN';
            expect(runs).toEqual([
                { read: ['0', '1'], isPart: true },
                { read: ['2', '3'], isPart: true },
                { read: ['4'], isPart: true },
                { read: isIncremental ? [] : ['0', '1'], isPart: true },
            ]);
            expect(String(left[0])).toMatch(/\b3\b.*2\.csv/);
        },
    );

    it('continues with the others if the oldest files cannot be read, and remain', async () => {
        for (let i = 0; i < 3; i++) await served.write(`${i}.csv`, 'sku,name\n"never closed\n', i);
        await served.write('3.csv', 'sku\nA\n', 3);
        const config = { [served.most]: 2, moveAfterProcess: served.moving };
        const first = await pages(config);
        expect(faultsOf(first)).toHaveLength(2);
        const { from } = first.at(-1)!.nextRun as { readonly from: JsonValue };
        expect(skus(await records(config, { resumeFrom: from }))).toEqual(['A']);
    });

    it('keeps the position of a completed run next to that of one that does not complete', async () => {
        const config = served.extractor.config.parse(served.config());
        expect(await served.extractor.saved!(config, contextWith(cx as object))).toMatchObject({ by: 'both' });
    });

    it('reads what has come since the last completed run, and nothing twice', async () => {
        const since = { modifiedAfter: 'LAST_RUN' };
        await served.write('a.csv', 'sku\nA\n', 1);
        await served.write('b.csv', 'sku\nB\n', 2);
        const first = await pages(since);
        expect(first.flatMap(page => page.records)).toHaveLength(2);
        const { nextRun } = first.at(-1)!;
        const resumeFrom = (nextRun as { readonly from: JsonValue }).from;
        expect(await records(since, { resumeFrom })).toEqual([]);
        await served.write('c.csv', 'sku\nC\n', 2);
        expect(skus(await records(since, { resumeFrom }))).toEqual(['C']);
        expect(await records({ modifiedAfter: '2099-01-01' })).toEqual([]);
        expect(await records({ modifiedAfter: '2025-01-01' })).toHaveLength(3);
    });

    it('reads a file that could not be read again with LAST_RUN, once it is corrected with the same time', async () => {
        const since = { modifiedAfter: 'LAST_RUN' };
        await served.write('a.csv', 'sku\nA\n', 1);
        await served.write('b.csv', 'sku,name\n"never closed\n', 2);
        await served.write('c.csv', 'sku\nC\n', 3);
        const first = await pages(since);
        expect(faultsOf(first)).toHaveLength(1);
        const resumeFrom = (first.at(-1)!.nextRun as { readonly from: JsonValue }).from;
        await served.write('b.csv', 'sku\nB\n', 2);
        // A bucket writes the time itself, so that B may be the newer one.
        expect([...skus(await records(since, { resumeFrom }))].sort()).toEqual(['B', 'C']);
    });

    it('moves or deletes a file afterwards as configured, but not one that has changed since', async () => {
        await served.write('a.csv', 'sku\nA\n', 1);
        await served.write('b.csv', 'sku\nB\n', 2);
        await served.write('c.csv', 'broken,"\n', 3);
        const moveAfterProcess = served.moving;
        const actions = (await pages({ moveAfterProcess })).flatMap(({ afterSuccess = [] }) => afterSuccess);
        expect(actions).toHaveLength(2);
        expect(
            (await pages({ moveAfterProcess }, { mode: 'dryRun' })).flatMap(({ afterSuccess = [] }) => afterSuccess),
        ).toEqual([]);
        // A file with a pending action was read already.
        const pendingActions = () => Promise.resolve(actions);
        expect(await records({ moveAfterProcess }, { pendingActions })).toEqual([]);
        await served.write('b.csv', 'sku\nB\nB2\n', 4);
        const config = served.extractor.config.parse(served.config({ moveAfterProcess }));
        const done = (action: JsonObject) =>
            served.extractor.afterCompletion!(config, action, contextWith(cx as object));
        // Twice, as after a kill in between.
        for (let time = 0; time < 2; time++) expect(await done(actions[0]!)).toBeUndefined();
        expect(await done(actions[1]!)).toMatchObject({
            event: 'FILE_NOT_MOVED',
            facts: { file: expect.stringContaining('b.csv') },
        });
        expect((await served.names()).filter(name => !name.startsWith('done'))).toEqual(['b.csv', 'c.csv']);
        // Another file of that name is moved next to the first one.
        await served.write('a.csv', 'sku\nA2\n', 5);
        const [again] = (await pages({ moveAfterProcess }))
            .flatMap(({ afterSuccess = [] }) => afterSuccess)
            .filter(action => JSON.stringify(action).includes('a.csv'));
        expect(await done(again!)).toMatchObject({
            event: 'FILE_RENAMED',
            facts: { target: expect.stringMatching(/a\..*\.csv/) },
        });
        const deleting = (await pages({ deleteAfterProcess: true })).flatMap(({ afterSuccess = [] }) => afterSuccess);
        for (const action of deleting) await done(action);
        expect((await served.names()).filter(name => !name.startsWith('done'))).toEqual(['c.csv']);
    });

    describe('of which a run reads one file', () => {
        /** A reference as a trigger has found it. */
        const found = async (name: string): Promise<SourceReference> => {
            const { signal } = new AbortController();
            const context = { ...cx, signal } as RemoteContext;
            const files = await openRemote(cx.connections!.get('server'), context);
            const under = served.metadata.field === '_ftp' ? '/in' : 'in/';
            try {
                for await (const page of files.list({ under, recursive: true, bounds: LIST_BOUNDS }))
                    for (const file of page.files)
                        if (file.path.endsWith(`in/${name}`))
                            return JSON.parse(
                                JSON.stringify({ connectionCode: 'server', under, file }),
                            ) as SourceReference;
            } finally {
                files.close();
            }
            throw new Error(`no file ${name}`);
        };
        const others = { modifiedAfter: '2099-01-01' };

        it('reads that file, whatever its folder, names and bounds are set to, and continues from every checkpoint', async () => {
            await served.write('a.csv', 'sku\nA\n', 1);
            await served.write('sub/b.csv', `sku\n${Array.from({ length: 2_500 }, (_, i) => `B${i}`).join('\n')}\n`, 2);
            const reference = await found('sub/b.csv');
            const all = await pages(others, { reference });
            const whole = skus(all.flatMap(page => page.records));
            expect(whole).toHaveLength(2_500);
            expect(all.every(({ isPart, nextRun }) => isPart === undefined && nextRun === undefined)).toBe(true);
            for (const [i, { checkpoint }] of all.entries()) {
                const before = skus(all.slice(0, i + 1).flatMap(page => page.records));
                const rest = skus(await records(others, { reference, resumeFrom: checkpoint }));
                expect([...before, ...rest]).toEqual(whole);
            }
        });

        it('reads nothing of a file that has changed or was deleted since it was found, and the run fails', async () => {
            await served.write('a.csv', 'sku\nA\n', 1);
            const reference = await found('a.csv');
            await served.write('a.csv', 'sku\nA\nA2\n', 2);
            expect(await codeOf(records({}, { reference }))).toBe('REMOTE_FILE_CHANGED');
            await served.empty();
            expect(await codeOf(records({}, { reference }))).toBe('REMOTE_FILE_CHANGED');
        });

        it('rejects one that cannot be read, and does not read one that waits to be moved', async () => {
            await served.write('a.csv', 'sku,name\nA,"never closed\n', 1);
            const all = await pages({}, { reference: await found('a.csv') });
            expect(faultsOf(all)).toHaveLength(1);
            await served.write('b.csv', 'sku\nB\n', 2);
            const reference = await found('b.csv');
            const moveAfterProcess = served.moving;
            const [action] = (await pages({ moveAfterProcess }, { reference })).flatMap(
                ({ afterSuccess = [] }) => afterSuccess,
            );
            expect(String(action!['to'])).toMatch(/done\/b\.csv$/);
            const pendingActions = () => Promise.resolve([action!]);
            expect(await records({ moveAfterProcess }, { reference, pendingActions })).toEqual([]);
        });

        it('has a separate position that is shared with no other file', async () => {
            await served.write('a.csv', 'sku\nA\n', 1);
            await served.write('b.csv', 'sku\nB\n', 2);
            const config = served.extractor.config.parse(served.config({ modifiedAfter: 'LAST_RUN' }));
            const places = await Promise.all(
                [undefined, await found('a.csv'), await found('b.csv')].map(reference =>
                    served.extractor.saved!(config, { ...contextWith(cx as object), ...(reference && { reference }) }),
                ),
            );
            expect(places.map(place => place!.by)).toEqual(['completed', undefined, undefined]);
            expect(new Set(places.map(place => place!.key)).size).toBe(3);
        });
    });

    it('has a separate position for each name pattern', async () => {
        const field = served.metadata.field === '_ftp' ? 'filePattern' : 'suffix';
        const keyOf = async (names: JsonObject): Promise<string> => {
            const config = served.extractor.config.parse(served.config({ modifiedAfter: 'LAST_RUN', ...names }));
            return (await served.extractor.saved!(config, contextWith(cx as object)))!.key;
        };
        const keys = [await keyOf({}), await keyOf({ [field]: 'stock.csv' }), await keyOf({ [field]: 'prices.csv' })];
        expect(new Set(keys).size).toBe(3);
        expect(await keyOf({ [field]: 'stock.csv' })).toBe(keys[1]);
    });

    it('that does not exist or rejects the login is an error, not an empty folder', async () => {
        const odd = {
            ...cx,
            secrets: {
                get: () => {
                    throw new Error('no secret');
                },
            },
        } as unknown as Partial<ExtractContext>;
        await expect(records({}, odd)).rejects.toThrow('no secret');
        if (served.metadata.field === '_ftp')
            expect(await codeOf(records({ remotePath: '/nowhere' }))).toMatch(/^REMOTE_/);
        else expect(await codeOf(records({ bucket: 'flow-nobody' }))).toBe('REMOTE_REFUSED');
        const away = await records({
            ...(served.metadata.field === '_ftp'
                ? { host: '127.0.0.1', port: 9 }
                : { endpoint: 'http://127.0.0.1:9', accessKeyIdSecretCode: 'test', secretAccessKeySecretCode: 'test' }),
        }).catch(asFlowError);
        expect(away).toMatchObject({ treat: 'transient' });
    });

    it('fulfils the contract of extractors', async () => {
        for (let i = 0; i < 3; i++)
            await served.write(
                `${i}.csv`,
                `sku\n${Array.from({ length: 1_200 }, (_, j) => `${i}-${j}`).join('\n')}\n`,
                i,
            );
        const one = { name: 'a folder', config: served.config() };
        const context = cx as Parameters<typeof readingChecks>[2];
        for (const { name, run } of checksOf(readingChecks(served.extractor, one, context)))
            await run().catch((error: unknown) => {
                throw new Error(`${name}: ${String(error)}`);
            });
    });
}

describe('a folder of an SFTP server', () => reading(() => ofFtp('SFTP')));
describe('a folder of an FTP server', () => reading(() => ofFtp('FTP')));
describe('a bucket', () => reading(ofBucket));

describe('a bucket of more than 10,000 keys', () => {
    const KEYS = 12_500;
    const keys = Array.from({ length: KEYS }, (_, i) => `in/${String(i).padStart(6, '0')}.txt`).concat('in/last.csv');
    const tag = '"0cc175b9c0f1b6a831c399e269772661"';
    let server: StubServer;
    const servers = new StubServers();
    beforeEach(async () => {
        server = await servers.serve((request, response) => {
            const url = new URL(request.url!, 'http://x');
            const time = new Date(BEGIN);
            if (!url.searchParams.has('list-type')) {
                const body = 'sku\nA\n';
                response.writeHead(200, {
                    'content-length': body.length,
                    'last-modified': time.toUTCString(),
                    etag: tag,
                });
                return response.end(request.method === 'HEAD' ? undefined : body);
            }
            const from = Number(url.searchParams.get('continuation-token') ?? 0);
            const contents = keys
                .slice(from, from + 1_000)
                .map(
                    key =>
                        `<Contents><Key>${key}</Key><Size>6</Size><LastModified>${time.toISOString()}</LastModified><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Contents>`,
                )
                .join('');
            const isTruncated = from + 1_000 < keys.length;
            const next = isTruncated ? `<NextContinuationToken>${from + 1_000}</NextContinuationToken>` : '';
            response.end(
                `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}</ListBucketResult>`,
            );
        });
    });

    it('is listed completely', async () => {
        const { registry } = setUp({});
        const settings = {
            bucket: BUCKET,
            endpoint: `http://127.0.0.1:${server.port}`,
            forcePathStyle: true,
            accessKeyIdSecretCode: 'test',
            secretAccessKeySecretCode: 'test',
        };
        const connections = { server: { type: 'OBJECT_STORAGE', settings } };
        const cx = {
            ...contextWith(providedResources({ registry, connections, secrets: { test: 'test' } })),
            outbound: gateway.forRun({ scope: 'long', rateLimitRps: 0 }),
        };
        const extractor = objectStorageExtractor as unknown as Extractor;
        const config = { connectionCode: 'server', prefix: 'in/', suffix: '.csv' };
        const all = await readPages({ extractor, config }, cx);
        expect(all.flatMap(page => page.records)).toEqual([{ sku: 'A' }]);
        expect(all.every(({ isPart }) => isPart === undefined)).toBe(true);
    });
});

describe('an object that is moved', () => {
    let served: Served;
    beforeAll(async () => void (served = await ofBucket()));

    it.each([
        ['in/stock.csv', 'done/', 'done/stock.csv'],
        ['in/sto', 'done/', 'done/stock.csv'],
        ['in/', 'done/', 'done/stock.csv'],
        ['in/stock.csv', 'old-', 'old-stock.csv'],
        ['in/', 'done/2026-', 'done/2026-stock.csv'],
        ['', 'done/', undefined],
        ['in/stock.csv', 'in/', undefined],
    ])('by the prefix "%s" to "%s" keeps its name', async (prefix, destinationPrefix, to) => {
        await served.write('stock.csv', 'sku\nA\n');
        const config = { ...served.config({ prefix }), moveAfterProcess: { enabled: true, destinationPrefix } };
        if (to === undefined)
            return expect(objectStorageExtractor.config.safeParse(config).error?.issues[0]).toMatchObject({
                path: ['moveAfterProcess', 'destinationPrefix'],
            });
        const { registry } = setUp({});
        const { connections } = served;
        const cx = {
            ...contextWith(providedResources({ registry, connections, secrets: { secret: 'secret', test: 'test' } })),
            outbound: gateway.forRun({ scope: 'moving', rateLimitRps: 0 }),
        };
        const pages = await readPages({ extractor: served.extractor, config }, cx);
        expect(pages.flatMap(({ afterSuccess = [] }) => afterSuccess)).toMatchObject([{ to }]);
    });
});
