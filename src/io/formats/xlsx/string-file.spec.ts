import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { StringFile } from './string-file';

let folder: string;
beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flow-strings-spec-'));
});
afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
});

async function fileOf(texts: readonly string[]): Promise<StringFile> {
    const file = await StringFile.create(folder);
    for (const text of texts) {
        file.add(text);
        await file.flush();
    }
    await file.flush(true);
    return file;
}

describe('strings in a file', () => {
    it('come back, short and long ones in any order', async () => {
        const text = fc.oneof(
            { weight: 20, arbitrary: fc.string({ unit: 'grapheme', maxLength: 9 }) },
            fc.integer({ min: 60_000, max: 70_000 }).map(length => 'ü'.repeat(length)),
        );
        await fc.assert(
            fc.asyncProperty(fc.array(text, { maxLength: 400 }), fc.nat(), async (texts, seed) => {
                const file = await fileOf(texts);
                expect(file.length).toBe(texts.length);
                for (let i = 0; i < texts.length; i++) {
                    const index = (i * 7919 + seed) % texts.length;
                    if (file.get(index) !== texts[index]) throw new Error(`string ${index} is another one`);
                }
                await file.close();
            }),
            { numRuns: 30 },
        );
    });

    it('are read without their long neighbours', async () => {
        const long = '漢'.repeat(131_000);
        const file = await fileOf(Array.from({ length: 8 }, () => ['a', ...Array<string>(31).fill(long)]).flat());
        let bytes = 0;
        const readSync = fs.readSync as (...args: unknown[]) => number;
        jest.spyOn(fs, 'readSync').mockImplementation((...args: unknown[]) => {
            const read = readSync(...args);
            bytes += read;
            return read;
        });
        for (let i = 0; i < 200; i++) expect(file.get((i % 8) * 32)).toBe('a');
        // Each of the eight once: one letter, and where it ends.
        expect(bytes).toBe(8 * 5);
        await file.close();
    });

    it('leave nothing in the folder, not even while they are read', async () => {
        const file = await fileOf(['a']);
        expect(readdirSync(folder)).toEqual([]);
        expect(file.get(0)).toBe('a');
        await file.close();
    });
});
