import type { StoredPart } from '../../core/adapter/exports';
import { exportConfig } from './export-config';
import { ExportWriting } from './export-files';

const signal = new AbortController().signal;
const GONE = new Error('gone');

/** Parts of two pieces each, and what was done with them. */
function partsOf(count: number, broken?: number): { readonly parts: readonly StoredPart[]; readonly done: string[] } {
    const done: string[] = [];
    const parts = Array.from({ length: count }, (_, i) => ({
        key: String(i),
        records: 2,
        columns: [],
        async *open() {
            done.push(`open ${i}`);
            try {
                if (i === broken) throw GONE;
                yield Buffer.from(`${i}a\r\n`);
                yield Buffer.from(`${i}b\r\n`);
            } finally {
                done.push(`close ${i}`);
            }
        },
    }));
    return { parts, done };
}

function writing(): ExportWriting {
    const args = exportConfig.parse({ format: 'CSV', columns: ['sku'] });
    return new ExportWriting({ args, pipelineCode: 'prices', Writer: undefined });
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
    let text = '';
    for await (const piece of pieces) text += Buffer.from(piece).toString();
    return text;
}

describe('parts that are text of the file', () => {
    it('are written in their order, and at most two are open at a time', async () => {
        const { parts, done } = partsOf(4);
        const text = await textOf(writing().fileOf(parts, signal));
        expect(text.split('\r\n')).toEqual(['sku', '0a', '0b', '1a', '1b', '2a', '2b', '3a', '3b', '']);
        const open = done.map((_, i) => {
            const before = done.slice(0, i + 1);
            return before.filter(what => what.startsWith('open')).length * 2 - before.length;
        });
        expect(Math.max(...open)).toBe(2);
        expect(open.at(-1)).toBe(0);
    });

    it('are a file with only a header if there are none', async () => {
        expect(await textOf(writing().fileOf([], signal))).toBe('sku\r\n');
    });

    it('fail if one cannot be read, after the parts before it', async () => {
        const { parts, done } = partsOf(4, 2);
        const pieces: string[] = [];
        const read = async (): Promise<void> => {
            for await (const piece of writing().fileOf(parts, signal)) pieces.push(Buffer.from(piece).toString());
        };
        await expect(read()).rejects.toBe(GONE);
        expect(pieces).toEqual(['sku\r\n', '0a\r\n', '0b\r\n', '1a\r\n', '1b\r\n']);
        expect(done.filter(what => what.startsWith('open'))).toHaveLength(3);
        expect(done.filter(what => what.startsWith('close'))).toHaveLength(3);
    });

    it('are closed when writing stops, including the one that was read ahead', async () => {
        const { parts, done } = partsOf(4);
        const pieces = writing().fileOf(parts, signal);
        await pieces.next();
        expect(Buffer.from((await pieces.next()).value!).toString()).toBe('0a\r\n');
        await pieces.return();
        expect([...done].sort()).toEqual(['close 0', 'close 1', 'open 0', 'open 1']);
    });
});
