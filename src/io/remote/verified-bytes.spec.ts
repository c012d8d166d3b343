import { flowError } from '../../core/errors/flow-error';
import type { RemoteFile, RemoteFiles } from './remote-files';
import { verifiedBytes } from './verified-bytes';

const file: RemoteFile = { path: '/in/a.csv', size: 6, modifiedAt: 1_000 };
const away = (): Error => flowError('REMOTE_BUSY', { host: 'svc.test', problem: 'is away', attempts: 1 });

/** A server that disconnects after every third byte, and then does not answer this number of requests. */
function shaky(silent: number): { readonly files: RemoteFiles; readonly offsets: readonly number[] } {
    const offsets: number[] = [];
    let left = 0;
    const requested = (): void => {
        if (left-- > 0) throw away();
    };
    const files: Pick<RemoteFiles, 'host' | 'stat' | 'open'> = {
        host: 'svc.test',
        stat: async () => {
            requested();
            return file;
        },
        async *open(_, offset) {
            requested();
            offsets.push(offset);
            yield Buffer.from('abcdef').subarray(offset, offset + 3);
            left = silent;
            if (offset + 3 < file.size) throw away();
        },
    };
    return { files: files as RemoteFiles, offsets };
}

describe('the bytes of a file', () => {
    const waits: number[] = [];
    beforeEach(() => void (waits.length = 0));
    const read = async (files: RemoteFiles): Promise<string> => {
        const reading = {
            signal: new AbortController().signal,
            maxBytes: 100,
            sleep: async (ms: number) => void waits.push(ms),
        };
        let text = '';
        for await (const chunk of verifiedBytes(files, file, reading)) text += Buffer.from(chunk).toString();
        return text;
    };

    it('continue at their offset if the server is unavailable for a while, whatever it answers meanwhile', async () => {
        const { files, offsets } = shaky(3);
        expect([await read(files), offsets, waits]).toEqual(['abcdef', [0, 3], [500, 1_000, 2_000, 4_000]]);
    });

    it('are given up where it stays away', async () => {
        const { files, offsets } = shaky(9);
        await expect(read(files)).rejects.toMatchObject({ code: 'REMOTE_BUSY' });
        expect([offsets, waits]).toEqual([[0], [500, 1_000, 2_000, 4_000]]);
    });

    it('are not read where the server does not say how many there are', async () => {
        let read = 0;
        const endless = {
            host: 'svc.test',
            async *open() {
                for (; read < 1_000; read++) yield Buffer.from('x');
            },
        } as unknown as RemoteFiles;
        const reading = { signal: new AbortController().signal, maxBytes: 100, sleep: () => Promise.resolve() };
        for (const size of [undefined, Number.NaN]) {
            const unsized = { ...file, size: size as number };
            await expect(verifiedBytes(endless, unsized, reading).next()).rejects.toMatchObject({
                code: 'REMOTE_FILE_TOO_LARGE',
            });
        }
        expect(read).toBe(0);
    });
});
