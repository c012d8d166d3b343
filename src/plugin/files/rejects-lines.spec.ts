import fc from 'fast-check';
import { csv } from '../../adapters/extractors/csv';
import type { ExtractContext, PageIssue } from '../../core/adapter/extractor';
import { noNetwork } from '../../core/adapter/outbound';
import { noResources } from '../../core/adapter/no-resources';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject } from '../../core/value/json';
import { sourceColumns } from './source-columns';
import { type Layout, rejectsLines, type RejectedRecord } from './rejects-lines';

const layout: Layout = { delimiter: ',', hasHeader: true, isGrouped: false, columns: [] };
let count = 0;
const rejected = (source: JsonObject, message = 'Field "price": is not a number.', place?: string): RejectedRecord => ({
    sourceKey: 'in',
    seq: count++,
    source,
    payload: {},
    message,
    path: null,
    place: place ?? null,
});

async function exported(records: readonly RejectedRecord[], part: Partial<Layout> = {}): Promise<string> {
    let text = '';
    for await (const line of rejectsLines(
        async function* () {
            yield* records;
        },
        { ...layout, ...part },
    ))
        text += line;
    return text;
}

async function extracted(
    csvText: string,
    config: JsonObject = {},
    part: Partial<ExtractContext> = {},
): Promise<{ readonly records: readonly JsonObject[]; readonly faults: readonly PageIssue[] }> {
    const nothing = (): void => undefined;
    const cx: ExtractContext = {
        stepKey: 'in',
        mode: 'live',
        signal: new AbortController().signal,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
        clock: systemClock,
        platform: undefined,
        outbound: noNetwork,
        ...noResources,
        resumeFrom: undefined,
        limit: undefined,
        ...part,
    };
    const records: JsonObject[] = [];
    const issues: PageIssue[] = [];
    for await (const page of csv.extract(csv.config.parse({ csvText, ...config }), cx)) {
        records.push(...page.records);
        issues.push(...(page.faults ?? []));
    }
    return { records, faults: issues };
}

