import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { naming } from '../../../test/kit/naming';
import type { Page } from '../../core/adapter/extractor';
import { rowsInSequence } from '../../core/adapter/page-rows';
import { redactedText } from '../../core/errors/redacted-text';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { extractContext, type ExtractPart, readPages } from '../../testing/bare-extract';
import { providedFiles } from '../../testing/provided-files';
import { csv } from './csv';
import { xlsx } from './xlsx';

const files = providedFiles({
    rows: { format: 'xlsx', bytes: readFileSync(join(__dirname, '../../../test/fixtures/files/rows.xlsx')) },
});

const read = (config: JsonObject, part: ExtractPart = {}): Promise<readonly Page[]> =>
    readPages({ extractor: 'csvText' in config ? csv : xlsx, config }, extractContext({ files, ...part }));

const records = async (...args: Parameters<typeof read>): Promise<readonly JsonObject[]> =>
    (await read(...args)).flatMap(page => page.records);

/** Groups and rejected groups in their order, the rejected ones with their reason. */
async function outcomes(csvText: string, groupBy: JsonValue = 'handle'): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (const { records, faults: issues = [] } of await read({ csvText, groupBy })) {
        const rows = ({ rows }: JsonObject): unknown => (rows as JsonObject[] | undefined)?.map(({ n }) => n);
        for (let i = 0; i <= records.length; i++) {
            for (const { index, problem, data } of issues) if (index === i) found.push([problem, rows(data)]);
            if (i < records.length) found.push([records[i]!['handle'], rows(records[i]!)]);
        }
    }
    return found;
}

/** Why a row of 1 cell, or of 3, is not a record: the header has 2. */
const short = (line: number): unknown => expect.stringMatching(naming(`line ${line}`, 1, 2));
const long = (line: number): unknown => expect.stringMatching(naming(`line ${line}`, 3, 2));

