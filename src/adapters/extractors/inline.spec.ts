import { naming } from '../../../test/kit/naming';
import type { Extractor, Page } from '../../core/adapter/extractor';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { readPages } from '../../testing/bare-extract';
import { csv } from './csv';
import { generator } from './generator';
import { inMemory } from './in-memory';
import { jsonExtractor } from './json';
import { xml } from './xml';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const read = (extractor: Extractor, config: JsonObject): Promise<readonly Page[]> =>
    readPages({ extractor, config }, { clock: { ...systemClock, now: () => NOW } });

async function recordsOf(extractor: Extractor, config: JsonObject): Promise<JsonObject[]> {
    return (await read(extractor, config)).flatMap(page => page.records);
}

/** The path of an issue, and what its message names. */
const issue = (path: string, ...named: ReadonlyArray<string | number>): unknown =>
    expect.objectContaining({
        path,
        message: expect.stringMatching(naming(path, ...named)),
    });

function issuesOf(extractor: Extractor, config: JsonObject): readonly unknown[] {
    const parsed = parseWith(extractor.config, config);
    return parsed.ok ? [] : parsed.issues;
}

function issues(extractor: Extractor, config: JsonObject): readonly string[] {
    const parsed = parseWith(extractor.config, config);
    return parsed.ok ? [] : parsed.issues.map(issue => issue.message);
}

describe('inMemory', () => {
    it('reads a list, one object, and nothing when there is nothing', async () => {
        expect(await recordsOf(inMemory, { data: [{ a: 1 }, { a: null }] })).toEqual([{ a: 1 }, { a: null }]);
        expect(await recordsOf(inMemory, { data: { a: [] } })).toEqual([{ a: [] }]);
        expect(await recordsOf(inMemory, {})).toEqual([]);
        expect(await recordsOf(inMemory, { data: [] })).toEqual([]);
    });

    it('rejects elements that are not objects, and names the field as the step calls it', () => {
        expect(issuesOf(inMemory, { data: [1] })).toEqual([issue('data.0', 1, 'object')]);
        expect(issuesOf(inMemory, { records: [] })).toEqual([issue('records', 'data')]);
    });
});

