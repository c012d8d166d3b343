import fc from 'fast-check';
import { naming } from '../../../../test/kit/naming';
import { runBatch } from '../../../testing/bare-call';
import type { JsonObject, JsonValue } from '../../value/json';
import { parseWith } from '../../schema/issues';
import { aggregate } from './aggregate';
import { deduplicateRecords } from './deduplicate-records';
import { multiJoin } from './multi-join';

const dataOf = async (running: ReturnType<typeof runBatch>): Promise<readonly JsonObject[]> =>
    (await running).out.map(({ data }) => data);
const issues = (
    { config }: typeof aggregate | typeof deduplicateRecords | typeof multiJoin,
    args: JsonObject,
): readonly string[] => {
    const parsed = parseWith(config as never, args);
    return parsed.ok ? [] : parsed.issues.map(issue => issue.message);
};

describe('aggregate', () => {
    it('sums decimals exactly, in any order', async () => {
        await fc.assert(
            fc.asyncProperty(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), async cents => {
                const [first] = await dataOf(
                    runBatch(
                        { operator: aggregate, args: { op: 'sum', source: 'n' } },
                        cents.map((n, i) => ({ n: i % 2 > 0 ? n / 100 : (n / 100).toFixed(2) })),
                    ),
                );
                expect(first!['sum']).toBe(cents.reduce((sum, n) => sum + n, 0) / 100 || 0);
            }),
        );
    });

    it('rejects the records of a group whose result is out of range', async () => {
        const { out, rejected } = await runBatch(
            { operator: aggregate, args: { op: 'sum', source: 'n', groupBy: 'g' } },
            [
                { g: 1, n: 1.7e308 },
                { g: 1, n: 1.7e308 },
                { g: 2, n: 1 },
            ],
        );
        expect(out.map(({ data }) => data)).toEqual([{ g: 2, n: 1, sum: 1 }]);
        const message = expect.stringMatching(naming('"sum"', -9007199254740991, 9007199254740991)) as string;
        const error = { code: 'RECORD_INVALID', details: { path: 'sum' }, message };
        expect(rejected).toMatchObject([{ error }, { error }]);
    });

    it.each(['sum', 'avg', 'min', 'max'])(
        'rejects every %s beyond 2^53 - 1, even if a number could hold it',
        async op => {
            const most = Number.MAX_SAFE_INTEGER;
            const outcome = async (n: JsonValue): Promise<JsonValue | undefined> => {
                const { out, rejected } = await runBatch({ operator: aggregate, args: { op, source: 'n' } }, [{ n }]);
                expect(rejected.map(({ error }) => error.code)).toEqual(out.length > 0 ? [] : ['RECORD_INVALID']);
                return out[0]?.data[op];
            };
            for (const n of [most, -most, String(most), '9007199254740990.5']) expect(await outcome(n)).toBe(Number(n));
            for (const n of [
                most + 1,
                -most - 1,
                9007199254740994,
                1e20,
                '9007199254740992',
                '9007199254740993',
                '1e300',
            ])
                expect(await outcome(n)).toBeUndefined();
        },
    );

    it('names the arguments that belong together', () => {
        expect(issues(aggregate, { op: 'sum' })).toEqual([expect.stringMatching(naming('source', '"sum"'))]);
        expect(issues(aggregate, { op: 'median', source: 'a' })).toHaveLength(1);
    });
});