describe('groupBy', () => {
    it('makes one record of the rows that follow each other', async () => {
        expect(
            await records({
                csvText: 'handle,size\nshirt,S\nshirt,M\nhat,\nshirt,XL',
                groupBy: 'handle',
                emptyValues: 'TEXT',
            }),
        ).toEqual([
            {
                handle: 'shirt',
                rows: [
                    { handle: 'shirt', size: 'S' },
                    { handle: 'shirt', size: 'M' },
                ],
            },
            { handle: 'hat', rows: [{ handle: 'hat', size: '' }] },
            { handle: 'shirt', rows: [{ handle: 'shirt', size: 'XL' }] },
        ]);
    });

    it.each<[string, string, unknown[]]>([
        [
            'in its middle',
            'a,1\na\na,3\nb,4',
            [
                [short(3), ['1', undefined, '3']],
                ['b', ['4']],
            ],
        ],
        [
            'at its end',
            'a,1\na,2,x\nb,3',
            [
                [long(3), ['1', '2']],
                ['b', ['3']],
            ],
        ],
        [
            'at its beginning',
            'a,1\nb\nb,3',
            [
                ['a', ['1']],
                [short(3), [undefined, '3']],
            ],
        ],
        [
            'in its middle, though the row names another group',
            'a,1\nx\ny,2,3\na,3\nb,4',
            [
                [short(3), ['1', undefined, '2', '3']],
                ['b', ['4']],
            ],
        ],
        [
            'which is a row alone',
            'a,1\nx\nb,2',
            [
                ['a', ['1']],
                [short(3), undefined],
                ['b', ['2']],
            ],
        ],
        [
            'after the last group',
            'a,1\nx',
            [
                ['a', ['1']],
                [short(3), undefined],
            ],
        ],
        [
            'before the first group',
            'x\na,1',
            [
                [short(2), undefined],
                ['a', ['1']],
            ],
        ],
    ])('rejects the whole group that has a broken row %s', async (_, rows, expected) => {
        expect(await outcomes(`handle,n\n${rows}`)).toEqual(expected);
    });

    it('names the row, and the number of other rows that are rejected with it', async () => {
        const [page] = await read({ csvText: 'handle,n\na,1\na\na,3\na,4\na,5', groupBy: 'handle' });
        const rows = ['1', undefined, '3', '4', '5'].map(n => ({ handle: 'a', ...(n !== undefined && { n }) }));
        expect(page!.faults).toEqual([
            {
                index: 0,
                place: 'line 2',
                path: 'rows.1.n',
                data: { handle: 'a', rows },
                problem: expect.stringMatching(naming('line 3', 1, 2, 4)),
            },
        ]);
        // It has no values of records, which not every user may read.
        const { problem } = page!.faults![0]!;
        expect(redactedText(problem)).toBe(problem);
    });

    it.each<[string, JsonValue, unknown[]]>([
        ['a,1\na,2\n\nb,3', 'handle', ['line 2', 'line 5']],
        ['a,"1\n1"\na,2\nb,3', 'handle', ['line 2', 'line 5']],
        ['a,1\nb\nb,3\nc,4', 'handle', ['line 2', 'line 3', 'line 5']],
        ['a,1\n,2\nb,3\n,4', { column: 'handle', continued: true }, ['line 2', 'line 4']],
        [',1\nb,2\n,3\nc\n,5', { column: 'handle', continued: true }, ['line 2', 'line 3', 'line 5']],
    ])('locates the first row of each group: %j by %j', async (rows, groupBy, places) => {
        const pages = await read({ csvText: `handle,n\n${rows}`, groupBy });
        const told = pages.flatMap(page =>
            rowsInSequence(page).map(row => (row.fault ? row.fault.place : page.placeOf?.(row.index))),
        );
        expect(told).toEqual(places);
    });

    it('resumes from each of its checkpoints with whole groups, whether or not their rows are valid', async () => {
        const many = Array.from({ length: 6_000 }, (_, i) => {
            const handle = `h${Math.floor(i / 7)}`;
            return i % 50 === 3 ? handle : i % 90 === 4 ? `ragged${i}` : `${handle},${i}`;
        }).join('\n');
        const config = { csvText: `handle,n\n${many}`, groupBy: 'handle' };
        const whole = await read(config);
        const rowsOf = (pages: readonly Page[]): readonly JsonObject[] =>
            pages.flatMap(page =>
                rowsInSequence(page).map(row =>
                    row.fault
                        ? { ...row.fault.data, place: row.fault.place! }
                        : { ...row.record, place: page.placeOf!(row.index)! },
                ),
            );
        expect(whole.length).toBeGreaterThan(4);
        expect(rowsOf(whole).flatMap(({ rows = [{}] }) => rows as JsonObject[])).toHaveLength(6_000);
        for (const [i, { checkpoint }] of whole.entries())
            expect(rowsOf(await read(config, { resumeFrom: checkpoint as JsonValue }))).toEqual(
                rowsOf(whole.slice(i + 1)),
            );
    });

    it('rejects a group that is too large for one record', async () => {
        const wide = `a,b\n${`1,${'x'.repeat(100_000)}\n`.repeat(100)}`;
        await expect(records({ csvText: wide, groupBy: 'a' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringMatching(naming('row 1', '8 MiB', '"a"')),
        });
    });

    it('lets broken rows wait for their group up to the weight of one record', async () => {
        const wide = Array.from({ length: 100 }, (_, i) => `b${i},${'x'.repeat(100_000)},y`);
        const found = await outcomes(`handle,n\na,1\n${wide.join('\n')}\na,2`);
        expect([found[0], found.length, found.at(-1)]).toEqual([['a', ['1']], 102, ['a', ['2']]]);
        // Smaller broken rows wait, because they belong to the group.
        expect(await outcomes(`handle,n\na,1\n${wide.slice(0, 50).join('\n')}\na,2`)).toHaveLength(1);
    });

    it('groups the rows of a sheet too', async () => {
        const pages = await read({ fileId: 'rows', groupBy: 'ä' });
        const [group, ...others] = pages.flatMap(page => page.records);
        expect([others, pages.flatMap(page => page.faults ?? [])]).toEqual([[], []]);
        expect(group!['rows'] as JsonValue[]).toHaveLength(3_500);
    });

    it('names a missing column, and a column whose value is the same in too many rows', async () => {
        await expect(records({ csvText: 'handle\na', groupBy: 'Handle' })).rejects.toThrow(
            naming('groupBy', '"Handle"'),
        );
        const same = `a\n${Array.from({ length: 3_000 }, (_, i) => `x${i}\n`).join('')}${'1\n'.repeat(10_001)}`;
        const pages = csv.extract(csv.config.parse({ csvText: same, groupBy: 'a' }), extractContext({}));
        // Before the first page: nothing of it is loaded.
        await expect(pages.next()).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringMatching(naming('row 3001', 10_000, '"a"')),
        });
    });
});