describe('generator', () => {
    it('fills in the placeholders of a template', async () => {
        const template = {
            i: '{{index}}',
            n: '{{ total }}',
            c: '{{count}}',
            text: 'No {{index}} of {{total}} {{x}}',
            s: 'seq:100',
            r: 'random:3',
            r1: 'random:1',
            idx: 'index',
            t: 'timestamp',
            d: 'isoDate',
            u: 'uuid',
            keep: 'uuid!',
            list: ['index'],
            flag: true,
            none: null,
        };
        const records = await recordsOf(generator, { count: 2, template });
        expect(records[1]).toEqual({
            i: 1,
            n: 2,
            c: 2,
            text: 'No 1 of 2 {{x}}',
            s: 101,
            r: expect.any(Number),
            r1: 0,
            idx: 1,
            t: NOW,
            d: '2026-01-02T03:04:05.000Z',
            u: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
            keep: 'uuid!',
            list: ['index'],
            flag: true,
            none: null,
            _index: 1,
        });
        expect(records[0]!['u']).not.toBe(records[1]!['u']);
    });

    it('generates ten records if count is missing or zero', async () => {
        for (const config of [{}, { count: 0 }] as JsonObject[]) {
            const records = await recordsOf(generator, config);
            expect(records.map(record => record['_index'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            expect(records[9]).toEqual({
                id: 10,
                name: 'Record 9',
                value: expect.any(Number),
                createdAt: '2026-01-02T03:04:05.000Z',
                _index: 9,
            });
        }
    });

    it('names the range if too many are requested', () => {
        expect(issuesOf(generator, { count: 1_000_001 })).toEqual([issue('count', 1_000_001, 0, 1_000_000)]);
    });
});

describe('csv', () => {
    it('reads text and rows in the same way, and keeps the types of rows', async () => {
        expect(await recordsOf(csv, { csvText: 'a;b\n1;x', delimiter: ';' })).toEqual([{ a: '1', b: 'x' }]);
        expect(
            await recordsOf(csv, {
                rows: [
                    ['a', 'b'],
                    [1, 'x'],
                ],
            }),
        ).toEqual([{ a: 1, b: 'x' }]);
        expect(await recordsOf(csv, { rows: [[1, 'x']], hasHeader: false })).toEqual([{ column1: 1, column2: 'x' }]);
        expect(await recordsOf(csv, { rows: [{ a: 1 }, {}] })).toEqual([{ a: 1 }, {}]);
        expect(await recordsOf(csv, { rows: [] })).toEqual([]);
    });

    it('loads nothing from a malformed source, however late the error is', async () => {
        const text = `a\n${'1\n'.repeat(5000)}"open`;
        const parsed = parseWith(csv.config, { csvText: text });
        expect(parsed.ok).toBe(true);
        await expect(read(csv, { csvText: text })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('line 5002'),
        });
    });

    it('names the ragged row of a list', async () => {
        const [page] = await read(csv, { rows: [['a', 'b'], ['1'], ['2', '3']] });
        expect(page!.faults).toEqual([
            {
                index: 0,
                place: 'row 2',
                path: 'b',
                data: { a: '1' },
                problem: expect.stringMatching(naming('row 2', 1, 2)),
            },
        ]);
    });

    it.each<[JsonObject, string]>([
        [{}, 'fileId: is missing: give one of fileId, csvText, rows'],
        [{ csvText: 'a', rows: [] }, 'rows: give only one of fileId, csvText, rows; csvText is given already'],
        [
            { csvText: 'a', delimiter: '"' },
            'delimiter is "\\""; allowed: one character up to U+FFFF that is neither a quote nor a line end nor half of a surrogate pair',
        ],
        ...['', ';;', '\n', '\ufeff', '😀', '\ud83d', '\ude00'].map((delimiter): [JsonObject, string] => [
            { csvText: 'a', delimiter },
            `delimiter is ${JSON.stringify(delimiter)}; allowed: one character up to U+FFFF that is neither a quote nor a line end nor half of a surrogate pair`,
        ]),
        [{ csvText: 'a', emptyValues: 'EMPTY' }, 'emptyValues is "EMPTY"; allowed: "ABSENT", "NULL", "TEXT"'],
        [
            { csvText: 'a', groupBy: { column: 'rows' } },
            'groupBy.column is "rows"; allowed: any column but "rows", which the group itself has',
        ],
    ])('rejects %j', (config, message) => {
        expect(issues(csv, config)).toEqual([message]);
    });

    it.each<[JsonObject, readonly string[], Extractor]>([
        [{ csvText: 'a\n1', resetCheckpoint: true }, ['resetCheckpoint'], csv],
        [{ jsonText: '[{"a":"1"}]', resetCheckpoint: false }, ['resetCheckpoint'], jsonExtractor],
        [{ xmlText: '<r><i><a>1</a></i></r>', resetCheckpoint: true }, ['resetCheckpoint'], xml],
        [{ csvText: 'a\n1', encoding: 'windows-1252' }, ['encoding'], csv],
        [{ rows: [['a'], ['1']], delimiter: ';', trim: true }, ['delimiter', 'trim'], csv],
        [{ rows: [{ a: '1' }], hasHeader: false, delimiter: ';' }, ['delimiter', 'hasHeader'], csv],
    ])(
        'accepts settings without effect on a source in the step itself, with a warning: %j',
        async (config, fields, extractor) => {
            const advice = extractor.advise!(extractor.config.parse(config));
            expect(advice.map(({ code, path }) => `${code} ${path}`)).toEqual(
                fields.map(field => `WITHOUT_EFFECT ${field}`),
            );
            expect(await recordsOf(extractor, config)).toEqual([{ a: '1' }]);
        },
    );

    it('has no warnings if the source is a file', () => {
        const config = { fileId: 'a', resetCheckpoint: true, delimiter: ';', encoding: 'windows-1252' };
        expect(csv.advise!(csv.config.parse(config))).toEqual([]);
    });
});
