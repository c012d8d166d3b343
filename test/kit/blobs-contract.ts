import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { isFlowError } from '../../src/core/errors/flow-error';
import type { Blobs } from '../../src/io/storage/blobs';

const MIB = 1024 * 1024;

export const newKey = (): string => randomUUID().replaceAll('-', '');

/** These bytes in pieces. */
export async function* inPieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
}

/** All bytes together. */
export async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
}

/** The error code of a rejected promise; fails if it is not rejected. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
    try {
        await work;
    } catch (error) {
        if (isFlowError(error)) return error.code;
        throw error;
    }
    throw new Error('It was not rejected');
}

/** The contract of every blob storage. */
export function blobsContract(open: () => Promise<Blobs> | Blobs): void {
    let blobs: Blobs;
    const { signal } = new AbortController();
    const soon = (): Date => new Date(Date.now() + 60_000);

    const temporary = mkdtempSync(join(os.tmpdir(), 'flow-blobs-'));

    beforeAll(async () => {
        blobs = await open();
    });
    beforeEach(() => {
        jest.spyOn(os, 'tmpdir').mockReturnValue(temporary);
    });
    afterEach(() => {
        jest.restoreAllMocks();
        // After a release, a rejection or an abort, nothing is left in the folder for temporary files.
        expect(readdirSync(temporary)).toEqual([]);
    });
    afterAll(() => rmSync(temporary, { recursive: true, force: true }));

    const keys = async (moment = soon()): Promise<string[]> => {
        const found: string[] = [];
        for await (const { key } of blobs.olderThan(moment, signal)) found.push(key);
        return found;
    };
    const expectNothing = async (key: string): Promise<void> => {
        expect(await codeOf(whole(blobs.open(key, signal)))).toBe('BLOB_NOT_FOUND');
        expect(await keys()).not.toContain(key);
    };

    it.each([
        ['one byte', 1, 1],
        ['odd pieces', 70_001, 977],
        ['several parts', 13 * MIB + 5, 300_000],
    ])('returns the bytes that it was given: %s', async (_, size, piece) => {
        const [key, content] = [newKey(), randomBytes(size)];
        await blobs.put(key, inPieces(content, piece), signal);
        expect((await whole(blobs.open(key, signal))).equals(content)).toBe(true);
        // Again, from the beginning.
        expect((await whole(blobs.open(key, signal))).equals(content)).toBe(true);
    });

    it('shows nothing before the last byte is written', async () => {
        const [key, content] = [newKey(), randomBytes(6 * MIB)];
        const seen: string[] = [];
        async function* watched(): AsyncGenerator<Uint8Array> {
            for await (const piece of inPieces(content, MIB)) {
                seen.push(await codeOf(whole(blobs.open(key, signal))));
                yield piece;
            }
        }
        await blobs.put(key, watched(), signal);
        expect(seen).toEqual(Array(6).fill('BLOB_NOT_FOUND'));
        expect(await whole(blobs.open(key, signal))).toHaveLength(6 * MIB);
    });

    it.each([
        ['soon', 1],
        ['late', 12],
    ])('keeps nothing when the bytes fail %s, and throws their error', async (_, pieces) => {
        const key = newKey();
        const issue = new Error('The sender has disconnected');
        async function* failing(): AsyncGenerator<Uint8Array> {
            for (let i = 0; i < pieces; i++) yield randomBytes(MIB);
            throw issue;
        }
        await expect(blobs.put(key, failing(), signal)).rejects.toBe(issue);
        await expectNothing(key);
    });

    it('keeps nothing after an abort, and throws the reason', async () => {
        const key = newKey();
        const stop = new AbortController();
        const reason = new Error('Enough');
        async function* endless(): AsyncGenerator<Uint8Array> {
            for (let i = 0; ; i++) {
                if (i === 12) stop.abort(reason);
                yield randomBytes(MIB);
            }
        }
        await expect(blobs.put(key, endless(), stop.signal)).rejects.toBe(reason);
        await expectNothing(key);
    });

    it('provides a blob as a local file until that is released', async () => {
        const [key, content] = [newKey(), randomBytes(100_000)];
        await blobs.put(key, inPieces(content, 40_000), signal);
        const local = await blobs.local(key, signal);
        expect((await readFile(local.path)).equals(content)).toBe(true);
        await local.release();
        expect((await whole(blobs.open(key, signal))).equals(content)).toBe(true);
    });

    it('gives two holders separate files, and releasing one keeps the other', async () => {
        const key = newKey();
        await blobs.put(key, inPieces(randomBytes(10), 10), signal);
        const [first, second] = [await blobs.local(key, signal), await blobs.local(key, signal)];
        await first.release();
        expect(existsSync(second.path)).toBe(true);
        await second.release();
    });

    it('provides no file after an abort, and throws the reason', async () => {
        const key = newKey();
        await blobs.put(key, inPieces(randomBytes(10), 10), signal);
        const reason = new Error('Enough');
        await expect(blobs.local(key, AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it('lets a reader stop early', async () => {
        const key = newKey();
        await blobs.put(key, inPieces(randomBytes(3 * MIB), MIB), signal);
        for await (const chunk of blobs.open(key, signal)) {
            expect(chunk.length).toBeGreaterThan(0);
            break;
        }
        await blobs.delete(key);
        await expectNothing(key);
    });

    it('reports that a blob does not exist, and deletes it without an error', async () => {
        const key = newKey();
        expect(await codeOf(blobs.local(key, signal))).toBe('BLOB_NOT_FOUND');
        await expectNothing(key);
        await blobs.delete(key);
        await blobs.delete(key);
    });

    it('lists blobs older than a time, and no younger ones', async () => {
        const key = newKey();
        await blobs.put(key, inPieces(randomBytes(10), 10), signal);
        expect(await keys()).toContain(key);
        expect(await keys(new Date(Date.now() - 60_000))).not.toContain(key);
    });

    it.each(['', '..', '../../etc/passwd', 'a/b', 'A'.repeat(32), `${newKey()}.part`, `${newKey()}\n`])(
        'rejects keys of another form: %j',
        async key => {
            const bytes = (): AsyncIterable<Uint8Array> => inPieces(randomBytes(1), 1);
            expect(await codeOf(blobs.put(key, bytes(), signal))).toBe('BUG');
            expect(await codeOf(whole(blobs.open(key, signal)))).toBe('BUG');
            expect(await codeOf(blobs.local(key, signal))).toBe('BUG');
            expect(await codeOf(blobs.delete(key))).toBe('BUG');
        },
    );
}