describe('groupBy of rows that are continued', () => {
    const continued = { column: 'handle', continued: true };

    it.each<[string, string, unknown[]]>([
        [
            'continues with rows that leave the column empty',
            'a,1\n,2\n,3\nb,4\n"",5',
            [
                ['a', ['1', '2', '3']],
                ['b', ['4', '5']],
            ],
        ],
        [
            'continues with rows that have blanks in the column',
            'a,1\n ,2\n\t,3\nb,4\n" ",5',
            [
                ['a', ['1', '2', '3']],
                ['b', ['4', '5']],
            ],
        ],
        ['continues with rows of the same value as well', 'a,1\n,2\na,3', [['a', ['1', '2', '3']]]],
        [
            'rejects an empty row without a row before it',
            ',1\na,2',
            [
                ['row 1 leaves "handle" empty, and there is no row before it that it could continue', undefined],
                ['a', ['2']],
            ],
        ],
        [
            'rejects a group whose first row is broken',
            'a,1\nb\n,2\nc,3',
            [
                ['a', ['1']],
                [short(3), [undefined, '2']],
                ['c', ['3']],
            ],
        ],
        [
            'rejects a group whose further row is broken',
            'a,1\n,2,x\nc,3',
            [
                [long(3), ['1', '2']],
                ['c', ['3']],
            ],
        ],
    ])('%s', async (_, rows, expected) => {
        expect(await outcomes(`handle,n\n${rows}`, continued)).toEqual(expected);
    });

    it.each<[string, string, unknown[]]>([
        [
            'that follow each other',
            'a,1\n,2\n,3\nb,4',
            [
                ['a', ['1']],
                [undefined, ['2']],
                [undefined, ['3']],
                ['b', ['4']],
            ],
        ],
        [
            'of blanks and invisible characters',
            ' ,1\n ,2\n\u200b,3\n\u200b,4',
            [
                [' ', ['1']],
                [' ', ['2']],
                ['\u200b', ['3']],
                ['\u200b', ['4']],
            ],
        ],
        [
            'next to a broken one',
            ',1,x\n,2\n,3,x\na,4',
            [
                [long(2), undefined],
                [undefined, ['2']],
                [long(4), undefined],
                ['a', ['4']],
            ],
        ],
    ])('makes a record of each row without a value if it is not continued: rows %s', async (_, rows, expected) => {
        expect(await outcomes(`handle,n\n${rows}`, { column: 'handle' })).toEqual(expected);
    });
});

