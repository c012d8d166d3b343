import { createHash, randomBytes } from 'node:crypto';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Blobs } from '../../io/storage/blobs';
import { verifyChecksum, verifiedStream, fileStillExists } from './verified-stream';

const content = randomBytes(1_000);
const file = {
    filename: 'a.csv',
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    blobKey: 'a'.repeat(32),
};
const { signal } = new AbortController();

const holding = (...chunks: readonly Uint8Array[]): Blobs =>
    ({
        open: async function* () {
            yield* chunks;
        },
    }) as unknown as Blobs;

/** Reads the content, and returns the number of bytes and the error at its end. */
async function read(blobs: Blobs): Promise<{ bytes: number; fault?: string }> {
    let bytes = 0;
    try {
        for await (const chunk of verifiedStream(blobs, file, signal)) bytes += chunk.length;
    } catch (error) {
        if (isFlowError(error)) return { bytes, fault: error.code };
        throw error;
    }
    return { bytes };
}

describe('the content of a file', () => {
    it('comes as it was uploaded, however it is cut', async () => {
        expect(await read(holding(content))).toEqual({ bytes: 1_000 });
        expect(await read(holding(content.subarray(0, 1), content.subarray(1, 999), content.subarray(999)))).toEqual({
            bytes: 1_000,
        });
        await verifyChecksum(holding(content), file, signal);
    });

    it('never comes whole when it is another one', async () => {
        const changed = Buffer.from(content);
        changed[0]! ^= 1;
        expect(await read(holding(changed))).toEqual({ bytes: 0, fault: 'FILE_CORRUPT' });
        expect(await read(holding(content.subarray(0, 500), changed.subarray(0, 500)))).toEqual({
            bytes: 500,
            fault: 'FILE_CORRUPT',
        });
        expect(await read(holding(content.subarray(0, 999)))).toEqual({ bytes: 0, fault: 'FILE_CORRUPT' });
        expect(await read(holding())).toEqual({ bytes: 0, fault: 'FILE_CORRUPT' });
        await expect(verifyChecksum(holding(changed), file, signal)).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
    });

    it('is not read on when there is more of it than there should be', async () => {
        let requested = 0;
        const endless = {
            open: async function* () {
                for (;;) {
                    requested++;
                    yield content;
                }
            },
        } as unknown as Blobs;
        expect(await read(endless)).toEqual({ bytes: 1_000, fault: 'FILE_CORRUPT' });
        expect(requested).toBe(2);
    });

    it('that the storage has lost is corrupt; one that it cannot give now is not', async () => {
        const failing = (error: Error): Blobs =>
            ({
                open: async function* () {
                    yield await Promise.reject(error);
                },
            }) as unknown as Blobs;
        expect(await read(failing(flowError('BLOB_NOT_FOUND', { key: file.blobKey })))).toEqual({
            bytes: 0,
            fault: 'FILE_CORRUPT',
        });
        expect(await read(failing(flowError('STORAGE_FAILED', { what: 'read', problem: 'EIO' })))).toEqual({
            bytes: 0,
            fault: 'STORAGE_FAILED',
        });
    });

    it('that is lost before it could be used is corrupt as well', async () => {
        const lost = (): Promise<never> => Promise.reject(flowError('BLOB_NOT_FOUND', { key: file.blobKey }));
        await expect(fileStillExists(file, lost)).rejects.toMatchObject({
            code: 'FILE_CORRUPT',
            message: expect.stringContaining('"a.csv"'),
        });
        await expect(fileStillExists(file, () => Promise.reject(new Error('other')))).rejects.toThrow('other');
        expect(await fileStillExists(file, () => Promise.resolve(1))).toBe(1);
    });
});