describe('a download of rejected records', () => {
    const unit = fc.constantFrom(
        "'",
        '=',
        '+',
        '-',
        '@',
        '＝',
        '"',
        ',',
        ';',
        '\t',
        '\n',
        '\r',
        ' ',
        'a',
        '1',
        'é',
        '\u00a0',
        '\u200b',
        '|',
    );
    const names = fc.uniqueArray(
        fc
            .string({ unit, minLength: 1, maxLength: 5 })
            // Column names lose leading and trailing spaces and zero-width characters when they are read.
            .map(name => name.replace(/^[\s\u200b]+|[\s\u200b]+$/g, ''))
            .filter(name => name !== ''),
        { minLength: 1, maxLength: 4 },
    );

    it('is read back as the same records, whatever they contain', async () => {
        const table = names.chain(columns =>
            fc
                .array(fc.tuple(...columns.map(() => fc.string({ unit, maxLength: 6 }))), {
                    minLength: 1,
                    maxLength: 4,
                })
                .map(rows => rows.map(cells => Object.fromEntries(columns.map((name, i) => [name, cells[i]!])))),
        );
        await fc.assert(
            fc.asyncProperty(
                table,
                fc.constantFrom(',', ';', '\t', '|', '¦', '='),
                fc.string({ unit }),
                async (records, delimiter, message) => {
                    const text = await exported(
                        records.map(record => rejected(record, `is ${message}`)),
                        { delimiter },
                    );
                    expect((await extracted(text, { delimiter, emptyValues: 'TEXT' })).records).toEqual(records);
                },
            ),
        );
    });

    it('contains a record once that several steps have rejected, with the first reason, and also other records that look the same', async () => {
        const first = rejected({ sku: 'a', stock: '5' }, 'reason one');
        const text = await exported([
            first,
            rejected({ sku: 'b', stock: '1' }),
            { ...first, message: 'reason two' },
            { ...first, source: { sku: 'a', stock: '6' } },
            { ...first, sourceKey: 'other' },
            { ...first, seq: -1 },
        ]);
        expect((await extracted(text)).records.map(({ sku, stock }) => `${sku} ${stock}`)).toEqual([
            'a 5',
            'b 1',
            'a 6',
            'a 5',
            'a 5',
        ]);
        expect([text.includes('reason one'), text.includes('reason two')]).toEqual([true, false]);
    });

    it('is read back in groups if it was read in groups', async () => {
        const group = {
            handle: '@shirt',
            rows: [
                { handle: '@shirt', size: '-' },
                { handle: '@shirt', size: "'M" },
            ],
        };
        const text = await exported([rejected(group)], { isGrouped: true });
        expect((await extracted(text, { groupBy: 'handle' })).records).toEqual([group]);
    });

    it('has the columns of its source in their order, even if they are empty', async () => {
        const columns = ['sku', 'title', 'note'];
        const text = await exported([rejected({ note: 'x' }, 'no'), rejected({ sku: '1', more: 'y' }, 'no')], {
            columns,
        });
        expect(text.split('\r\n').slice(0, 3)).toEqual([
            '\ufeffFlow: reason,sku,title,note,more',
            'no,,,x,',
            'no,1,,,y',
        ]);
    });

    it('shows where the records were in their source, for groups in the first row, and is read back without it', async () => {
        const group = {
            handle: 'a',
            rows: [
                { handle: 'a', size: 'S' },
                { handle: 'a', size: 'M' },
            ],
        };
        const single = { handle: 'b', rows: [{ handle: 'b', size: 'L' }] };
        const text = await exported([rejected(group, 'no', "'=B C'!A17"), rejected(single, 'no')], { isGrouped: true });
        expect(text.split('\r\n').slice(0, 4)).toEqual([
            '\ufeffFlow: reason,Flow: place,handle,size',
            "no,''=B C'!A17,a,S",
            ',,a,M',
            'no,,b,L',
        ]);
        expect((await extracted(text, { groupBy: 'handle' })).records).toEqual([group, single]);
    });

    it('has an empty cell for a field that a record does not have, whatever its name is', async () => {
        const text = await exported([
            rejected(JSON.parse('{"constructor": "Lego", "__proto__": "x"}') as JsonObject, 'no, "no"'),
            rejected({ sku: '1' }, 'no'),
        ]);
        expect(text.split('\r\n').slice(0, 3)).toEqual([
            '\ufeffFlow: reason,constructor,__proto__,sku',
            '"no, ""no""",Lego,x,',
            'no,,,1',
        ]);
    });

    it('is read back without apostrophes and reason for ragged rows too, wherever the reason column is', async () => {
        const ragged = [{ phone: '+49 171' }, { phone: '-a', note: 'b', column3: '@d' }];
        for (const text of [
            "phone,note,Flow: reason\r\n'+49 171\r\n'-a,b,c,'@d\r\n",
            "Flow: reason,phone,note\r\nx,'+49 171\r\nc,'-a,b,'@d\r\n",
        ])
            expect((await extracted(text)).faults.map(({ data }) => data)).toEqual(ragged);
    });

    describe('of rows that are ragged', () => {
        const source = [
            'sku,name,10,1',
            'K-1,Hat,5,1,=x',
            'K-2',
            'K-3,Cap,,,',
            'K-4,"",1',
            'K-5,Shoe,5,2',
            "'K-6,Sock,5,3,,",
        ].join('\r\n');
        const config = { adapterCode: 'csv', csvText: source };
        const reasons = (issues: readonly PageIssue[]): readonly string[] =>
            issues.map(({ problem }) => problem.replace(/^line \d+/, ''));
        const download = async (grouping: JsonObject = {}): Promise<string> => {
            const { records, faults: issues } = await extracted(source, grouping);
            return exported(
                [
                    ...issues.map(({ data, problem, path }) => ({ ...rejected(data, problem), path })),
                    ...records.map(record => rejected(record)),
                ],
                { columns: await sourceColumns(config, noResources.files), isGrouped: 'groupBy' in grouping },
            );
        };

        it('is read back as the same rejected rows if nothing is changed, repeatedly', async () => {
            const first = await extracted(source);
            const text = await download();
            expect(text.split('\r\n')[0]).toBe('\ufeffFlow: reason,sku,name,10,1');
            const again = await extracted(text);
            expect(again.faults.map(({ data }) => data)).toEqual(first.faults.map(({ data }) => data));
            expect(reasons(again.faults)).toEqual(reasons(first.faults));
            expect(first.records.map(({ sku }) => sku)).toEqual(['K-3', 'K-5', "'K-6"]);
            expect(again.records).toEqual(first.records);
            expect(await sourceColumns({ adapterCode: 'csv', csvText: text }, noResources.files)).toEqual([
                'sku',
                'name',
                '10',
                '1',
            ]);
        });

        it('is read back in the same way after a spreadsheet has padded its rows', async () => {
            const lines = (await download()).trimEnd().split('\r\n');
            const width = Math.max(...lines.map(line => line.split(',').length));
            const filled = lines.map(line => line + ','.repeat(width - line.split(',').length)).join('\r\n');
            const { records, faults: issues } = await extracted(filled);
            expect(issues.map(({ data }) => data['sku'])).toEqual(['K-1', 'K-2', 'K-4']);
            // Spreadsheets add empty cells to any row.
            expect(records.map(({ sku }) => sku)).toEqual(['K-3', 'K-5', "'K-6"]);
        });

        it('loads them once they are corrected', async () => {
            const text = (await download())
                .replace(/,'=x/, '')
                .replace(/,K-2\r\n/, ',K-2,Hood,5,1\r\n')
                .replace(/,K-4,,1/, ',K-4,,1,2');
            const { records } = await extracted(text);
            expect(records).toEqual(
                expect.arrayContaining([
                    { sku: 'K-1', name: 'Hat', '10': '5', '1': '1' },
                    { sku: 'K-2', name: 'Hood', '10': '5', '1': '1' },
                    { sku: 'K-4', '10': '1', '1': '2' },
                ]),
            );
        });

        it('rejects groups again that contain one', async () => {
            const grouped = 'sku,name,size\r\nA,Hat,S\r\nA,,,\r\nA,Hat\r\nB,Cap\r\nB,,M\r\nC,Shoe,L';
            const first = await extracted(grouped, { groupBy: 'sku' });
            const text = await exported(
                first.faults.map(({ data, problem, path }) => ({ ...rejected(data, problem), path })),
                { columns: ['sku', 'name', 'size'], isGrouped: true },
            );
            const again = await extracted(text, { groupBy: 'sku' });
            expect(first.faults).toHaveLength(2);
            expect(again.records).toEqual([]);
            expect(reasons(again.faults)).toEqual(reasons(first.faults));
        });
    });

    it('continues after the last record that was read', async () => {
        const text = await exported(["'a", '=b', 'c'].map(sku => rejected({ sku })));
        expect((await extracted(text, {}, { resumeFrom: 1 })).records).toEqual([{ sku: '=b' }, { sku: 'c' }]);
    });

    it('is rejected if corrections have given it the same column twice', async () => {
        await expect(extracted("'=a,=a,Flow: reason\r\n1,2,x\r\n")).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('two columns "=a"'),
        });
    });
});

describe('any other CSV', () => {
    it('keeps its apostrophes, and a reason that is not a column', async () => {
        expect((await extracted("a,b\n'=1,Flow: reason\n")).records).toEqual([{ a: "'=1", b: 'Flow: reason' }]);
        expect((await extracted("Flow: reason\n'=1\n", { hasHeader: false })).records).toEqual([
            { column1: 'Flow: reason' },
            { column1: "'=1" },
        ]);
    });
});
