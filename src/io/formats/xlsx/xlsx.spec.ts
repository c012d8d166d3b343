import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { toldPlaces } from '../../../../test/kit/told-places';
import { workbookOf } from '../../../testing/workbook';
import { zipOf } from '../../../testing/zip';
import { WorkBetweenTurns } from '../../../../test/kit/work-between-turns';
import type { JsonObject } from '../../../core/value/json';
import { isFlowError } from '../../../core/errors/flow-error';
import type { ReadFrom, RecordPage } from '../source';
import { Archive } from './archive';
import { SheetTable } from './sheet-table';
import { sheetNames, xlsxReader, type XlsxOptions } from './xlsx';

let folder: string;
let path: string;
beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flow-xlsx-'));
    path = join(folder, 'book.xlsx');
});
afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
});

/** How many files of the test's folder this process has open. */
const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter(fd => {
        const link = join('/proc/self/fd', fd);
        return existsSync(link) && readlinkSync(link).startsWith(folder);
    }).length;
const numbers = (count: number): string =>
    Array.from({ length: count }, (_, i) => `<row r="${i + 2}"><c r="A${i + 2}"><v>${i}</v></c></row>`).join('');
const HEADER = '<row r="1"><c r="A1" t="str"><v>n</v></c></row>';

const malformed = (where: string, problem: RegExp): object => ({
    code: 'SOURCE_MALFORMED',
    facts: { where, problem: expect.stringMatching(problem) },
});

async function pagesOf(options: XlsxOptions = {}, from: ReadFrom = {}): Promise<RecordPage[]> {
    const pages: RecordPage[] = [];
    for await (const page of xlsxReader({ path }, options).read(from)) pages.push(page);
    return pages;
}