describe('deduplicateRecords', () => {
    it('keeps each key once, at its first position, and drops nothing else', async () => {
        const rows = fc.array(
            fc.record({ k: fc.constantFrom('a', 'b', 1, '1', true, null, []), p: fc.integer({ min: 0, max: 3 }) }),
        );
        await fc.assert(
            fc.asyncProperty(rows, fc.constantFrom('FIRST', 'LAST', 'LOWEST', 'HIGHEST'), async (given, keep) => {
                const records = given.map((row, n) => ({ ...row, n }));
                const args = { key: 'k', keep, ...(keep.endsWith('EST') && { priority: 'p' }) };
                const isKey = ({ k }: { readonly k: unknown }): boolean => k !== null && typeof k !== 'object';
                const expected = records.flatMap(record => {
                    if (!isKey(record)) return [record];
                    const equal = records.filter(({ k }) => k === record.k);
                    if (equal[0] !== record) return [];
                    const best = {
                        FIRST: equal[0]!.p,
                        LAST: 0,
                        LOWEST: Math.min(...equal.map(({ p }) => p)),
                        HIGHEST: Math.max(...equal.map(({ p }) => p)),
                    }[keep];
                    return [
                        keep === 'LAST'
                            ? equal[equal.length - 1]!
                            : keep === 'FIRST'
                              ? record
                              : equal.find(({ p }) => p === best)!,
                    ];
                });
                expect(await dataOf(runBatch({ operator: deduplicateRecords, args }, records as JsonObject[]))).toEqual(
                    expected,
                );
            }),
        );
    });

    it('rejects a priority that is not a number, even for a single record, and ignores it without a key', async () => {
        const args = { key: 'k', keep: 'HIGHEST', priority: 'p' };
        const { out, rejected } = await runBatch({ operator: deduplicateRecords, args }, [
            { k: 1 },
            { k: 2, p: null },
            { k: 3, p: '4' },
            { p: 'x' },
            { k: 5, p: -1.5 },
        ]);
        expect(out.map(({ data }) => data)).toEqual([{ p: 'x' }, { k: 5, p: -1.5 }]);
        expect(rejected.map(({ record, error }) => [record.origin.seq, error.details])).toEqual([
            [0, { path: 'p' }],
            [1, { path: 'p' }],
            [2, { path: 'p' }],
        ]);
    });

    it('names the arguments that belong together', () => {
        expect(issues(deduplicateRecords, { key: 'a', keep: 'LOWEST' })).toEqual([
            expect.stringMatching(naming('priority', 'keep', '"LOWEST"')),
        ]);
    });
});

