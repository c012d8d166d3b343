import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobsContract, codeOf, inPieces, newKey } from '../../../test/kit/blobs-contract';
import { LocalDisk } from './local-disk';

const DAY_MS = 24 * 60 * 60 * 1000;
const folder = mkdtempSync(join(tmpdir(), 'flow-local-disk-'));
const { signal } = new AbortController();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keysOf = async (disk: LocalDisk, moment: Date): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of disk.olderThan(moment, signal)) keys.push(key);
    return keys;
};

describe('files of a folder', () => {
    blobsContract(() => new LocalDisk(join(folder, 'made', 'when', 'needed')));

    it('are missing before the first upload', async () => {
        expect(await keysOf(new LocalDisk(join(folder, 'missing')), new Date())).toEqual([]);
    });

    it('leave no parts', async () => {
        const directory = join(folder, 'tidy');
        const disk = new LocalDisk(directory);
        const [kept, failed] = [newKey(), newKey()];
        await disk.put(kept, inPieces(randomBytes(10), 3), signal);
        // eslint-disable-next-line require-yield -- it fails before it has anything to give
        async function* failing(): AsyncGenerator<Uint8Array> {
            throw new Error('gone');
        }
        await expect(disk.put(failed, failing(), signal)).rejects.toThrow('gone');
        expect(readdirSync(directory)).toEqual([kept]);
    });

    it('lists what a crash has left of an upload, and removes it', async () => {
        const directory = join(folder, 'crashed');
        const disk = new LocalDisk(directory);
        const [whole, part] = [newKey(), newKey()];
        await disk.put(whole, inPieces(randomBytes(10), 10), signal);
        writeFileSync(join(directory, `${part}.part`), 'half');
        writeFileSync(join(directory, 'README'), 'not ours');
        const old = new Date(Date.now() - 2 * DAY_MS);
        for (const name of [`${part}.part`, 'README']) utimesSync(join(directory, name), old, old);
        expect(await keysOf(disk, new Date(Date.now() - DAY_MS))).toEqual([part]);
        await disk.delete(part);
        expect(readdirSync(directory).sort()).toEqual([whole, 'README'].sort());
    });

    it('never writes two uploads into one', async () => {
        const directory = join(folder, 'twice');
        const disk = new LocalDisk(directory);
        const key = newKey();
        let [begun, release] = [(): void => undefined, (): void => undefined];
        const underWay = new Promise<void>(resolve => {
            begun = resolve;
        });
        const started = new Promise<void>(resolve => {
            release = resolve;
        });
        async function* slow(): AsyncGenerator<Uint8Array> {
            yield randomBytes(1);
            begun();
            await started;
        }
        const first = disk.put(key, slow(), signal);
        await underWay;
        expect(await codeOf(disk.put(key, inPieces(randomBytes(5), 5), signal))).toBe('STORAGE_FAILED');
        release();
        await first;
    });

    it('reports errors of the disk without the paths of the server', async () => {
        const blocked = join(folder, 'a-file');
        writeFileSync(blocked, '');
        chmodSync(blocked, 0o400);
        const rejected = await new LocalDisk(blocked)
            .put(newKey(), inPieces(randomBytes(1), 1), signal)
            .catch((error: unknown) => error);
        expect(rejected).toMatchObject({
            code: 'STORAGE_FAILED',
            facts: { what: 'write', problem: expect.stringMatching(/^E[A-Z]+$/) },
        });
        expect((rejected as Error).message).not.toContain(folder);
    });
});