describe('a workbook', () => {
    it('names its sheets in their order, without those that hold no rows', async () => {
        writeFileSync(
            path,
            workbookOf({
                sheets: { 'B & C': '', A: '', Chart: '' },
                parts: [
                    {
                        name: 'xl/workbook.xml',
                        content:
                            '<workbook xmlns:r="x"><sheets><sheet name="B &amp; C" r:id="rId1"/><sheet name="Link" r:id="rId9"/><sheet name="A" r:id="rId2" state="hidden"/></sheets></workbook>',
                    },
                ],
            }),
        );
        expect(await sheetNames(path)).toEqual(['B & C', 'A']);
    });

    it('that is missing is reported without its path', async () => {
        for (const reading of [sheetNames(path), xlsxReader({ path }).check()]) {
            const error: unknown = await reading.catch((thrown: unknown) => thrown);
            expect(error).toMatchObject({
                code: 'SOURCE_MALFORMED',
                facts: { where: 'the beginning', problem: expect.stringContaining('not there') },
            });
            expect((error as Error).message).not.toContain(folder);
        }
    });

    it('that the machine cannot read may be tried again, and is reported without its path', async () => {
        const error: unknown = await sheetNames(folder).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'STORAGE_FAILED', message: expect.stringContaining('EISDIR') });
        expect((error as Error).message).not.toContain(folder);
    });

    it('resumes after any page with the same pages as a whole read', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + numbers(25).replace('<v>7</v>', '<v>x</v>') } }));
        const whole = await pagesOf({}, { pageSize: 4 });
        expect(whole.map(page => page.records.length + page.faults.length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
        expect(whole[1]!.faults[0]).toMatchObject({ index: 3, problem: expect.stringMatching(/A9.*"x".*number/) });
        for (const [i, page] of whole.entries()) {
            const rest = await pagesOf({}, { pageSize: 4, skip: page.rows });
            expect(rest.map(toldPlaces)).toEqual(whole.slice(i + 1).map(toldPlaces));
        }
    });

    it('gives the sheet and row of a record, counting blank rows and those that are left out', async () => {
        const rows = [2, 5, 6, 9].map(
            row => `<row r="${row}"><c r="A${row}" t="str"><v>${row === 6 ? '' : 'x'}</v></c></row>`,
        );
        const broken = '<row r="11"><c r="A11"><v>x</v></c></row>';
        const sheet = HEADER + rows.join('') + broken;
        writeFileSync(path, workbookOf({ sheets: { Stock: sheet, "Bob's list": sheet } }));
        const named = async (...[options, from]: Parameters<typeof pagesOf>): Promise<unknown> =>
            (await pagesOf(options, from)).flatMap(page => [
                ...toldPlaces(page).places,
                ...page.faults.map(({ place }) => place),
            ]);
        expect(await named()).toEqual(['Stock!A2', 'Stock!A5', 'Stock!A9', 'Stock!A11']);
        expect(await named({ sheet: 1 }, { skip: 2 })).toEqual(["'Bob''s list'!A9", "'Bob''s list'!A11"]);
    });

    it('gives smaller pages where rows are large, so that memory stays bounded', async () => {
        const rows = Array.from({ length: 70 }, (_, i) => `<row r="${i + 2}"><c t="s"><v>0</v></c></row>`).join('');
        writeFileSync(
            path,
            workbookOf({ sheets: { S: HEADER + rows }, sharedStrings: `<si><t>${'x'.repeat(131_068)}</t></si>` }),
        );
        expect((await pagesOf()).map(({ records }) => records.length)).toEqual([32, 32, 6]);
    });

    const wide = (columns: number, rows: number): string =>
        `<row>${Array.from({ length: columns }, (_, i) => `<c t="str"><v>c${i}</v></c>`).join(
            '',
        )}</row>${'<row><c><v>1</v></c></row>'.repeat(rows)}`;

    it('gives smaller pages if the header is wide, even if the rows are nearly empty', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: wide(4096, 150) } }));
        const pages = await pagesOf();
        expect(pages.map(({ records }) => records.length)).toEqual([...Array<number>(9).fill(16), 6]);
        expect(Object.keys(pages[9]!.records[5]!)).toHaveLength(4096);
        expect(pages[9]!.records[5]).toMatchObject({ c0: 1, c1: null, c4095: null });
        writeFileSync(path, workbookOf({ sheets: { S: wide(1000, 600) } }));
        expect((await pagesOf()).map(({ records }) => records.length)).toEqual([262, 262, 76]);
    });

    it('returns its pages one by one, and lets other work run between wide rows', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: wide(8192, 120) } }));
        const work = new WorkBetweenTurns(3);
        const make = SheetTable.prototype.record;
        jest.spyOn(SheetTable.prototype, 'record').mockImplementation(function (this: SheetTable, row) {
            work.did();
            return make.call(this, row);
        });
        const { value, total, most } = await work.during(async () => {
            let pages = 0;
            for await (const _ of xlsxReader({ path }).read({})) pages++;
            return pages;
        });
        expect(value).toBeGreaterThan(3);
        // Three records of 3 ms are the first to take 8.
        expect([total, most]).toEqual([120, 3]);
    });

    it('is broken off at the next piece, or the next row, when its signal says so', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + numbers(60_000) } }));
        const broken = new AbortController();
        const pages = xlsxReader({ path }, { signal: broken.signal }).read({ pageSize: 10 });
        await pages.next();
        broken.abort(new Error('broken off'));
        await expect(
            (async () => {
                for await (const _ of pages) continue;
            })(),
        ).rejects.toThrow('broken off');
        await expect(xlsxReader({ path }, { signal: broken.signal }).check()).rejects.toThrow('broken off');
        await expect(sheetNames(path, broken.signal)).rejects.toThrow('broken off');
        expect(openFiles()).toBe(0);
    });

    it('is broken off while it is checked', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + numbers(60_000) } }));
        await expect(xlsxReader({ path }, { signal: AbortSignal.timeout(30) }).check()).rejects.toMatchObject({
            name: 'TimeoutError',
        });
        expect(openFiles()).toBe(0);
    });

    it('is broken off within a part', async () => {
        writeFileSync(path, zipOf([{ name: 'a', content: Array.from({ length: 60_000 }, (_, i) => i).join() }]));
        const broken = new AbortController();
        const archive = await Archive.open(path, { signal: broken.signal });
        const pieces = archive.bytes('a');
        await pieces.next();
        broken.abort(new Error('broken off'));
        await expect(pieces.next()).rejects.toThrow('broken off');
        await archive.close();
    });

    it('inflates to at most its limit', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + numbers(5000) } }));
        await expect(xlsxReader({ path }, { maxInflated: 100_000 }).check()).rejects.toMatchObject(
            malformed('xl/worksheets/sheet1.xml', /inflates.* 100000 bytes/),
        );
        await expect(sheetNames(path, undefined, 100)).rejects.toMatchObject(
            malformed('_rels/.rels', /inflates.* 100 bytes/),
        );
        await expect(xlsxReader({ path }, { maxInflated: 10_000_000 }).check()).resolves.toMatchObject({ rows: 5000 });
    });

    const texts = Array.from({ length: 2000 }, (_, i) => `${i} ü€😀 ${'y'.repeat(i % 300)}`);
    const STRINGS = texts.map(text => `<si><t>${text}</t></si>`).join('');
    const SMALL = { stringMemory: 10_000 };
    const referring = (order: readonly number[]): string =>
        order.map((string, i) => `<row r="${i + 2}"><c t="s"><v>${string}</v></c></row>`).join('');

    it('may be left early, with all its files closed and deleted', async () => {
        writeFileSync(
            path,
            workbookOf({ sheets: { S: HEADER + referring([...texts.keys()]) }, sharedStrings: STRINGS }),
        );
        const pages = xlsxReader({ path }, { ...SMALL, tempDir: folder }).read({ pageSize: 1 });
        await pages.next();
        expect(openFiles()).toBe(2);
        // The strings' file has lost its name at once: a process that is killed leaves nothing either.
        expect(readdirSync(folder)).toEqual(['book.xlsx']);
        await pages.return();
        expect(readdirSync(folder)).toEqual(['book.xlsx']);
        expect(openFiles()).toBe(0);
    });

    it.each([0, 10_000, 1_000_000, 100_000_000])(
        'finds each of its shared strings in any order when %i bytes of them may stay in memory',
        async stringMemory => {
            const order = texts.map((_, i) => (i * 7919) % texts.length);
            writeFileSync(
                path,
                workbookOf({
                    sheets: { S: HEADER + referring([...order, ...texts.keys(), 0]) },
                    sharedStrings: STRINGS,
                }),
            );
            const found = (await pagesOf({ stringMemory, tempDir: folder })).flatMap(({ records }) =>
                records.map(({ n }) => n),
            );
            expect(found).toEqual([...order.map(i => texts[i]), ...texts, texts[0]]);
            expect(readdirSync(folder)).toEqual(['book.xlsx']);
        },
    );

    it('refers to no shared string after the last one, in memory or not', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + referring([2000]) }, sharedStrings: STRINGS }));
        for (const options of [{}, SMALL])
            await expect(pagesOf(options)).rejects.toMatchObject(malformed('cell A2', /shared string 2000.* 2000$/));
    });

    it('that turns out to be broken leaves no temporary file', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: '' }, sharedStrings: `${STRINGS}</oops>` }));
        await expect(xlsxReader({ path }, { ...SMALL, tempDir: folder }).check()).rejects.toThrow(
            'xl/sharedStrings.xml, line 2',
        );
        expect(readdirSync(folder)).toEqual(['book.xlsx']);
        expect(openFiles()).toBe(0);
    });

    it('inflates to no more than the cap for all parts together', async () => {
        writeFileSync(
            path,
            zipOf([
                { name: 'a', content: 'x'.repeat(600) },
                { name: 'b', content: 'y'.repeat(600) },
            ]),
        );
        const archive = await Archive.open(path, { maxInflated: 1000 });
        const read = async (part: string): Promise<void> => {
            for await (const _ of archive.bytes(part)) continue;
        };
        await read('a');
        await expect(read('b')).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            facts: { where: 'b', problem: expect.stringMatching(/inflates.* 1000 bytes/) },
        });
        await archive.close();
    });

    it('lets the event loop turn while it is read', async () => {
        writeFileSync(path, workbookOf({ sheets: { S: HEADER + numbers(20_000) } }));
        const work = new WorkBetweenTurns(0.1);
        const look = SheetTable.prototype.hasRecord;
        jest.spyOn(SheetTable.prototype, 'hasRecord').mockImplementation(function (this: SheetTable, row) {
            work.did();
            return look.call(this, row);
        });
        const { value, total, most } = await work.during(() => xlsxReader({ path }).check());
        expect(value).toMatchObject({ rows: 20_000 });
        expect([total, most]).toEqual([20_001, 80]);
    });
});

