import { Registry } from '../adapter/registry';
import type { RecordLimits } from '../adapter/bounds';
import type { JsonObject, JsonValue } from '../value/json';
import { sizeOfValue } from '../data/weight';
import { compileOperators } from '../steps/compile-operators';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import { FusedOperators } from '../steps/fused-operators';
import type { FlowError } from '../errors/flow-error';
import type { OperatorCall } from '../schema/operator-calls';
import { ENV } from '../../testing/bare-call';
import { operators as ofCore } from '.';

const registry = Registry.of(ofCore);
const LIMITS: RecordLimits = { maxValueChars: 1_000, maxRecordChars: 4_000 };
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The results of these operators for records, with small limits, and the errors of rejected records. */
async function shaped(
    calls: readonly OperatorCall[],
    given: readonly JsonObject[],
    limits = LIMITS,
): Promise<{ readonly out: readonly JsonObject[]; readonly refused: readonly FlowError[] }> {
    const compiled = compileOperators(calls, { registry, limits, env: ENV, place: 'step' });
    const rejected: FlowError[] = [];
    const fusedOperators = new FusedOperators(
        compiled.map(operator => {
            if (operator.form === 'record') return operator;
            throw new Error(`${operator.op} works on batches`);
        }),
        given.map((data, seq) => ({ data, origin: { seq } })),
        {
            stepKey: 'step',
            visit: { sourceKey: 'in', batchNo: 0, number: 0, earlier: [] },
            pace: new EventLoopYield({ clock: { now: () => 0 } }),
            log,
            reject: (_, error) => rejected.push(error),
        },
    );
    for (let index = 0; index < given.length; index++) await fusedOperators.pass(index);
    return { out: fusedOperators.out.map(({ data }) => data), refused: rejected };
}

const call = (op: string, args: JsonObject): OperatorCall => ({ op, args });
const times = (count: number, calls: readonly OperatorCall[]): readonly OperatorCall[] =>
    Array.from({ length: count }, () => calls).flat();
const doubled = call('concat', { sources: ['a', 'a'], target: 'a' });

