import { TEST_LOCATION, ENV } from '../../testing/bare-call';
import type { RecordOperator } from '../adapter/operator';
import type { JsonObject, JsonValue } from '../value/json';
import { operators } from './index';

/** A call of an operator that reads the field `a` as text, and the field with its result. */
interface Call {
    readonly op: string;
    readonly args: JsonObject;
    readonly field: string;
}

const CALLS: readonly Call[] = [
    { op: 'dateParse', args: { source: 'a', target: 'b', format: 'YYYYMMDD' }, field: 'b' },
    { op: 'dateFormat', args: { source: 'a', target: 'b', format: 'YYYY', inputFormat: 'YYYYMMDD' }, field: 'b' },
    { op: 'slugify', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'categoryPath', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'split', args: { source: 'a', target: 'b', delimiter: '.' }, field: 'b' },
    { op: 'extractRegex', args: { source: 'a', target: 'b', pattern: '^(\\d+)' }, field: 'b' },
    { op: 'truncate', args: { source: 'a', length: 3 }, field: 'a' },
    { op: 'truncate', args: { source: 'a', length: 30 }, field: 'a' },
    { op: 'replace', args: { path: 'a', search: '1', replacement: '9' }, field: 'a' },
    { op: 'replace', args: { path: 'a', search: '1', replacement: '9', all: true }, field: 'a' },
    { op: 'replace', args: { path: 'a', search: 'x', replacement: 'y' }, field: 'a' },
    { op: 'replaceRegex', args: { path: 'a', pattern: '\\d', replacement: '#' }, field: 'a' },
    { op: 'replaceRegex', args: { path: 'a', pattern: 'x', replacement: 'y' }, field: 'a' },
    { op: 'truncate', args: { source: 'a', target: 'b', length: 30 }, field: 'b' },
    { op: 'stripHtml', args: { source: 'a' }, field: 'a' },
    { op: 'stripHtml', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'trim', args: { path: 'a' }, field: 'a' },
    { op: 'lowercase', args: { path: 'a' }, field: 'a' },
    { op: 'uppercase', args: { path: 'a' }, field: 'a' },
    { op: 'count', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'parseJson', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'hash', args: { source: 'a', target: 'b' }, field: 'b' },
    { op: 'toString', args: { source: 'a' }, field: 'a' },
    { op: 'concat', args: { sources: ['a'], target: 'b' }, field: 'b' },
    { op: 'join', args: { source: 'list', target: 'b', delimiter: ',' }, field: 'b' },
    { op: 'template', args: { template: 'no. ${a}', target: 'b' }, field: 'b' },
    { op: 'lookup', args: { source: 'a', map: { '20260131': 'found' }, target: 'b' }, field: 'b' },
    { op: 'uuid', args: { target: 'b', version: 'v5', namespace: 'dns', source: 'a' }, field: 'b' },
];

function result({ op, args, field }: Call, a: JsonValue): JsonValue | undefined {
    const operator = operators.find(({ code }) => code === op) as unknown as RecordOperator;
    const run = operator.compile(operator.config.parse(args), ENV);
    return (run({ a, list: [a] }, TEST_LOCATION) as JsonObject)[field];
}

describe.each(CALLS.map(call => [call.op, JSON.stringify(call.args), call] as const))(
    '%s with %s',
    (_op, _args, call) => {
        it.each([20260131, 12.5, -7, 0, 4006381333931])('reads the number %s as its text', number => {
            const made = result(call, String(number));
            // In its own field, a number that nothing changes stays a number.
            expect(result(call, number)).toEqual(
                call.field === 'a' && call.op !== 'toString' && made === String(number) ? number : made,
            );
        });
    },
);

it('all operators of the category String do', () => {
    const strings = operators.filter(({ category }) => category === 'String').map(({ code }) => code);
    expect(CALLS.map(({ op }) => op)).toEqual(expect.arrayContaining(strings));
});

it('a numeric price of a workbook passes operators for text prices', () => {
    const calls: readonly Call[] = [
        { op: 'trim', args: { path: 'a' }, field: 'a' },
        { op: 'replaceRegex', args: { path: 'a', pattern: '€|EUR', replacement: '' }, field: 'a' },
        { op: 'parseNumber', args: { source: 'a', locale: 'de-DE' }, field: 'a' },
    ];
    const price = (a: JsonValue): JsonValue => calls.reduce((value, call) => result(call, value)!, a);
    expect([price(0.125), price('0,125 €'), price(1234.5), price('1.234,50 EUR')]).toEqual([
        0.125, 0.125, 1234.5, 1234.5,
    ]);
});

const ALONE = CALLS.filter(
    ({ op }) => !['categoryPath', 'count', 'hash', 'toString', 'concat', 'join', 'template', 'uuid'].includes(op),
);

it.each(ALONE.map(call => [call.op, call] as const))(
    '%s leaves values unchanged that are neither text nor numbers',
    (_op, call) => {
        for (const value of [null, true, ['1'], { b: '1' }])
            expect(result(call, value)).toEqual(call.field === 'a' ? value : undefined);
    },
);