describe('multiJoin', () => {
    const join = (args: JsonObject, left: readonly JsonObject[]) =>
        runBatch({ operator: multiJoin, args: { leftKey: 'l', rightKey: 'r', ...args } }, left);

    it.each([['INNER'], ['LEFT'], ['RIGHT'], ['FULL']])('joins as %s', async type => {
        const key = fc.constantFrom('a', 1, '1', true, null, [1]);
        await fc.assert(
            fc.asyncProperty(fc.array(key, { maxLength: 6 }), fc.array(key, { maxLength: 6 }), async (ls, rs) => {
                const left = ls.map((l, n) => ({ l, n }));
                const right = rs.map((r, m) => ({ r, m }));
                const meets = (l: unknown, r: unknown): boolean => l !== null && typeof l !== 'object' && l === r;
                const pairs = left.flatMap(one => {
                    const found = right.filter(({ r }) => meets(one.l, r)).map(other => ({ ...one, ...other }));
                    return found.length === 0 && (type === 'LEFT' || type === 'FULL') ? [one] : found;
                });
                const rest =
                    type === 'RIGHT' || type === 'FULL'
                        ? right.filter(({ r }) => !left.some(({ l }) => meets(l, r)))
                        : [];
                expect(await dataOf(join({ rightData: right, type }, left as JsonObject[]))).toEqual([
                    ...pairs,
                    ...rest,
                ]);
            }),
        );
    });

    it('adds the selected fields, at any depth, with the prefix', async () => {
        const rightData = [{ r: 1, a: { b: 1, c: 2 }, d: 3, ['__proto__']: 4 }];
        expect(await dataOf(join({ rightData, select: ['a.b', 'missing'], prefix: 'x_' }, [{ l: 1, d: 0 }]))).toEqual([
            { l: 1, d: 0, x_a: { b: 1 } },
        ]);
        expect(await dataOf(join({ rightData: [{ r: 1, d: 3 }], select: [] }, [{ l: 1, d: 0 }]))).toEqual([
            { l: 1, d: 3, r: 1 },
        ]);
    });

    it('fails before it makes too many records, and cuts none off', async () => {
        const rightData = Array.from({ length: 10_000 }, () => ({ r: 1 }));
        const left = Array.from({ length: 10_000 }, () => ({ l: 1 }));
        await expect(join({ rightData }, left)).rejects.toMatchObject({
            code: 'OUTPUT_TOO_LARGE',
            treat: 'config',
            facts: { op: 'multiJoin', count: 100_000_000, batch: 10_000, field: 'maxOutputRecords', allowed: 10_000 },
        });
        expect((await join({ rightData: rightData.slice(0, 3), maxOutputRecords: 3 }, [{ l: 1 }])).out).toHaveLength(3);
        await expect(
            join({ rightData: rightData.slice(0, 3), maxOutputRecords: 3, type: 'FULL' }, [{ l: 1 }, { l: 2 }]),
        ).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    });

    describe('in a shop with limits', () => {
        const limits = { maxValueChars: 1_000, maxRecordChars: 4_000 };
        const within = (args: JsonObject, left: readonly JsonObject[]) =>
            runBatch({ operator: multiJoin, args: { leftKey: 'l', rightKey: 'r', ...args } }, left, { limits });
        const long = 'x'.repeat(900);

        it.each<[string, JsonObject, JsonObject, string, string]>([
            ['a text of the list', { r: 1, t: 'x'.repeat(1_001) }, { l: 1 }, 't', 'maxValueChars'],
            [
                'a record of the list',
                { r: 1, a: long, b: [long, long], c: { d: [long] }, e: long },
                { l: 1 },
                'l',
                'maxRecordChars',
            ],
            [
                'a record and what is added',
                { r: 1, a: long, b: long },
                { l: 1, c: [long, long, long] },
                'l',
                'maxRecordChars',
            ],
        ])('rejects a record for %s that is too large, and no other', async (_what, right, left, path, option) => {
            const { out, rejected } = await within({ rightData: [right, { r: 2, n: 'two' }] }, [left, { l: 2 }]);
            expect(out.map(({ data }) => data)).toEqual([{ l: 2, r: 2, n: 'two' }]);
            expect(rejected.map(({ error }) => error)).toEqual([
                expect.objectContaining({ code: 'VALUE_TOO_LARGE', details: { path } }),
            ]);
            expect(rejected[0]!.error.message).toContain('operator multiJoin ');
            expect(rejected[0]!.error.message).toContain(`records.${option}`);
        });

        it('accepts fields that replace others of the same size', async () => {
            const { out } = await within({ rightData: [{ r: 1, c: [long, long, long] }] }, [
                { l: 1, c: [long, long, long] },
            ]);
            expect(out).toHaveLength(1);
        });

        it('adds no unmatched record that is too large', async () => {
            for (const right of [
                { r: 1, t: 'x'.repeat(1_001) },
                { r: 1, t: Array(5).fill(long) },
            ])
                await expect(within({ rightData: [right], type: 'FULL' }, [{ l: 2 }])).rejects.toMatchObject({
                    code: 'VALUE_TOO_LARGE',
                    treat: 'record',
                });
        });

        it('joins batches of the usual size, however small the records are', async () => {
            const fields = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n]));
            const left = Array.from({ length: 1_000 }, () => ({ l: 1, ...fields }));
            expect((await within({ rightData: [{ r: 1 }] }, left)).rejected).toEqual([]);
        });

        it('rejects records whose fields would fill the memory', async () => {
            const fields = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n}`, 1]));
            const rightData = Array.from({ length: 10_000 }, () => ({ r: 1 }));
            const { rejected } = await runBatch(
                {
                    operator: multiJoin,
                    args: { leftKey: 'l', rightKey: 'r', rightData, maxOutputRecords: 100_000 },
                },
                Array.from({ length: 3 }, () => ({ l: 1, ...fields })),
            );
            expect(rejected.map(({ error }) => error.code)).toEqual(['VALUE_TOO_LARGE']);
        });
    });

    it('names what is allowed', () => {
        const args = { leftKey: 'l', rightKey: 'r' };
        expect(issues(multiJoin, { ...args, rightData: [1] })).toHaveLength(1);
        expect(issues(multiJoin, { ...args, rightData: Array(10_001).fill({}) })[0]).toContain('10000');
        expect(issues(multiJoin, { ...args, rightData: [], maxOutputRecords: 100_001 })).toEqual([
            expect.stringMatching(naming('maxOutputRecords', 100_001, 1, 100_000)),
        ]);
        expect(issues(multiJoin, { ...args, rightData: [], type: 'CROSS' })).toHaveLength(1);
    });
});
