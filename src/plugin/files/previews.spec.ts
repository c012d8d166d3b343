import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { textNaming } from '../../../test/kit/naming';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { workbookOfRows } from '../../testing/workbook';
import type { FlowManagedFile } from '../entities/managed-file';
import type { Files } from './files';
import { readPreview } from './preview-reading';
import { FilePreviews } from './previews';

const MIB = 1024 * 1024;
const { signal } = new AbortController();

const file = (format: string): FlowManagedFile =>
    ({ id: 1, filename: `a.${format}`, format, encoding: 'utf-8', rows: null }) as unknown as FlowManagedFile;

/** Reads in this process, so that the test can observe it. */
const previewsOf = (files: Files): FilePreviews =>
    new FilePreviews(files, {
        read: (shown, requested, stop) => readPreview(shown, { source: files.source(shown), signal: stop }, requested),
    });

/** Files with this content; the signal stops a reader. */
const filesOf = (content: (signal: AbortSignal) => AsyncGenerator<Uint8Array>): Files => {
    return { source: () => ({ open: content }), setCount: () => Promise.resolve() } as unknown as Files;
};

/** A content that is returned after `release`, or never. */
function held(): { readonly files: Files; release(): void } {
    let release = (): void => undefined;
    const released = new Promise<void>(resolve => {
        release = resolve;
    });
    const files = filesOf(async function* (stop) {
        const stopped = new Promise<never>((_, reject) =>
            stop.addEventListener('abort', () => reject(stop.reason as Error)),
        );
        await Promise.race([released, stopped]);
        yield Buffer.from('a\n1\n');
    });
    return { files, release };
}

