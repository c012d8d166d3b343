import { defaultConfig, type Injector, type RequestContext } from '@vendure/core';
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedFile, AssetFiles } from './asset-files';

describe('pictures of a shop', () => {
    const filesOf = (assetOptions: object): AssetFiles => {
        const injector = { get: () => ({ assetOptions }) } as unknown as Injector;
        return new AssetFiles({ ctx: {} as RequestContext, injector });
    };

    it('cannot be loaded where it has nowhere to store them, which Vendure by itself has not', () => {
        const files = filesOf(defaultConfig.assetOptions);
        expect(() => files.checkStorage()).toThrow(expect.objectContaining({ code: 'ASSETS_UNSTORABLE' }));
    });

    it('are not stored where the naming strategy knows no other name than one that is taken', async () => {
        const files = filesOf({
            assetStorageStrategy: { fileExists: () => Promise.resolve(false) },
            assetNamingStrategy: {
                generateSourceFileName: () => 'always.jpg',
                generatePreviewFileName: (_: RequestContext, file: string) => `${file}.preview`,
            },
        });
        const taken = new Set<string>();
        expect(await files.names('a.jpg', taken)).toEqual({ source: 'always.jpg', preview: 'always.jpg.preview' });
        await expect(files.names('b.jpg', taken)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    });

    it('are taken with whatever else the shop has for them', () => {
        expect(() => filesOf({ assetStorageStrategy: {} }).checkStorage()).not.toThrow();
    });
});

describe('files that are kept', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flow-kept-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('wait for one signal together, and leave it when they are written', async () => {
        const { signal } = new AbortController();
        const counts: number[] = [];
        const pieces = async function* () {
            counts.push(getEventListeners(signal, 'abort').length);
            yield Buffer.from('picture');
        };
        const files = Array.from({ length: 12 }, (_, i) => storedFile(pieces(), join(folder, String(i)), signal));
        expect(new Set((await Promise.all(files)).map(({ size }) => size))).toEqual(new Set([7]));
        expect(new Set(counts)).toEqual(new Set([1]));
        expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('are given up when the signal says so, before they begin as well', async () => {
        const stop = new AbortController();
        const endless = async function* () {
            for (;;) {
                yield Buffer.from('picture');
                await new Promise(setImmediate);
            }
        };
        const file = storedFile(endless(), join(folder, 'stopped'), stop.signal);
        stop.abort(new Error('enough'));
        await expect(file).rejects.toThrow();
        await expect(storedFile([Buffer.from('a')], join(folder, 'late'), stop.signal)).rejects.toThrow('enough');
    });
});