describe('any file', () => {
    const valid = workbookOf({
        sheets: { S: `${HEADER}${numbers(3)}<row r="9"><c t="s"><v>0</v></c></row>`, T: '' },
        sharedStrings: '<si><t>x</t></si>',
        formats: ['yyyy'],
    });
    const outcomeOf = async (work: Promise<unknown>): Promise<unknown> =>
        work.catch((error: unknown) => (isFlowError(error) ? error.code : error));

    async function holds(bytes: Uint8Array): Promise<void> {
        writeFileSync(path, bytes);
        const checked = await outcomeOf(
            xlsxReader({ path })
                .check()
                .then(({ rows }) => ({ rows })),
        );
        const read = await outcomeOf(
            pagesOf().then(pages => ({
                rows: pages.reduce((sum, { records, faults: issues }) => sum + records.length + issues.length, 0),
            })),
        );
        expect(read).toEqual(checked);
        if (typeof checked !== 'object' || !('rows' in (checked as JsonObject)))
            expect(checked).toBe('SOURCE_MALFORMED');
        expect(openFiles()).toBe(0);
    }

    it('of random bytes is malformed', () =>
        fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), holds), { numRuns: 100 }));

    it('that was damaged gives records or is malformed', async () => {
        const edit = fc.tuple(
            fc.nat(valid.length - 1),
            fc.oneof(fc.nat(255), fc.constantFrom(0, 255)),
            fc.integer({ min: 1, max: 8 }),
        );
        await fc.assert(
            fc.asyncProperty(
                fc.array(edit, { minLength: 1, maxLength: 6 }),
                fc.integer({ min: 0, max: 60 }),
                async (edits, cut) => {
                    const bytes = Buffer.from(valid);
                    for (const [at, byte, length] of edits) bytes.fill(byte, at, Math.min(at + length, bytes.length));
                    await holds(bytes.subarray(0, bytes.length - (cut > 50 ? cut * 10 : 0)));
                },
            ),
            { numRuns: 150 },
        );
    }, 60_000);

    it('whose directory was damaged gives records or is malformed, zip64 included', async () => {
        const locator = Buffer.alloc(20);
        locator.write('PK\x06\x07', 'latin1');
        const end = valid.length - 22;
        await fc.assert(
            fc.asyncProperty(
                fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
                fc.nat(21),
                fc.nat(255),
                async (place, at, byte) => {
                    locator.writeBigUInt64LE(place, 8);
                    await holds(Buffer.concat([valid.subarray(0, end), locator, valid.subarray(end)]));
                    const bytes = Buffer.from(valid);
                    bytes[end + at] = byte;
                    await holds(bytes);
                },
            ),
            { numRuns: 60 },
        );
    }, 60_000);

    it('whose sheet was damaged gives records or is malformed', async () => {
        const sheet = `<worksheet><sheetData>${HEADER}<row r="2"><c r="A2" s="1" t="n"><v>1.5</v></c><c r="B2" t="inlineStr"><is><t>x</t></is></c></row></sheetData></worksheet>`;
        const edit = fc.tuple(
            fc.nat(sheet.length),
            fc.string({
                unit: fc.constantFrom(
                    '<',
                    '>',
                    '/',
                    '"',
                    's',
                    'e',
                    'd',
                    '9',
                    'A',
                    '-',
                    '&',
                    '<c>',
                    '<row>',
                    '</row>',
                    '<v>',
                    '\n',
                ),
                maxLength: 3,
            }),
            fc.nat(2),
        );
        await fc.assert(
            fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async edits => {
                const content = edits.reduce(
                    (xml, [at, put, cut]) => xml.slice(0, at) + put + xml.slice(at + cut),
                    sheet,
                );
                await holds(workbookOf({ formats: ['yyyy'], parts: [{ name: 'xl/worksheets/sheet1.xml', content }] }));
            }),
            { numRuns: 100 },
        );
    }, 60_000);
});