describe('texts and lists that operators make', () => {
    it.each<[string, readonly OperatorCall[], JsonObject, string]>([
        ['concat', times(24, [doubled]), { a: 'xx' }, 'a'],
        ['template', times(24, [call('template', { template: '${a}${a}', target: 'a' })]), { a: 'xx' }, 'a'],
        [
            'replaceRegex',
            times(24, [call('replaceRegex', { path: 'a', pattern: '.+', replacement: '$&$&', flags: 's' })]),
            { a: 'xx' },
            'a',
        ],
        [
            'replaceRegex',
            [call('replaceRegex', { path: 'a', pattern: '.', replacement: '$&'.repeat(5_000), flags: 'g' })],
            { a: 'x' },
            'a',
        ],
        [
            'replaceRegex',
            // A backtracking engine would not do, so this goes the other way.
            times(24, [call('replaceRegex', { path: 'a', pattern: '(x|y)*?(x+)', replacement: '$2$2', flags: 'g' })]),
            { a: 'xx' },
            'a',
        ],
        [
            'replace',
            times(24, [call('replace', { path: 'a', search: 'x', replacement: 'xx', all: true })]),
            { a: 'x' },
            'a',
        ],
        [
            'stringifyJson',
            [
                call('map', { mapping: { 'v.a': 'v', 'v.b': 'v' } }),
                ...times(9, [call('stringifyJson', { source: 'v' })]),
            ],
            { v: '"'.repeat(20) },
            'v',
        ],
        ['stringifyJson', [call('stringifyJson', { source: 'v', pretty: true })], { v: deep(40, 20) }, 'v'],
        ['toString', [call('toString', { source: 'v', target: 't' })], { v: Array(400).fill('abc') }, 't'],
        [
            'join',
            [call('join', { source: 'v', target: 't', delimiter: '-'.repeat(90) })],
            { v: Array(20).fill(1) },
            't',
        ],
        ['split', [call('split', { source: 'a', target: 'v', delimiter: ',' })], { a: ','.repeat(900) }, 'v'],
        ['parseJson', [call('parseJson', { source: 'a' })], { a: `[${'[],'.repeat(400)}[]]` }, 'a'],
        ['slugify', [call('slugify', { source: 'a', target: 's' })], { a: '\ufdfa'.repeat(100) }, 's'],
    ])('%s ends at the limit of a value', async (op, calls, record, path) => {
        const { out, refused: rejected } = await shaped(calls, [record]);
        expect(out).toEqual([]);
        expect(rejected).toEqual([expect.objectContaining({ code: 'VALUE_TOO_LARGE', details: { path } })]);
        expect(rejected[0]!.message).toContain(`operator ${op} `);
        expect(rejected[0]!.message).toContain('records.maxValueChars');
    });

    it.each<[string, readonly OperatorCall[], JsonObject]>([
        ['map', times(24, [call('map', { mapping: { 'v.a': 'v', 'v.b': 'v' } })]), { v: 'x' }],
        [
            'copy',
            times(24, [call('copy', { source: 'v', target: 'v.a' }), call('copy', { source: 'v', target: 'v.b' })]),
            { v: { x: 1 } },
        ],
        [
            'expand',
            times(24, [
                call('expand', { path: 'list', parentFields: { 'v.a': 'v', 'v.b': 'v', list: 'next', next: 'next' } }),
            ]),
            { v: { x: 1 }, list: [{}], next: [{}] },
        ],
        ['concat', times(24, [call('concat', { sources: ['a', 'b'], target: 'b' })]), { a: 'x'.repeat(800), b: '' }],
        [
            'each',
            [call('each', { path: 'v', operators: [call('set', { path: 'text', value: 'x'.repeat(500) })] as never })],
            { v: Array(200).fill({}) },
        ],
        [
            'toNumber',
            [call('each', { path: 'v', operators: [call('toNumber', { source: '_item', target: 'l.999' })] as never })],
            { v: Array(200).fill('1') },
        ],
        [
            'set',
            [call('expand', { path: 'v' }), call('set', { path: 'text', value: 'x'.repeat(500) })],
            { v: Array(200).fill(1) },
        ],
    ])('%s ends at the limit of a record', async (op, calls, record) => {
        const { out, refused: rejected } = await shaped(calls, [record], {
            ...LIMITS,
            maxValueChars: op === 'concat' ? 100_000 : 1_000,
        });
        expect(out).toEqual([]);
        expect(rejected).toEqual([expect.objectContaining({ code: 'VALUE_TOO_LARGE' })]);
        expect(rejected[0]!.message).toContain(`operator ${op} `);
        expect(rejected[0]!.message).toContain('records.maxRecordChars');
    });

    it('lists that are expanded one after another end at 100,000 records of one', async () => {
        const list = Array.from({ length: 1_000 }, (_, n) => n);
        const again = call('expand', { path: 'list', parentFields: { list: 'same', same: 'same' } });
        const { refused: rejected } = await shaped([again, again, again], [{ list: [{}, {}], same: list }], {
            maxValueChars: 1e6,
            maxRecordChars: 1e9,
        });
        expect(rejected.map(({ message }) => message)).toEqual([expect.stringContaining('operator expand')]);
        expect(rejected[0]!.message).toContain('100000');
    });

    it('count separately for each record', async () => {
        const records = Array.from({ length: 200 }, () => ({ a: 'x'.repeat(400) }));
        const { out, refused: rejected } = await shaped([doubled], records);
        expect(rejected).toEqual([]);
        expect(out).toHaveLength(200);
    });

    it('continue counting for their record after others had a turn', async () => {
        const limits = { maxValueChars: 1_000, maxRecordChars: 1_000 };
        const calls = compileOperators(times(12, [call('concat', { sources: ['a'], target: 'b' })]), {
            registry,
            limits,
            env: ENV,
            place: 'step',
        });
        const fits = { a: 'x'.repeat(200) };
        const others = { a: 'x'.repeat(900) };
        const rejected: number[] = [];
        let now = 0;
        const one = (data: JsonObject): FusedOperators =>
            new FusedOperators(calls as never, [{ data, origin: { seq: 0 } }], {
                stepKey: 'step',
                visit: { sourceKey: 'in', batchNo: 0, number: 0, earlier: [] },
                // Each look at the clock is a stretch, so the two take turns at each operator.
                pace: new EventLoopYield({ clock: { now: () => (now += 100) } }),
                log,
                reject: () => rejected.push(data['a']!.toString().length),
            });
        await Promise.all([one(fits).pass(0), one(others).pass(0), one(fits).pass(0)]);
        expect(rejected).toEqual([900]);
    });
});

describe('the weight of a value', () => {
    it.each<[JsonValue, number]>([
        [null, 8],
        ['abc', 11],
        [[], 16],
        [{ ab: [1, 2] }, 16 + 2 + 16 + 8 + 8],
    ])('of %j is %d', (value, weight) => expect(sizeOfValue(value)).toBe(weight));

    it('is computed for a value that contains itself many times', () => {
        let shared: JsonValue = 'x';
        for (let i = 0; i < 200; i++) shared = [shared, shared];
        expect(sizeOfValue(shared, 1_000)).toBeGreaterThan(1_000);
        expect(sizeOfValue(shared, 1_000)).toBeLessThan(10_000);
    });
});

function deep(levels: number, width: number): JsonValue {
    let value: JsonValue = Array(width).fill(1);
    for (let level = 0; level < levels; level++) value = [value];
    return value;
}
