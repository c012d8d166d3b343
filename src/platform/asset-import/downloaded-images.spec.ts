import type { RequestedImage } from './requested-image';
import type { AssetFiles } from './asset-files';
import type { ImageRows, ProposedNames, StoredImage } from './image-rows';
import { DownloadedImages } from './downloaded-images';

const turns = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
};

/** A shelf whose storage stores a picture on demand. */
function shelf() {
    const storing: Array<() => void> = [];
    const taken: string[] = [];
    const stop = new AbortController();
    const rows = {
        stored: () => Promise.resolve(new Map()),
        readReserved: () => Promise.resolve(new Map()),
        reserve: (proposed: readonly ProposedNames[]) =>
            Promise.resolve({ names: new Map(proposed.map(one => [one.digest, one])), stored: new Set() }),
        release: () => Promise.resolve(),
        remember: (made: readonly StoredImage[]) => Promise.resolve(new Map(made.map(one => [one.digest, one]))),
        rememberAddresses: () => Promise.resolve(),
    } as unknown as ImageRows;
    const files = {
        judge: () => Promise.resolve({ mimeType: 'image/png', extension: 'png' }),
        names: (file: string) => Promise.resolve({ source: file, preview: `${file}.preview` }),
        has: () => Promise.resolve(false),
        remove: () => Promise.resolve(),
        store: async ({ digest }: { readonly digest: string }, { names }: { readonly names: object }) => {
            await new Promise<void>(resolve => storing.push(resolve));
            return { digest, ...names };
        },
    } as unknown as AssetFiles;
    const take = ({ key }: RequestedImage): void => void taken.push(key);
    const own = new DownloadedImages({ rows, files, allowsSvg: false, signal: stop.signal, take });
    const put = (digest: string): Promise<void> =>
        own.put({
            picture: { path: '', key: digest },
            file: { path: '', digest, size: 1, head: Buffer.alloc(0) },
            declared: undefined,
            version: { etag: null, lastModified: null },
        });
    return { own, put, storing, taken, stop };
}

describe('pictures that wait to be stored', () => {
    it('are a few dozen at most: later ones wait until these are stored', async () => {
        const { own, put, storing, taken } = shelf();
        let come = 0;
        const taskQueue = async (): Promise<void> => {
            while (come < 200) await put(String(come++));
        };
        const sourceGroups = Promise.all(Array.from({ length: 8 }, taskQueue));
        await turns();
        expect(come).toBeLessThanOrEqual(2 * (32 + 7));
        for (let i = 0; i < 300; i++) {
            for (const store of storing.splice(0)) store();
            await turns();
        }
        await sourceGroups;
        const flushed = own.flush();
        while (taken.length < 200) {
            await turns();
            for (const store of storing.splice(0)) store();
        }
        await flushed;
        expect(new Set(taken).size).toBe(200);
    });

    it('are not stored after the run is to stop, except for those in progress', async () => {
        const { own, put, storing, taken, stop } = shelf();
        for (let i = 0; i < 20; i++) await put(String(i));
        const flushed = own.flush();
        flushed.catch(() => undefined);
        await turns();
        stop.abort(new Error('enough'));
        for (const store of storing.splice(0)) store();
        await expect(flushed).rejects.toThrow('enough');
        expect([taken.length, storing.length]).toEqual([8, 0]);
        await expect(put('late')).rejects.toThrow('enough');
    });
});
