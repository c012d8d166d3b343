import fc from 'fast-check';
import type { LogText } from '../../core/log/log-text';
import { toldPlaces } from '../../../test/kit/told-places';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import type { JsonObject } from '../../core/value/json';
import { checkCsv, type CsvOptions, type CsvPage, csvReader, readCsv, CsvTable } from './csv';
import { CsvRows } from './csv-rows';
import type { TextSource } from './chunks';

const OPTIONS: CsvOptions = { delimiter: ',', hasHeader: true };

async function pagesOf(source: TextSource, options: Partial<CsvOptions> = {}): Promise<CsvPage[]> {
    const pages: CsvPage[] = [];
    for await (const page of readCsv(source, { ...OPTIONS, ...options })) pages.push(page);
    return pages;
}

async function recordsOf(text: string, options: Partial<CsvOptions> = {}): Promise<JsonObject[]> {
    return (await pagesOf([text], options)).flatMap(page => page.records);
}

async function* oneText(text: string): AsyncGenerator<string, void, void> {
    yield text;
}

async function checkedRows(text: string, options: Partial<CsvOptions>): Promise<number> {
    return (await csvReader(() => oneText(text), { ...OPTIONS, ...options }).check()).rows;
}

function cut(text: string, size: number): string[] {
    return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

function rowsOf(chunks: readonly string[], delimiter = ','): unknown {
    const reader = new CsvRows({ delimiter });
    return [...chunks.flatMap(chunk => [...reader.push(chunk)]), ...reader.end()]
        .flat()
        .map(({ cells, line }) => ({ cells, line }));
}

describe('rows of CSV are skipped', () => {
    const text = 'sep=;\r\n"Prices\nof 2026";;;\n\n;;\nsku;price\n\n;EUR\nA;1\nB\nC;3\n\nTotal;4;;checked\n;;\n';
    const rules = { delimiter: ';', headerRow: 4, skipAfterHeader: 1, skipAtEnd: 1 };

    it('above and after the header and at the end, wherever the text is cut; lines remain those of the file', async () => {
        for (let size = 1; size <= text.length; size++) {
            const pages = await pagesOf(cut(text, size), rules);
            expect(pages.flatMap(({ records }) => records)).toEqual([
                { sku: 'A', price: '1' },
                { sku: 'C', price: '3' },
            ]);
            expect(pages.flatMap(page => toldPlaces(page).places)).toEqual(['line 9', 'line 11']);
            expect(pages.flatMap(({ faults }) => faults)).toEqual([
                expect.objectContaining({ place: 'line 10', index: 1 }),
            ]);
        }
    });

    it('with the same pages after a resume, and the same number of rows in the first pass', async () => {
        expect(await checkedRows(text, rules)).toBe(3);
        const [, second, third] = await pagesOf([text], { ...rules, pageSize: 1 });
        const resumed = await pagesOf([text], { ...rules, pageSize: 1, skip: 1 });
        expect(resumed.map(({ rows, records }) => ({ rows, records }))).toEqual(
            [second!, third!].map(({ rows, records }) => ({ rows, records })),
        );
    });

    it('without an error if there are not as many', async () => {
        expect(await recordsOf('a,b\n1,2\n', { skipAtEnd: 3 })).toEqual([]);
        expect(await recordsOf('a,b\n1,2\n', { skipAfterHeader: 3 })).toEqual([]);
        expect(await recordsOf('a,b\n1,2\n', { headerRow: 9 })).toEqual([]);
    });

    it('the next row that is not empty is the header if the header row is empty', async () => {
        expect(await recordsOf('title\n\n\na,b\n1,2\n', { headerRow: 2 })).toEqual([{ a: '1', b: '2' }]);
    });

    it('at the end only if they are small enough to be held', async () => {
        const long = `${'x'.repeat(4 * 1024 * 1024 - 10)},1\n`;
        await expect(recordsOf(`a,b\n${long.repeat(5)}`, { skipAtEnd: 10 })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
        expect(await recordsOf(`a,b\n${long.repeat(5)}`, { skipAtEnd: 1 })).toHaveLength(4);
    });
});

describe('CSV is read', () => {
    it.each<[string, string, JsonObject[]]>([
        [
            'with LF',
            'a,b\n1,2\n3,4\n',
            [
                { a: '1', b: '2' },
                { a: '3', b: '4' },
            ],
        ],
        [
            'with CRLF, CR and LF mixed',
            'a,b\r\n1,2\r3,4\n5,6',
            [
                { a: '1', b: '2' },
                { a: '3', b: '4' },
                { a: '5', b: '6' },
            ],
        ],
        ['with a byte order mark', '\ufeffa\n1', [{ a: '1' }]],
        [
            'with quotes, doubled quotes and line ends in quotes',
            'a,b\n"x, ""y""","1\r\n2"\n',
            [{ a: 'x, "y"', b: '1\r\n2' }],
        ],
        ['with quotes within plain cells', 'a,b\n5" pipe,2\n', [{ a: '5" pipe', b: '2' }]],
        ['with blanks after closing quotes', 'a,b\n"1" ,"2" \n', [{ a: '1', b: '2' }]],
        ['with empty cells and quoted nothing', 'a,b,c\n,"",1\n', [{ a: '', b: '', c: '1' }]],
        ['with empty lines', '\n\na\n\n1\n\n', [{ a: '1' }]],
        ['with white space around column names', ' a , b\n 1 ,2', [{ a: ' 1 ', b: '2' }]],
        ['as text, whatever the cells look like', 'a\n00123\nnull\n1e5', [{ a: '00123' }, { a: 'null' }, { a: '1e5' }]],
        [
            'with texts that are kept from becoming numbers',
            'sku,name\n="00123",A\n"=""00124""" ,B\n="5"" pipe" ,="C"\n=1+1,="open\n',
            [
                { sku: '00123', name: 'A' },
                { sku: '00124', name: 'B' },
                { sku: '5" pipe', name: 'C' },
                { sku: '=1+1', name: '="open' },
            ],
        ],
        ['when there is only a header', 'a,b\n', []],
        ['when there is nothing', '', []],
    ])('%s', async (_, text, records) => {
        expect(await recordsOf(text)).toEqual(records);
        await expect(checkCsv([text], OPTIONS)).resolves.toBeUndefined();
    });

    it('with invisible characters around column names, which are reported', async () => {
        const warnings: string[] = [];
        const warn = ({ message }: LogText): void => void warnings.push(message);
        expect(await recordsOf('\u200bsku\u200b, na\u200bme \n\u200bA,B', { warn })).toEqual([
            { sku: '\u200bA', 'na\u200bme': 'B' },
        ]);
        expect(warnings).toEqual([expect.stringContaining('"sku"')]);
    });

    it('with another delimiter, and without a header', async () => {
        expect(await recordsOf('1\t2\n3\t4', { delimiter: '\t', hasHeader: false })).toEqual([
            { column1: '1', column2: '2' },
            { column1: '3', column2: '4' },
        ]);
    });

    it('P5: alike however the text is cut', () => {
        const text = '\ufeffa,b\r\n"x\r\ny ""z""",ä€😀\r"",5" q\n\n1,2';
        const whole = rowsOf([text]);
        for (let size = 1; size <= 64; size++) expect(rowsOf(cut(text, size))).toEqual(whole);
    });

    it('as it was written, wherever it is cut, with the line of each row', () => {
        const cell = fc.string({
            unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ä', '😀', ';', '\t', '\ufeff'),
            maxLength: 6,
        });
        const row = fc.record({
            cells: fc.array(fc.record({ text: cell, quoted: fc.boolean(), blank: fc.constantFrom('', '', ' ') }), {
                minLength: 1,
                maxLength: 4,
            }),
            end: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\r\n'),
        });
        const text = fc.record({
            rows: fc.array(row, { maxLength: 6 }),
            delimiter: fc.constantFrom(',', ';', '\t'),
            endsBare: fc.boolean(),
        });
        fc.assert(
            fc.property(text, fc.integer({ min: 1, max: 20 }), ({ rows, delimiter, endsBare }, size) => {
                const expected: unknown[] = [];
                let written = '';
                for (const { cells, end } of rows) {
                    const isPassedOver = cells.length > 1 && cells.every(({ text }) => text === '');
                    if (!isPassedOver)
                        expected.push({
                            cells: cells.map(({ text }) => text),
                            line: 1 + (written.match(/\r\n|\r|\n/g) ?? []).length,
                        });
                    written +=
                        cells
                            .map(({ text, quoted, blank }) =>
                                quoted || text === '' || /["\r\n\ufeff]/.test(text) || text.includes(delimiter)
                                    ? `"${text.replaceAll('"', '""')}"${blank}`
                                    : text,
                            )
                            .join(delimiter) + end;
                }
                if (endsBare) written = written.replace(/[\r\n]+$/, '');
                expect(rowsOf(cut(written, size), delimiter)).toEqual(expected);
                expect(rowsOf([written], delimiter)).toEqual(expected);
            }),
            { numRuns: 500 },
        );
    });

    it('from one long text, which is not read at once', async () => {
        const text = `a,b\n${Array.from({ length: 30_000 }, (_, i) => `${i},"x\n${i}"`).join('\n')}`;
        const pages = await pagesOf(text);
        expect(pages.length).toBe(30);
        expect(pages[29]!.records[999]).toEqual({ a: '29999', b: 'x\n29999' });
    });

    it.each([
        [
            false,
            [
                { a: ' ', b: ' ' },
                { a: '', b: '\t' },
                { a: ' ', b: '' },
                { a: '1', b: '' },
            ],
        ],
        [
            true,
            [
                { a: ' ', b: '' },
                { a: '1', b: '' },
            ],
        ],
    ])(
        'without the lines whose cells are all empty, in quotes or not; blanks are empty where trim is %s',
        async (trim, rows) => {
            const text = 'a,b\n"",""\n,\n"",\n,"" \n , \n"",\t\n" ",""\n1,""\n"",""';
            expect(await recordsOf(text, { trim })).toEqual(rows);
        },
    );

    it('with empty cells in quotes, although an empty line is not a row', async () => {
        expect(await recordsOf('a\n""\n\n"" \r\n\r\nx')).toEqual([{ a: '' }, { a: '' }, { a: 'x' }]);
    });

    it('with a column called __proto__, and no prototype is touched', async () => {
        const [record] = await recordsOf('__proto__,a\nx,1');
        expect(Object.keys(record!)).toEqual(['__proto__', 'a']);
        expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
        expect(({} as JsonObject)['0']).toBeUndefined();
    });
});

describe('a CSV source is malformed', () => {
    const malformed = (where: string, problem: string | RegExp): object => ({
        code: 'SOURCE_MALFORMED',
        facts: { where, problem: expect.stringMatching(problem) },
    });

    it.each([
        [
            'a quote that is never closed, naming its line',
            'a,b\n1,2\n3,"4\n5,6\n',
            'malformed at line 3: a quote is opened and never closed',
        ],
        [
            'a quote that is never closed, naming the line of the quote and not of its row',
            'a,b\n"1\n2","4\n5,6\n',
            'malformed at line 3: a quote is opened',
        ],
        [
            'a quote that another one closes only by chance',
            'a,b\n1,"2\n3,"4"\n5,6\n',
            'malformed at line 2: a quoted cell has text after',
        ],
        ['a quote after a quoted cell and blanks', 'a\n"x"  "\n', 'malformed at line 2: a quoted cell has text after'],
        [
            'text after a closing quote at the end',
            'a\n"x"y',
            'malformed at line 2: a quoted cell has text after its closing quote',
        ],
        [
            'text after a closing quote',
            'a\n"x"y\n',
            'malformed at line 2: a quoted cell has text after its closing quote',
        ],
        ['a repeated column name', 'a,b, a\n1,2,3', 'malformed at line 1: the header names two columns "a"'],
        [
            'a row of more than 10000 cells',
            `a\n${','.repeat(10_000)}\n`,
            'malformed at line 2: the row has 10001 cells',
        ],
    ])('by %s', async (_, text, message) => {
        await expect(checkCsv(cut(text, 7), OPTIONS)).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining(message),
        });
    });

    it('by a row of more than 4194304 characters, wherever it is cut', async () => {
        const fits = `a\n"${'x\n'.repeat(2_097_150)}x"\n1\n`;
        const tooLong = fits.replace('x', 'xx');
        for (const size of [60_000, 5_000_000]) {
            await expect(checkCsv(cut(fits, size), OPTIONS)).resolves.toBeUndefined();
            await expect(checkCsv(cut(tooLong, size), OPTIONS)).rejects.toMatchObject(
                malformed('line 2', '4194304 characters'),
            );
        }
    });

    it('by a long row in which quotes are misplaced, at once', async () => {
        let given = 0;
        function* source(): Generator<string> {
            yield 'a\n"';
            for (; given < 1000; given++) yield 'x"y'.repeat(1000);
        }
        await expect(checkCsv(source(), OPTIONS)).rejects.toMatchObject(malformed('line 2', 'quoted cell'));
        expect(given).toBeLessThan(3);
    });

    it('P3: by an endless row, found soon and in bounded memory', async () => {
        let given = 0;
        function* endless(): Generator<string> {
            yield 'a\n1\n"';
            for (;;) {
                given++;
                yield 'x'.repeat(65_536);
            }
        }
        await expect(checkCsv(endless(), OPTIONS)).rejects.toMatchObject(
            malformed('line 3', /4194304 characters.*quote.*not.*closed/),
        );
        expect(given).toBeLessThan(100);
    });
});

describe('pages of CSV', () => {
    it('leave a ragged row out with its line number, and keep the others', async () => {
        const [page] = await pagesOf(['a,b\n"1\n2",x\n3\n4,5\n6,7,8\n']);
        expect(page!.records).toEqual([
            { a: '1\n2', b: 'x' },
            { a: '4', b: '5' },
        ]);
        expect(page!.faults).toEqual([
            {
                index: 1,
                place: 'line 4',
                path: 'b',
                data: { a: '3' },
                problem: expect.stringMatching(/line 4.*1 cell.*header.*2/),
            },
            {
                index: 2,
                place: 'line 6',
                path: 'column3',
                data: { a: '6', b: '7', column3: '8' },
                problem: expect.stringMatching(/line 6.*3 cells.*header.*2/),
            },
        ]);
        expect(page!.rows).toBe(4);
    });

    it('name the missing column of a ragged row by its path', async () => {
        const [page] = await pagesOf(['a,Art.-Nr.\n1\n']);
        expect(page!.faults[0]!.path).toBe('Art\\.-Nr\\.');
    });

    it('resume after any of them with the same pages as a whole read', async () => {
        const text = `a\n${Array.from({ length: 25 }, (_, i) => (i % 7 === 3 ? `${i},x` : String(i))).join('\n')}`;
        const whole = await pagesOf([text], { pageSize: 4 });
        for (const [i, page] of whole.entries()) {
            const rest = await pagesOf([text], { pageSize: 4, skip: page.rows });
            expect(rest.map(toldPlaces)).toEqual(whole.slice(i + 1).map(toldPlaces));
        }
        expect(whole.map(page => page.records.length + page.faults.length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
    });

    it('are read one by one: nothing is read ahead of the reader', async () => {
        let given = 0;
        function* source(): Generator<string> {
            yield 'a\n';
            for (given = 0; given < 1000; given++) yield '1\n';
        }
        const pages = readCsv(source(), { ...OPTIONS, pageSize: 10 });
        await pages.next();
        expect(given).toBeLessThan(12);
        await pages.return();
    });
});

describe('a reader of CSV', () => {
    const text = async function* (): AsyncGenerator<string, void, void> {
        yield* cut('a,b\n1,2\n\n3\n4,5\n', 3);
    };
    const reader = csvReader(text, OPTIONS);

    it('counts all data rows when it checks, including the malformed ones', async () => {
        expect(await reader.check()).toEqual({ rows: 3, columns: ['a', 'b'] });
        expect(await csvReader(text, { ...OPTIONS, hasHeader: false }).check()).toEqual({
            rows: 4,
            columns: ['column1', 'column2'],
        });
    });

    it('opens its text again for each pass, and resumes where requested', async () => {
        for (const skip of [0, 2]) {
            const pages: CsvPage[] = [];
            for await (const page of reader.read({ skip, pageSize: 10 })) pages.push(page);
            expect(pages.map(page => page.rows)).toEqual([3]);
            expect(pages[0]!.records).toEqual(
                skip === 0
                    ? [
                          { a: '1', b: '2' },
                          { a: '4', b: '5' },
                      ]
                    : [{ a: '4', b: '5' }],
            );
        }
    });

    describe('yields to other work, even if the whole text is available at once', () => {
        const ROWS = 100_000;
        const long = csvReader(async function* () {
            yield `a,b\n${'1,2\n'.repeat(ROWS)}`;
        }, OPTIONS);
        afterEach(() => jest.restoreAllMocks());

        it('while it checks: between two stretches of rows', async () => {
            const work = new WorkBetweenTurns(0.1);
            const cut = CsvRows.prototype.push;
            jest.spyOn(CsvRows.prototype, 'push').mockImplementation(function* (this: CsvRows, piece) {
                for (const rows of cut.call(this, piece)) {
                    work.did(rows.length);
                    yield rows;
                }
            });
            const { value, total, most } = await work.during(() => long.check());
            expect(value.rows).toBe(ROWS);
            // All rows and the header; a stretch of 500 takes 50 ms, and 8 may pass without a turn.
            expect([total, most]).toEqual([ROWS + 1, 500]);
        });

        it('while it makes records: between two of them', async () => {
            const work = new WorkBetweenTurns(0.1);
            const make = CsvTable.prototype.record;
            jest.spyOn(CsvTable.prototype, 'record').mockImplementation(function (this: CsvTable, cells) {
                work.did();
                return make.call(this, cells);
            });
            const { value, total, most } = await work.during(async () => {
                let records = 0;
                for await (const page of long.read({})) records += page.records.length;
                return records;
            });
            expect(value).toBe(ROWS);
            expect([total, most]).toEqual([ROWS, 80]);
        });
    });
});

it('gives away a page of long rows before it has its number of them, so that memory does not grow with their length', async () => {
    const cell = 'x'.repeat(500_000);
    const reader = csvReader(
        async function* text() {
            yield 'a,b\n';
            for (let i = 0; i < 40; i++) yield `${i},${cell}\n`;
        },
        { delimiter: ',', hasHeader: true },
    );
    const sizes: number[] = [];
    for await (const { records } of reader.read({})) sizes.push(records.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(40);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
});