describe('a preview', () => {
    afterEach(() => {
        jest.useRealTimers();
    });

    it.each([
        ['commas', 'Prices of 2026\nsku,price\nA,1\n', ',', 'line 2'],
        ['semicolons, where numbers have commas', 'Prices of 2026\n\nsku;price\nA;1,5\nB;2,5\n', ';', 'line 3'],
    ])('explains why nothing is shown if there is a title above a table of %s', async (_, text, delimiter, line) => {
        const files = filesOf(async function* () {
            yield Buffer.from(text);
        });
        const shown = await previewsOf(files).preview(file('csv'), { rows: 10 }, signal);
        const count = text.split('\n').filter(row => row.includes(delimiter)).length;
        const warnings = [textNaming(`${count} rows`, line, '2 cells', 'header 1', 'headerRow')];
        expect(shown).toMatchObject({ records: [], totalRows: count, delimiter, warnings });
    });

    it('shows the rows of a workbook under a title, and reports which columns have no name', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'flow-preview-'));
        try {
            const path = join(folder, 'a.xlsx');
            const previews = async (rows: Parameters<typeof workbookOfRows>[0][string]) => {
                await writeFile(path, workbookOfRows({ Sheet: rows }));
                const local = async () => ({ path, release: async () => undefined });
                const source = { source: () => ({ local }), setCount: async () => undefined } as unknown as Files;
                return previewsOf(source).preview(file('xlsx'), { rows: 10 }, signal);
            };
            const titled = await previews([
                ['Prices', null],
                ['sku', 'price'],
            ]);
            expect(titled).toMatchObject({
                records: [{ Prices: 'sku', column2: 'price' }],
                warnings: [expect.stringContaining('B2')],
            });
            const gap = await previews([
                ['sku', null, 'price'],
                ['A', 'x', 1],
            ]);
            expect(gap).toMatchObject({ records: [{ sku: 'A', column2: 'x', price: 1 }], fields: { length: 3 } });
            expect(gap.warnings).toHaveLength(1);
        } finally {
            await rm(folder, { recursive: true });
        }
    });

    it('is one of at most four at the same time; another one is rejected until one has ended', async () => {
        const { files, release } = held();
        const previews = previewsOf(files);
        const preview = () => previews.preview(file('csv'), { rows: 10 }, signal);
        const four = [preview(), preview(), preview(), preview()];
        await expect(preview()).rejects.toMatchObject({
            code: 'FILE_PREVIEW_BUSY',
            waitMs: 1_000,
            facts: { count: 4 },
        });
        release();
        for (const { totalRows } of await Promise.all(four)) expect(totalRows).toBe(1);
        expect((await preview()).totalRows).toBe(1);
    });

    it('releases its slot when it fails', async () => {
        const previews = previewsOf(
            filesOf(async function* () {
                yield Buffer.from('a,a\n');
            }),
        );
        for (let i = 0; i < 6; i++)
            await expect(previews.preview(file('csv'), { rows: 10 }, signal)).rejects.toMatchObject({
                code: 'SOURCE_MALFORMED',
            });
    });

    it('ends after a minute', async () => {
        jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
        const previews = previewsOf(held().files);
        const failed = expect(previews.preview(file('csv'), { rows: 10 }, signal)).rejects.toMatchObject({
            code: 'FILE_PREVIEW_TIMEOUT',
            facts: { filename: 'a.csv', seconds: 60 },
        });
        await turn();
        jest.advanceTimersByTime(60_000);
        await failed;
    });

    it('ends when its caller disconnects', async () => {
        const gone = new AbortController();
        const failed = expect(previewsOf(held().files).preview(file('csv'), { rows: 10 }, gone.signal)).rejects.toThrow(
            'gone',
        );
        gone.abort(new Error('gone'));
        await failed;
    });

    it('of a workbook ends when its caller disconnects', async () => {
        const path = join(__dirname, '../../../test/fixtures/files/rows.xlsx');
        const gone = new AbortController();
        let released = 0;
        const local = (): Promise<object> => {
            gone.abort(new Error('gone'));
            return Promise.resolve({ path, release: () => Promise.resolve(void released++) });
        };
        await expect(
            previewsOf({ source: () => ({ local }) } as unknown as Files).preview(
                file('xlsx'),
                { rows: 10 },
                gone.signal,
            ),
        ).rejects.toThrow('gone');
        expect(released).toBe(1);
    });

    it("of a workbook that the storage has lost says so, without the server's folders", async () => {
        const local = () => Promise.resolve({ path: '/srv/shop/files/0123', release: () => Promise.resolve() });
        const files = { source: () => ({ local }) } as unknown as Files;
        const failed = await previewsOf(files)
            .preview(file('xlsx'), { rows: 10 }, signal)
            .catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: 'FILE_CORRUPT', message: expect.not.stringContaining('/srv') });
    });

    it('detects the encoding that a document declares even if the bytes arrive one by one', async () => {
        const bytes = Buffer.from(
            '<?xml version="1.0" encoding="ISO-8859-1"?><list><n>Gr\xfc\xdfe</n></list>',
            'latin1',
        );
        const previews = previewsOf(
            filesOf(async function* () {
                for (const byte of bytes) yield Uint8Array.of(byte);
            }),
        );
        expect((await previews.preview(file('xml'), { rows: 10 }, signal)).records).toEqual([{ '#text': 'Grüße' }]);
    });

    it('knows all columns, and shows padded cells without padding', async () => {
        const previews = previewsOf(
            filesOf(async function* () {
                yield Buffer.from('name , note , price\n"Laptop, 13" , , "1"\n');
            }),
        );
        expect(await previews.preview(file('csv'), { rows: 10 }, signal)).toMatchObject({
            delimiter: ',',
            trim: true,
            fields: [
                { name: 'name', type: 'string' },
                { name: 'note', type: 'null' },
                { name: 'price', type: 'number' },
            ],
            records: [{ name: 'Laptop, 13', price: '1' }],
        });
    });

    it.each([
        ['a header alone', 'name,price\n', 0, ['null', 'null']],
        ['rows that are all broken', 'name,price\nx\ny,1,2\n', 2, ['null', 'null']],
        ['records', 'name,price\nx,1\n', 1, ['string', 'number']],
    ])('names the columns of a header, with %s', async (_, text, totalRows, types) => {
        const previews = previewsOf(
            filesOf(async function* () {
                yield Buffer.from(text);
            }),
        );
        expect(await previews.preview(file('csv'), { rows: 10 }, signal)).toMatchObject({
            totalRows,
            fields: ['name', 'price'].map((name, i) => ({ name, type: types[i] })),
        });
    });

    it('names the columns of a sheet that only has a header', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'flow-preview-'));
        const path = join(folder, 'a.xlsx');
        await writeFile(path, workbookOfRows({ Sheet: [['name', null, 'price']] }));
        const local = (): Promise<object> => Promise.resolve({ path, release: () => rm(folder, { recursive: true }) });
        const files = { source: () => ({ local }), setCount: () => Promise.resolve() } as unknown as Files;
        expect(await previewsOf(files).preview(file('xlsx'), { rows: 10 }, signal)).toMatchObject({
            totalRows: 0,
            fields: [
                { name: 'name', type: 'null' },
                { name: 'price', type: 'null' },
            ],
        });
    });

    it('lets other work continue while it reads, even if its bytes arrive without a pause', async () => {
        const work = new WorkBetweenTurns(8);
        const piece = Buffer.from('a,b;c,"d"\n'.repeat(MIB / 40));
        const previews = previewsOf(
            filesOf(async function* () {
                yield Buffer.from('a,b,c\n');
                for (let i = 0; i < 20; i++) {
                    yield piece;
                    work.did();
                }
            }),
        );
        const { value, total, most } = await work.during(() => previews.preview(file('csv'), { rows: 10 }, signal));
        expect(value.totalRows).toBeGreaterThan(500_000);
        expect(total).toBeGreaterThanOrEqual(20);
        expect(most).toBe(1);
    });
});
