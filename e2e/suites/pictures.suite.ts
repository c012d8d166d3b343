import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import {
    Asset,
    AssetService,
    type Channel,
    Channel as ChannelEntity,
    ConfigService,
    type ID,
    Tag,
} from '@vendure/core';
import { getTestImageBuffer } from '@vendure/testing/lib/config/testing-asset-preview-strategy';
import { In } from 'typeorm';
import type { JsonObject } from '../../src/core/value/json';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { type FileNames, ImageRows } from '../../src/platform/asset-import/image-rows';
import { assetImport } from '../../src/platform/loaders/asset-import';
import { FlowPicture } from '../../src/plugin/entities/picture';
import { databaseOf } from '../../src/database/open-database';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import { naming } from '../../test/kit/naming';
import { type StubServer, StubServers } from '../../test/kit/stub-server';
import type { FlowServer } from '../config/flow-server';
import { adapterContext, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';

const HUGE = 4_096;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.cookie)</script></svg>';

function pictures(open: () => Promise<FlowServer>): void {
    const servers = new StubServers();
    let shop: FlowServer;
    let channel: Channel;
    let server: StubServer;
    let gateway: OutboundGateway;
    beforeAll(async () => {
        shop = await open();
        const channels = shop.dataSource.getRepository(ChannelEntity);
        channel = await channels.findOneOrFail({
            where: { token: shop.channelToken },
            relations: { defaultTaxZone: true },
        });
    });
    beforeEach(async () => {
        gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        servers.atEnd(() => gateway.close());
        server = await servers.serve((request, response) => {
            const { pathname } = new URL(request.url!, 'http://here');
            const etag = `"${createHash('sha256').update(pathname).digest('hex')}"`;
            const answer = (status: number, type: string, body: Buffer | string): void => {
                response.writeHead(status, { 'content-type': type, etag }).end(body);
            };
            if (pathname.startsWith('/missing')) answer(404, 'text/plain', 'no');
            else if (pathname.startsWith('/loop')) response.writeHead(302, { location: request.url }).end();
            else if (pathname.startsWith('/to-metadata'))
                response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
            else if (pathname.startsWith('/to-neighbour'))
                response.writeHead(302, { location: `http://127.0.0.2:${server.port}/secret.png` }).end();
            else if (pathname.startsWith('/to-file')) response.writeHead(302, { location: 'file:///etc/passwd' }).end();
            else if (pathname.startsWith('/svg'))
                answer(200, pathname.endsWith('svg') ? 'image/svg+xml' : 'image/png', SVG);
            else if (pathname.startsWith('/as-html')) answer(200, 'text/html', pictureOfText('as html'));
            else if (pathname.startsWith('/program')) answer(200, 'image/png', '#!/bin/sh\nid');
            else if (pathname.startsWith('/page')) answer(200, 'image/png', '<!DOCTYPE html><title>Sorry</title>');
            else if (pathname.startsWith('/busy')) answer(503, 'text/plain', 'later');
            else if (pathname.startsWith('/cut')) {
                response.writeHead(200, { 'content-type': 'image/png', 'content-length': 1_000 });
                response.write('half', () => request.socket.destroy());
            } else if (pathname.startsWith('/huge')) answer(200, 'image/png', pictureOfText('x'.repeat(HUGE * 2)));
            else if (pathname.startsWith('/test-image')) answer(200, 'image/png', getTestImageBuffer());
            else if (pathname.startsWith('/same')) answer(200, 'image/png', pictureOfText('the same'));
            else if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
            else answer(200, 'image/png', pictureOfText(pathname));
        });
    });

    /** A separate run. */
    const run = async (config: JsonObject = {}, mode: 'live' | 'dryRun' = 'live') => {
        const platform = { ...(await platformOf(shop.app, channel)), database: databaseOf(shop.dataSource) };
        const context = { outbound: gateway.forRun({ scope: 'pictures', rateLimitRps: 0 }) };
        const options = { pictureBaseUrl: `http://127.0.0.1:${server.port}/`, pictureMaxBytes: HUGE, ...config };
        const load = await openLoaderTestRun({
            loader: assetImport,
            config: options,
            mode,
            platform,
            surroundings: context,
        });
        return async (records: readonly JsonObject[]) =>
            (await load(records)).changes.map(change =>
                change.action === 'reject' ? change.error.message : change.action,
            );
    };
    const host = (): string => `127.0.0.1:${server.port}`;
    const rowOf = async (id: ID): Promise<object> => {
        const { type, mimeType, width, height, fileSize, source, preview, focalPoint, tags, channels, translations } =
            await shop.dataSource
                .getRepository(Asset)
                .findOneOrFail({ where: { id }, relations: { tags: true, channels: true, translations: true } });
        return {
            own: { type, mimeType, width, height, fileSize, source, preview, focalPoint },
            tags: tags.map(({ value }) => value).sort(),
            channels: channels.map(({ code }) => code).sort(),
            texts: translations.map(({ languageCode, name }) => [languageCode, name]),
        };
    };
    const assetOf = async (content: Buffer): Promise<ID | null> => {
        const digest = createHash('sha256').update(content).digest('hex');
        const { assetId } = await shop.dataSource
            .getRepository(FlowPicture)
            .findOneByOrFail({ digest, channelId: channel.id });
        return assetId;
    };

    it("become assets that equal those of Vendure's own service row by row", async () => {
        const folder = await mkdtemp(join(tmpdir(), 'flow-picture-'));
        await writeFile(join(folder, 'test-image.png'), getTestImageBuffer());
        const { ctx } = await platformOf(shop.app, channel);
        const file = Promise.resolve({
            filename: 'test-image.png',
            mimetype: 'image/png',
            createReadStream: () => createReadStream(join(folder, 'test-image.png')),
        });
        const theirs = await shop.app.get(AssetService).create(ctx, { file, tags: ['equal', 'alike'] } as never);
        await rm(folder, { recursive: true });
        const load = await run();
        expect(await load([{ url: 'test-image.png', tags: ['equal', 'alike'] }])).toEqual(['create']);
        const ours = await assetOf(getTestImageBuffer());
        expect(await rowOf(ours!)).toEqual(await rowOf((theirs as Asset).id));
        expect(await shop.dataSource.getRepository(Tag).countBy({ value: 'equal' })).toBe(1);
    });

    it('are fetched once in a run, and not by the next run if their server answers that they have not changed', async () => {
        const records = ['a', 'b', 'a'].map(name => ({ url: `again-${name}.png` }));
        const load = await run();
        expect(await load(records)).toEqual(['create', 'create', 'unchanged']);
        expect(await load(records)).toEqual(['unchanged', 'unchanged', 'unchanged']);
        expect(server.seen.map(({ url }) => url).sort()).toEqual(['/again-a.png', '/again-b.png']);
        server.seen.length = 0;
        expect(await (await run())(records)).toEqual(['unchanged', 'unchanged', 'unchanged']);
        expect(server.seen.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([true, true]);
        server.seen.length = 0;
        expect(await (await run({ pictureRefresh: 'NEVER' }))(records)).toEqual(records.map(() => 'unchanged'));
        const sha256 = createHash('sha256').update(pictureOfText('/again-a.png')).digest('hex');
        expect(await (await run())([{ url: 'elsewhere.png', sha256 }])).toEqual(['unchanged']);
        expect(server.seen).toEqual([]);
    });

    it('are one asset if they have the same bytes, and are fetched again after a user has deleted it', async () => {
        expect(await (await run())([{ url: 'same-1.png' }, { url: 'same-2.png' }])).toEqual(['create', 'unchanged']);
        const id = await assetOf(pictureOfText('the same'));
        const { ctx } = await platformOf(shop.app, channel);
        await shop.app.get(AssetService).delete(ctx, [id!], true, true);
        expect(await (await run())([{ url: 'same-1.png' }])).toEqual(['create']);
        expect(await assetOf(pictureOfText('the same'))).not.toBe(id);
    });

    it('that are invalid or cannot be fetched reject their record with the reason, and their neighbours are loaded', async () => {
        const load = await run();
        const names = ['missing', 'loop', 'page', 'huge'];
        expect(await load([...names, 'sound'].map(name => ({ url: `${name}.png` })))).toEqual([
            expect.stringMatching(naming('url', host(), 404)),
            expect.stringMatching(naming('url', host(), 'redirects')),
            expect.stringMatching(naming('url', 'web page')),
            expect.stringMatching(naming('url', HUGE)),
            'create',
        ]);
    });

    it('with hostile URLs or invalid content reject their record: nothing is read from this machine or its network', async () => {
        const dataUrl = (type: string, content: string): string =>
            `data:${type};base64,${Buffer.from(content).toString('base64')}`;
        const hostile = [
            'file:///etc/passwd',
            'FILE:/etc/passwd',
            'ftp://127.0.0.1/picture.png',
            'javascript:alert(1)',
            'blob:http://127.0.0.1/1',
            `http://shop:secret@127.0.0.1:${server.port}/picture.png`,
            '//169.254.169.254/latest/meta-data/',
            'http://169.254.169.254/latest/meta-data/',
            'http://[::ffff:169.254.169.254]/picture.png',
            `http://127.0.0.2:${server.port}/secret.png`,
            'to-metadata.png',
            'to-neighbour.png',
            'to-file.png',
            'svg.svg',
            'svg.png',
            'as-html.png',
            'program.png',
            dataUrl('image/svg+xml', SVG),
            dataUrl('image/png', SVG),
            dataUrl('text/html', '<html><script>alert(1)</script></html>'),
            dataUrl('image/png', '<!DOCTYPE html><script>alert(1)</script>'),
            'data:image/svg+xml,%3Csvg%3E',
            'data:image/png;base64,not base64!',
        ];
        const assets = await shop.dataSource.getRepository(Asset).count();
        const load = await run();
        const found = await load([...hostile, 'sound-neighbour.png'].map(url => ({ url })));
        expect(found.at(-1)).toBe('create');
        const stored = found.flatMap((told, i) => (/^(create|update|unchanged)$/.test(told) ? [hostile[i]] : []));
        expect(stored).toEqual([undefined]);
        expect(found.join()).not.toMatch(/root:|<script/);
        expect(await shop.dataSource.getRepository(Asset).count()).toBe(assets + 1);
        expect(server.seen.filter(({ url }) => url === '/secret.png')).toEqual([]);
        expect(server.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    });

    it('that break off, or whose server always requires another attempt, reject their record alone', async () => {
        const load = await run();
        const records = ['cut', 'first-sound', 'busy', 'second-sound'].map(name => ({ url: `${name}.png` }));
        const told = [
            expect.stringMatching(naming('url', host(), 'connection')),
            'create',
            expect.stringMatching(naming('url', host(), 503)),
            'create',
        ];
        expect(await load(records)).toEqual(told);
        expect(await load([...records, { url: 'third-sound.png' }])).toEqual([
            told[0],
            'unchanged',
            told[2],
            'unchanged',
            'create',
        ]);
    });

    it('that a process has stored before it was killed are stored once more, under the same names', async () => {
        const { assetOptions } = shop.app.get(ConfigService);
        const storage = assetOptions.assetStorageStrategy;
        const written: string[] = [];
        const { writeFileFromStream } = storage;
        const spies = [
            jest.spyOn(storage, 'fileExists').mockImplementation(name => Promise.resolve(written.includes(name))),
            jest.spyOn(storage, 'writeFileFromStream').mockImplementation((name, stream) => {
                written.push(name);
                return writeFileFromStream.call(storage, name, stream);
            }),
        ];
        const killed = jest.spyOn(ImageRows.prototype, 'remember').mockRejectedValueOnce(new Error('killed'));
        const record = { base64: pictureOfText('left behind').toString('base64') };
        await expect((await run())([record])).rejects.toThrow('killed');
        expect(await (await run())([record, { url: 'picture' }])).toEqual(['create', 'create']);
        for (const spy of [...spies, killed]) spy.mockRestore();
        const [first] = written;
        expect([written.filter(name => name === first).length, new Set(written).size]).toEqual([2, 2]);
    });

    it('with the same name have separate files, even if they arrive at the same time', async () => {
        const { assetOptions } = shop.app.get(ConfigService);
        const storage = assetOptions.assetStorageStrategy;
        const written = new Map<string, Buffer>();
        const spies = [
            jest.spyOn(storage, 'fileExists').mockImplementation(async name => {
                await new Promise(resolve => setImmediate(resolve));
                return written.has(name);
            }),
            jest.spyOn(storage, 'writeFileFromStream').mockImplementation(async (name, stream) => {
                const pieces: Buffer[] = [];
                for await (const piece of stream as Readable) pieces.push(Buffer.from(piece as Uint8Array));
                written.set(name, Buffer.concat(pieces));
                return name;
            }),
            jest.spyOn(storage, 'writeFileFromBuffer').mockImplementation((name, bytes) => {
                written.set(name, bytes);
                return Promise.resolve(name);
            }),
        ];
        const paths = Array.from({ length: 80 }, (_, i) => `/called-${i}/main.png`);
        const halves = [paths.slice(0, 40), paths.slice(40)];
        const loads = [await run(), await run()];
        const made = await Promise.all(loads.map((load, i) => load(halves[i]!.map(url => ({ url })))));
        expect(made.flat()).toEqual(paths.map(() => 'create'));
        for (const spy of spies) spy.mockRestore();
        const rows = await shop.dataSource.getRepository(FlowPicture).findBy({
            channelId: channel.id,
            digest: In(paths.map(path => createHash('sha256').update(pictureOfText(path)).digest('hex'))),
        });
        expect(new Set(rows.flatMap(({ source, preview }) => [source, preview])).size).toBe(2 * paths.length);
        const stored = rows.map(({ digest, source }) => [
            digest,
            createHash('sha256').update(written.get(source)!).digest('hex'),
        ]);
        expect(stored.map(([, found]) => found)).toEqual(stored.map(([digest]) => digest));
    });

    it('never get a name that another process has reserved, or has used for a picture meanwhile', async () => {
        const rows = new ImageRows({
            ...(await platformOf(shop.app, channel)),
            database: databaseOf(shop.dataSource),
        });
        const named = (digest: string, file: string, instead?: FileNames) => ({
            digest: digest.repeat(64),
            source: `${file}.jpg`,
            preview: `${file}-preview.jpg`,
            instead,
        });
        const filesOf = async (...proposed: ReadonlyArray<ReturnType<typeof named>>) =>
            Object.fromEntries(
                [...(await rows.reserve(proposed)).names].map(([digest, { source }]) => [digest[0], source]),
            );
        expect(await filesOf(named('1', 'taken'))).toEqual({ 1: 'taken.jpg' });
        expect(await filesOf(named('2', 'taken'), named('1', 'other'))).toEqual({ 1: 'taken.jpg' });
        expect(await filesOf(named('2', 'free'))).toEqual({ 2: 'free.jpg' });
        const free = { source: 'free.jpg', preview: 'free-preview.jpg' };
        expect(await filesOf(named('2', 'next', free))).toEqual({ 2: 'next.jpg' });

        const storage = shop.app.get(ConfigService).assetOptions.assetStorageStrategy;
        const written: string[] = [];
        let isHeld = true;
        const held: Array<() => void> = [];
        const spies = [
            jest.spyOn(storage, 'fileExists').mockImplementation(async file => {
                const isThere = written.includes(file);
                if (isHeld) await new Promise<void>(resolve => held.push(resolve));
                return isThere;
            }),
            jest.spyOn(storage, 'writeFileFromStream').mockImplementation((file, stream) => {
                (stream as Readable).resume();
                written.push(file);
                return Promise.resolve(file);
            }),
        ];
        // The first load learns that the file does not exist, and continues when the second one has stored it.
        const first = (await run())([{ url: 'first/held.png' }]);
        while (held.length === 0) await new Promise(resolve => setImmediate(resolve));
        isHeld = false;
        expect(await (await run())([{ url: 'second/held.png' }])).toEqual(['create']);
        for (const go of held) go();
        expect(await first).toEqual(['create']);
        for (const spy of spies) spy.mockRestore();
        expect(new Set(written).size).toBe(2);
    });

    it('stay if another worker has stored the same bytes, whatever happens to those of the second worker', async () => {
        const storage = shop.app.get(ConfigService).assetOptions.assetStorageStrategy;
        const removed = jest.spyOn(storage, 'deleteFile');
        const { writeFileFromBuffer } = storage;
        const held: Array<(error?: Error) => void> = [];
        let isFirst = true;
        const spy = jest.spyOn(storage, 'writeFileFromBuffer').mockImplementation(async (file, bytes) => {
            if (isFirst) {
                isFirst = false;
                await new Promise<void>((resolve, reject) => held.push(error => (error ? reject(error) : resolve())));
            }
            return writeFileFromBuffer.call(storage, file, bytes);
        });
        // The first load waits with its preview; the second one stores the same picture under the same names.
        const first = (await run())([{ url: 'stays.png' }]);
        first.catch(() => undefined);
        while (held.length === 0) await new Promise(resolve => setImmediate(resolve));
        expect(await (await run())([{ url: 'stays.png' }])).toEqual(['create']);
        held[0]!(new Error('the storage is away'));
        await expect(first).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
        expect(removed.mock.calls).toEqual([]);
        for (const one of [spy, removed]) one.mockRestore();
    });

    it('may be reserved by two workers at once, in any order', async () => {
        const rows = new ImageRows({
            ...(await platformOf(shop.app, channel)),
            database: databaseOf(shop.dataSource),
        });
        const found = Array.from({ length: 30 }, (_, i) => ({
            url: `http://pictures.test/both-${i}.png`,
            digest: String(i).padStart(64, '0'),
            etag: null,
            lastModified: null,
        }));
        const remembering = async (addresses: typeof found): Promise<void> => {
            for (let i = 0; i < 20; i++) await rows.rememberAddresses(addresses);
        };
        await Promise.all([remembering(found), remembering([...found].reverse())]);
        const known = await rows.platform.database.run(() => rows.readAddresses(found.map(({ url }) => url)));
        expect(known.size).toBe(found.length);
    });

    it('are reserved a few dozen at a time, whatever their number', async () => {
        const steps = (['stored', 'readReserved', 'reserve', 'remember', 'rememberAddresses'] as const).map(step =>
            jest.spyOn(ImageRows.prototype, step),
        );
        const load = await run();
        const records = Array.from({ length: 70 }, (_, i) => ({ url: `dozens-${i}.png` }));
        expect(await load(records)).toEqual(records.map(() => 'create'));
        const calls = steps.map(({ mock }) => mock.calls.length);
        for (const step of steps) step.mockRestore();
        expect(new Set(calls).size).toBe(1);
        expect(calls[0]).toBeLessThanOrEqual(3);
    });

    it('whose storage fails keep those that were stored before them, which are not fetched again', async () => {
        const { assetOptions } = shop.app.get(ConfigService);
        const storage = assetOptions.assetStorageStrategy;
        const { writeFileFromStream } = storage;
        let left = 3;
        const spy = jest.spyOn(storage, 'writeFileFromStream').mockImplementation((name, stream) => {
            if (left-- > 0) return writeFileFromStream.call(storage, name, stream);
            (stream as Readable).destroy();
            return Promise.reject(new Error('no room'));
        });
        const records = Array.from({ length: 20 }, (_, i) => ({ url: `room-${i}.png` }));
        await expect((await run())(records)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
        spy.mockRestore();
        server.seen.length = 0;
        expect(await (await run())(records)).toEqual(records.map(() => 'create'));
        expect(server.seen.filter(({ headers }) => headers['if-none-match'] !== undefined)).toHaveLength(3);
    });

    it('are not fetched by a dry run', async () => {
        const load = await run({}, 'dryRun');
        expect(await load([{ url: 'dry.png' }, { url: 'dry.png' }])).toEqual(['create', 'unchanged']);
        expect(server.seen).toEqual([]);
    });

    it('whose batch was rolled back are not fetched a second time', async () => {
        const digest = createHash('sha256').update(pictureOfText('/rolled.png')).digest('hex');
        const platform = { ...(await platformOf(shop.app, channel)), database: databaseOf(shop.dataSource) };
        const outbound = gateway.forRun({ scope: 'pictures', rateLimitRps: 0 });
        const { signal } = new AbortController();
        const config = { pictureBaseUrl: `http://127.0.0.1:${server.port}/` };
        const cx = { ...adapterContext(platform), outbound, signal };
        const session = await assetImport.open(assetImport.config.parse(config), cx);
        await session.prepare!([{ data: { url: 'rolled.png' }, origin: { seq: 0 } }]);
        const row = await shop.dataSource.getRepository(FlowPicture).findOneByOrFail({ digest });
        expect(row.assetId).toBeNull();
        expect(await (await run())([{ url: 'rolled.png' }])).toEqual(['create']);
        expect(server.seen.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([false, true]);
        expect((await shop.dataSource.getRepository(FlowPicture).findOneByOrFail({ digest })).source).toBe(row.source);
    });
}

export const picturesSuite: SharedSuite = { title: 'pictures', tests: pictures };
