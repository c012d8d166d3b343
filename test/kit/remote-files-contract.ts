import { randomBytes } from 'node:crypto';
import { asFlowError } from '../../src/core/errors/flow-error';
import { LIST_BOUNDS, type RemoteFile, type RemoteFiles } from '../../src/io/remote/remote-files';
import { checkUnchanged, verifiedBytes } from '../../src/io/remote/verified-bytes';
import { codeOf, inPieces, whole } from './blobs-contract';

/** A server that fulfils the contract, with direct access to its files. */
export interface RemoteServer {
    /** Connections of one user, one or more. */
    open(): RemoteFiles;
    /** Writes a file as another user, into an existing folder. */
    write(path: string, content: Uint8Array): Promise<void>;
    read(path: string): Promise<Buffer>;
    /** Cuts connections after this many more bytes of files; undefined if that is not possible. */
    cutAfter?(bytes: number): void;
}

const { signal } = new AbortController();
const reading = { signal, maxBytes: 2 ** 31, sleep: () => Promise.resolve() };

/** All files of a listing, by their paths. */
export async function listed(files: RemoteFiles, under: string, recursive = true): Promise<readonly RemoteFile[]> {
    const all: RemoteFile[] = [];
    for await (const page of files.list({ under, recursive, bounds: LIST_BOUNDS })) all.push(...page.files);
    return all.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The contract of every kind of remote files. `folder` is the beginning of the server's listing. */
export function remoteFilesContract(start: () => Promise<RemoteServer>, folder = '/in'): void {
    let server: RemoteServer;
    let files: RemoteFiles;
    let number = 0;
    /** A folder that no other test has. */
    let own: string;

    beforeAll(async () => {
        server = await start();
    });
    beforeEach(() => {
        own = `${folder}/${++number}`;
        files = server.open();
    });
    afterEach(() => files.close());

    const put = (path: string, content: Uint8Array | string): Promise<RemoteFile> =>
        files.put(`${own}/${path}`, inPieces(Buffer.from(content), 70_000));
    const bytesOf = async (path: string): Promise<Buffer> => {
        const file = await files.stat(`${own}/${path}`);
        return whole(verifiedBytes(files, file!, reading));
    };

    it('an uploaded file is complete and in its folder, which is created if needed, and nothing else is left', async () => {
        const content = randomBytes(3_000_000);
        const file = await put('a/b/stock.csv', content);
        expect(file).toMatchObject({ path: `${own}/a/b/stock.csv`, size: content.length });
        expect((await server.read(`${own}/a/b/stock.csv`)).equals(content)).toBe(true);
        expect((await listed(files, own)).map(({ path }) => path)).toEqual([`${own}/a/b/stock.csv`]);
        expect((await bytesOf('a/b/stock.csv')).equals(content)).toBe(true);
        expect(await put('empty.csv', '')).toMatchObject({ size: 0 });
        expect(await bytesOf('empty.csv')).toHaveLength(0);
    });

    it('an upload replaces an existing file, unless that is not allowed', async () => {
        await put('stock.csv', 'old');
        await put('stock.csv', 'new and longer');
        expect(String(await bytesOf('stock.csv'))).toBe('new and longer');
        const rejected = files.put(`${own}/stock.csv`, inPieces(Buffer.from('x'), 1), { overwrite: false });
        expect(await codeOf(rejected)).toBe('REMOTE_FILE_EXISTS');
        expect(String(await bytesOf('stock.csv'))).toBe('new and longer');
        expect(await listed(files, own)).toHaveLength(1);
    });

    it('a failed upload leaves the existing file, and nothing else', async () => {
        await put('stock.csv', 'old');
        async function* failing(): AsyncGenerator<Uint8Array> {
            yield randomBytes(100_000);
            throw new Error('the source was deleted');
        }
        await expect(files.put(`${own}/stock.csv`, failing())).rejects.toThrow(/deleted/);
        expect(String(await bytesOf('stock.csv'))).toBe('old');
        expect((await listed(files, own)).map(({ path }) => path)).toEqual([`${own}/stock.csv`]);
    });

    it('a listing has the size and time of each file as the file itself, with folders or without', async () => {
        for (const name of ['a.csv', 'b c & ü+.csv', 'deep/er/d.csv']) await put(name, name);
        const all = await listed(files, `${own}/`);
        expect(all.map(({ path }) => path)).toEqual(
            ['a.csv', 'b c & ü+.csv', 'deep/er/d.csv'].map(name => `${own}/${name}`),
        );
        for (const file of all) {
            expect(await files.stat(file.path)).toEqual(file);
            expect(String(await whole(files.open(file, 0)))).toBe(file.path.slice(own.length + 1));
        }
        expect(await listed(files, `${own}/`, false)).toHaveLength(2);
    });

    it('a listing ends at its limits and reports that', async () => {
        for (let i = 0; i < 6; i++) await put(`${i}.csv`, 'x');
        const pages = [];
        for await (const page of files.list({
            under: `${own}/`,
            recursive: true,
            bounds: { ...LIST_BOUNDS, entries: 4 },
        }))
            pages.push(page);
        expect(pages.flatMap(page => page.files)).toHaveLength(4);
        expect(pages.flatMap(({ notes }) => notes)).toContainEqual(
            expect.objectContaining({
                event: 'LISTING_CUT',
                facts: expect.objectContaining({ entries: 4 }) as object,
            }),
        );
    });

    it('a file is read from an offset, and may be closed early', async () => {
        const content = randomBytes(500_000);
        await put('stock.csv', content);
        const file = { path: `${own}/stock.csv` };
        expect((await whole(files.open(file, 123_456))).equals(content.subarray(123_456))).toBe(true);
        for await (const chunk of files.open(file, 0)) {
            expect(chunk.length).toBeGreaterThan(0);
            break;
        }
        expect((await bytesOf('stock.csv')).equals(content)).toBe(true);
    });

    it('a file is moved into new folders, but never replaces another', async () => {
        await put('stock.csv', 'one');
        await files.move(`${own}/stock.csv`, `${own}/done/2026/stock.csv`);
        expect(await files.stat(`${own}/stock.csv`)).toBeUndefined();
        expect(String(await bytesOf('done/2026/stock.csv'))).toBe('one');
        await put('stock.csv', 'two');
        expect(await codeOf(files.move(`${own}/stock.csv`, `${own}/done/2026/stock.csv`))).toBe('REMOTE_FILE_EXISTS');
        expect(String(await bytesOf('stock.csv'))).toBe('two');
        expect(await codeOf(files.move(`${own}/none.csv`, `${own}/done/none.csv`))).toBe('REMOTE_FILE_NOT_FOUND');
    });

    it('a file is deleted, and deleting a missing one is not an error', async () => {
        await put('stock.csv', 'one');
        await files.delete(`${own}/stock.csv`);
        await files.delete(`${own}/stock.csv`);
        expect(await files.stat(`${own}/stock.csv`)).toBeUndefined();
        expect(await codeOf(whole(files.open({ path: `${own}/stock.csv` }, 0)))).toBe('REMOTE_FILE_NOT_FOUND');
    });

    it('a file that has changed is recognized', async () => {
        const file = await put('stock.csv', 'sku,stock\nTS-1,5\n');
        await checkUnchanged(files, file);
        await put('stock.csv', 'sku,stock\nTS-1,5\nTS-2,7\n');
        expect(await codeOf(checkUnchanged(files, file))).toBe('REMOTE_FILE_CHANGED');
        await files.delete(file.path);
        expect(await codeOf(checkUnchanged(files, file))).toBe('REMOTE_FILE_CHANGED');
        expect(await codeOf(whole(verifiedBytes(files, file, reading)))).toMatch(/^REMOTE_FILE_(CHANGED|NOT_FOUND)$/);
    });

    it('a missing folder is an error or empty, never half of something else', async () => {
        const found = await listed(files, `${own}/none/`).catch(asFlowError);
        expect(found).toEqual(Array.isArray(found) ? [] : expect.objectContaining({ treat: 'config' }));
    });

    it('lost connections are opened again, and a file continues at its offset', async () => {
        if (!server.cutAfter) return;
        const content = randomBytes(4_000_000);
        const file = await put('stock.csv', content);
        for (let cut = 0; cut < 20; cut++) {
            server.cutAfter(Math.floor(Math.random() * content.length));
            expect((await whole(verifiedBytes(files, file, reading))).equals(content)).toBe(true);
        }
    });

    it('a file with more bytes than allowed is not read', async () => {
        const file = await put('stock.csv', 'sku,stock');
        const read = whole(verifiedBytes(files, file, { ...reading, maxBytes: 8 }));
        expect(await codeOf(read)).toBe('REMOTE_FILE_TOO_LARGE');
    });

    it('connects again when it was closed', async () => {
        await put('stock.csv', randomBytes(200_000));
        files.close();
        expect(await files.stat(`${own}/stock.csv`)).toMatchObject({ size: 200_000 });
    });
}