describe('groupBy of rows that are apart', () => {
    const apart = { column: 'handle', apart: true };

    it('joins them in the order of the first rows, with their places', async () => {
        const [page] = await read({ csvText: 'handle,n\na,1\nb,2\na,3\nc,4\nb,5', groupBy: apart });
        expect(page!.records.map(({ handle, rows }) => [handle, (rows as JsonObject[]).map(({ n }) => n)])).toEqual([
            ['a', ['1', '3']],
            ['b', ['2', '5']],
            ['c', ['4']],
        ]);
        expect(page!.records.map((_, index) => page!.placeOf!(index))).toEqual(['line 2', 'line 3', 'line 5']);
        expect(page!.checkpoint).toBe(3);
    });

    it('rejects the whole group of a broken row, and puts one without the column to the row before it', async () => {
        expect(await outcomes('handle,n\na,1\nb,2\na\nb,3\na,4', apart)).toEqual([
            [short(4), ['1', undefined, '4']],
            ['b', ['2', '3']],
        ]);
        expect(await outcomes('n,handle\n1,a\n2,b\n3\n4,a', apart)).toEqual([
            ['a', ['1', '4']],
            [short(4), ['2', '3']],
        ]);
        expect(await outcomes('n,handle\n3\n4,a', apart)).toEqual([
            [short(2), undefined],
            ['a', ['4']],
        ]);
    });

    it('continues groups with rows that leave the column empty', async () => {
        const groupBy = { ...apart, continued: true };
        expect(await outcomes('handle,n\na,1\n,2\nb,3\na,4\n,5', groupBy)).toEqual([
            ['a', ['1', '2', '4', '5']],
            ['b', ['3']],
        ]);
        expect((await read({ csvText: 'handle,n\n,1\na,2', groupBy }))[0]!.faults).toHaveLength(1);
    });

    it('makes a record of each row without a value', async () => {
        expect(await outcomes('handle,n\n,1\na,2\n,3\n,4,x\n \u200b,5\na,6', apart)).toEqual([
            [undefined, ['1']],
            ['a', ['2', '6']],
            [undefined, ['3']],
            [long(5), ['4']],
            [' \u200b', ['5']],
        ]);
    });

    it('resumes after any number of groups', async () => {
        const csvText = `handle,n\n${Array.from({ length: 3_000 }, (_, n) => `${n % 1_500},${n}`).join('\n')}`;
        const config = { csvText, groupBy: apart };
        const all = await records(config);
        expect(all).toHaveLength(1_500);
        expect(await records(config, { resumeFrom: 1_000 })).toEqual(all.slice(1_000));
        expect(await records(config, { resumeFrom: 1_500 })).toEqual([]);
        expect(await records(config, { limit: 3, mode: 'preview' })).toEqual(all.slice(0, 3));
    });

    it('holds at most 100,000 rows', async () => {
        const rows = (count: number): string => Array.from({ length: count }, (_, n) => `${n % 50_000}`).join('\n');
        expect(await records({ csvText: `handle\n${rows(100_000)}`, groupBy: apart })).toHaveLength(50_000);
        await expect(read({ csvText: `handle\n${rows(100_001)}`, groupBy: apart })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
    });
});

describe('groupBy with a fallback', () => {
    const groupBy = { column: 'handle', apart: true, fallback: 'sku' };

    it('joins a row that leaves the column empty with the rows that name it', async () => {
        expect(await outcomes('handle,sku,n\nA,A-1,1\n,B,2\n ,A,3\nB,B-1,4\n,C,5', groupBy)).toEqual([
            ['A', ['1', '3']],
            ['B', ['2', '4']],
            ['C', ['5']],
        ]);
    });

    it('makes a record of each row that leaves both columns empty', async () => {
        expect(await outcomes('handle,sku,n\n,,1\nA,A-1,2\n,\u200b,3\n,,4', groupBy)).toEqual([
            [undefined, ['1']],
            ['A', ['2']],
            ['\u200b', ['3']],
            [undefined, ['4']],
        ]);
    });

    it('rejects the group of a broken row by either column', async () => {
        expect(await outcomes('handle,n\nA,1\n,A,x\n,B', { ...groupBy, fallback: 'n' })).toEqual([
            [long(3), ['1', 'A']],
            ['B', ['B']],
        ]);
    });

    it('needs a column of this name', async () => {
        await expect(read({ csvText: 'handle,n\na,1\n,2', groupBy })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
    });

    it.each<[JsonObject, boolean]>([
        [{ column: 'handle', apart: true, fallback: 'sku' }, true],
        [{ column: 'handle', fallback: 'sku' }, false],
        [{ column: 'handle', apart: true, continued: true, fallback: 'sku' }, false],
        [{ column: 'handle', apart: true, fallback: 'handle' }, false],
        [{ column: 'handle', apart: true, fallback: '' }, false],
    ])('%j: %s', (given, isValid) => {
        const { success, error } = csv.config.safeParse({ csvText: 'a', groupBy: given });
        expect(success).toBe(isValid);
        if (!isValid) expect(error?.issues[0]?.path[0]).toBe('groupBy');
    });
});

describe('groupBy of any kind', () => {
    const isEmpty = (value: JsonValue | undefined): boolean =>
        /^[\s\u200b]*$/.test((value as string | undefined) ?? '');
    const cell = fc.constantFrom('', ' ', '\u200b', 'a', 'b', 'A', 'a ');
    const row = fc.record({ h: cell, f: cell, kind: fc.constantFrom('whole', 'whole', 'long', 'short') });

    it.each<[JsonValue, (row: JsonObject) => JsonValue | undefined]>([
        ['h', ({ h }) => h],
        [{ column: 'h', apart: true }, ({ h }) => h],
        [{ column: 'h', apart: true, fallback: 'f' }, ({ h, f }) => (isEmpty(h) ? f : h)],
        [{ column: 'h', continued: true }, () => 'any'],
        [{ column: 'h', continued: true, apart: true }, () => 'any'],
    ])('loses no row, and joins none without a value to others: %j', async (groupBy, valueOf) => {
        await fc.assert(
            fc.asyncProperty(fc.array(row, { maxLength: 12 }), async rows => {
                const lines = rows.map(({ h, f, kind }, n) =>
                    kind === 'short' ? `${n}` : `${n},${h},${f}${kind === 'long' ? ',x' : ''}`,
                );
                const pages = await read({ csvText: ['n,h,f', ...lines].join('\n'), groupBy });
                const groups = pages.flatMap(page => page.records.map(({ rows: joined }) => joined as JsonObject[]));
                const rejected = pages.flatMap(page =>
                    (page.faults ?? []).flatMap(({ data }) => (data['rows'] as JsonObject[] | undefined) ?? [data]),
                );
                const numbers = [...groups.flat(), ...rejected].map(({ n }) => Number(n));
                expect(numbers.sort((a, b) => a - b)).toEqual(rows.map((_, n) => n));
                for (const joined of groups)
                    if (joined.length > 1) expect(joined.filter(one => isEmpty(valueOf(one)))).toEqual([]);
            }),
        );
    });
});
