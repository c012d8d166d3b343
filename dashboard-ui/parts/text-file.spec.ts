import { readTextFile } from './text-file';

const file = (bytes: Iterable<number> | string): Blob =>
    new Blob([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)]);

describe('a file that should be text', () => {
    it('is read, however its text is encoded', async () => {
        expect(await readTextFile(file('code: Möbel'), 100)).toEqual({ text: 'code: Möbel' });
        expect(await readTextFile(file('\uFEFF{}'), 100)).toEqual({ text: '{}' });
        expect(await readTextFile(file([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 100)).toEqual({ text: '{}' });
    });

    it('is not taken where it is too large, no text, or cannot be read', async () => {
        expect(await readTextFile(file('x'.repeat(101)), 100)).toEqual({ problem: 'large' });
        expect(await readTextFile(file([0x89, 0x50, 0x4e, 0x47, 0x0d]), 100)).toEqual({ problem: 'binary' });
        expect(await readTextFile(file('{"a": "\0"}'), 100)).toEqual({ problem: 'binary' });
        const folder = { size: 0, arrayBuffer: () => Promise.reject(new Error('a folder')) } as unknown as Blob;
        expect(await readTextFile(folder, 100)).toEqual({ problem: 'unreadable' });
    });
});
