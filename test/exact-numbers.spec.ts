import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DROP, type Operator, type RecordOperator } from '../src/core/adapter/operator';
import type { JsonObject, JsonValue } from '../src/core/value/json';
import { isFlowError } from '../src/core/errors/flow-error';
import { callsWithin } from '../src/core/schema/operator-calls';
import { csvReader } from '../src/io/formats/csv';
import { jsonReader } from '../src/io/formats/json';
import type { RecordReader } from '../src/io/formats/source';
import { xlsxReader } from '../src/io/formats/xlsx/xlsx';
import { xmlReader } from '../src/io/formats/xml';
import { readJson } from '../src/io/outbound/json';
import { setUp } from '../src/plugin/setup';
import { ENV, TEST_LOCATION, runBatch } from '../src/testing/bare-call';
import { workbookOf } from '../src/testing/workbook';

// Only operators that calculate, round or count may change a number.

const digits = (maxLength: number): fc.Arbitrary<string> =>
    fc.oneof(
        fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength }),
        fc.string({ unit: fc.constantFrom('0', '9'), minLength: 1, maxLength }),
    );
/** Numbers in JSON: long, huge, tiny, near the limits of a double, with leading and trailing zeros, with signs. */
const jsonNumbers = fc.oneof(
    fc
        .tuple(
            fc.constantFrom('', '-'),
            digits(30).map(whole => whole.replace(/^0+(?=\d)/, '')),
            fc.option(digits(25), { nil: undefined }),
            fc.option(fc.integer({ min: -420, max: 420 }), { nil: undefined, freq: 3 }),
        )
        .map(([sign, whole, fraction, exponent]) => {
            const point = fraction === undefined ? '' : `.${fraction}`;
            return `${sign}${whole}${point}${exponent === undefined ? '' : `e${exponent}`}`;
        }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => JSON.stringify(number)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number.toPrecision(17)),
    fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }).map(String),
    fc.integer().map(cents => (cents / 100).toFixed(2)),
    fc.constantFrom('9007199254740993', '0.1234567890123456789', '1e400', '1e-400', '0.1', '-0', '0e9'),
);
/** Also in the spellings that people use. */
const decimalTexts = fc.oneof(
    jsonNumbers,
    jsonNumbers.map(text => text.replace(/^(-?)/, '$1000')),
    jsonNumbers.filter(text => !text.startsWith('-')).map(text => `+${text}`),
    digits(20).map(text => `.${text}`),
);

/** A normal form of the number, equal for equal numbers and computed independently of the tested code; undefined for texts that are not numbers. */
function valueOf(text: string): string | undefined {
    const [, sign, whole, fraction = '', exponent = '0'] =
        /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text.trim()) ?? [];
    if (whole === undefined || (whole === '' && fraction === '')) return undefined;
    const all = BigInt(whole + fraction);
    if (all === 0n) return '0';
    const [, kept, zeros] = /^(\d*?)(0*)$/.exec(String(all))!;
    return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - fraction.length + zeros!.length}`;
}

function* leavesOf(value: JsonValue): Generator<JsonValue> {
    if (typeof value !== 'object' || value === null) yield value;
    else for (const inner of Object.values(value) as readonly JsonValue[]) yield* leavesOf(inner);
}

/** Every part of the value that is a number equals the original. */
function expectSame(value: JsonValue, text: string): void {
    for (const leaf of leavesOf(value)) {
        if (typeof leaf === 'number' || (typeof leaf === 'string' && valueOf(leaf) !== undefined))
            expect(valueOf(String(leaf))).toBe(valueOf(text));
    }
}

describe('no operator changes a number', () => {
    /** Operators whose task is to calculate, round, count, take text apart or generate values. */
    const ASKED: ReadonlySet<string> = new Set([
        'aggregate',
        'count',
        'currency',
        'dateAdd',
        'dateDiff',
        'dateFormat',
        'dateParse',
        'formatNumber',
        'hash',
        'imageConvert',
        'imageResize',
        'math',
        'now',
        'pdfGenerate',
        'pimProduct',
        'round',
        'script',
        'toCents',
        'truncate',
        'unit',
        'uuid',
    ]);
    /** True if an operator within the operator may do that. */
    const asksWithin = (operator: Operator, args: JsonObject): boolean =>
        callsWithin(operator.config, args).some(({ call }) => ASKED.has((call as JsonObject)['op'] as string));
    /** Cuts or changes the characters of a text: the result is text. */
    const OF_TEXT: ReadonlySet<string> = new Set([
        'categoryPath',
        'concat',
        'extractRegex',
        'join',
        'pimCategory',
        'replace',
        'replaceRegex',
        'slugify',
        'split',
        'stripHtml',
        'template',
    ]);
    const { definitions } = setUp({}).registry;
    const operators = definitions.filter((one): one is Operator => one.kind === 'operator' && !ASKED.has(one.code));

    /** The number in place of each value of the examples. */
    function withNumber(given: JsonObject, field: string, number: JsonValue): JsonObject {
        return { ...given, [field]: number };
    }
    function expectKept(
        code: string,
        out: JsonValue,
        { text, known }: { text: string; known: ReadonlySet<JsonValue> },
    ): void {
        for (const leaf of leavesOf(out)) {
            if (known.has(leaf)) continue;
            if (typeof leaf === 'number') expect([code, valueOf(String(leaf))]).toEqual([code, valueOf(text)]);
            else if (!OF_TEXT.has(code) && typeof leaf === 'string' && valueOf(leaf) !== undefined)
                expect([code, valueOf(leaf)]).toEqual([code, valueOf(text)]);
        }
    }

    it.each(
        operators.filter((one): one is RecordOperator => one.form === 'record').map(one => [one.code, one] as const),
    )('%s', (code, operator) => {
        // In other locales "1.234" is another number.
        const plain = operator.examples.filter(
            ({ args }) => (!('locale' in args) || args.locale === 'en-US') && !asksWithin(operator, args as JsonObject),
        );
        const cases = plain.flatMap(({ args, in: given, out = {} }) => {
            const fn = operator.compile(operator.config.parse(args), ENV);
            const known = new Set([given, args as JsonObject, out as JsonValue].flatMap(part => [...leavesOf(part)]));
            return Object.keys({ ...given, a: 1 }).map(field => ({ fn, known, given, field }));
        });
        fc.assert(
            fc.property(decimalTexts, fc.nat(cases.length - 1), (text, i) => {
                const { fn, known, given, field } = cases[i]!;
                const forms = [
                    text,
                    [text],
                    `{"${field}":[${text}]}`,
                    ...(String(Number(text)) === text ? [Number(text)] : []),
                ];
                for (const form of forms) {
                    const data = withNumber(given, field, form);
                    try {
                        const out = fn(data, TEST_LOCATION);
                        if (out !== DROP) expectKept(code, out as JsonValue, { text, known });
                    } catch (error) {
                        if (!isFlowError(error)) throw error;
                        expect(error.treat).toBe('record');
                    }
                }
            }),
            { numRuns: 300 },
        );
    });

    it.each(
        operators.filter(one => one.form === 'batch' && one.code !== 'httpLookup').map(one => [one.code, one] as const),
    )('%s', async (code, operator) => {
        if (operator.form !== 'batch') throw new Error('not reached');
        await fc.assert(
            fc.asyncProperty(decimalTexts, fc.nat(operator.examples.length - 1), async (text, i) => {
                const { args, in: given, out: expected } = operator.examples[i]!;
                const fields = [...new Set(given.flatMap(record => Object.keys(record)))];
                for (const field of fields) {
                    const records = given.map(record => withNumber(record, field, text));
                    const { out } = await runBatch({ operator, args }, records);
                    const known = new Set([...leavesOf(args as JsonObject), ...leavesOf(given), ...leavesOf(expected)]);
                    for (const { data } of out) expectKept(code, data, { text, known });
                }
            }),
            { numRuns: 30 },
        );
    });

    it('in JSON from other servers', () => {
        fc.assert(
            fc.property(jsonNumbers, text => {
                const body = Buffer.from(`{"a":${text},"b":[${text},"${text}"]}`);
                const value = readJson({ status: 200, headers: {}, body }, 'host')!;
                expectSame(value, text);
                expect(isDouble(text) === (typeof (value as JsonObject)['a'] === 'number')).toBe(true);
            }),
        );
    });
});

/** Whether a double holds the number exactly. Whole numbers beyond 2^53 are ids. */
function isDouble(text: string): boolean {
    if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return false;
    return Number.isFinite(Number(text)) && valueOf(String(Number(text))) === valueOf(text);
}

describe('no reader changes a number', () => {
    let folder: string;
    beforeAll(() => {
        folder = mkdtempSync(join(tmpdir(), 'flow-numbers-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    async function read(reader: RecordReader): Promise<readonly JsonObject[]> {
        await reader.check();
        const records: JsonObject[] = [];
        for await (const page of reader.read({})) records.push(...page.records);
        return records;
    }
    const textOf = (text: string) =>
        async function* (): AsyncGenerator<string> {
            yield text;
        };
    const lists = (numbers: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
        fc.array(numbers, { minLength: 1, maxLength: 20 });

    it('of CSV', async () => {
        await fc.assert(
            fc.asyncProperty(lists(decimalTexts), async numbers => {
                const records = await read(
                    csvReader(textOf(`n\n${numbers.join('\n')}\n`), { delimiter: ',', hasHeader: true }),
                );
                expect(records.map(({ n }) => n)).toEqual(numbers);
            }),
        );
    });

    it('of XML', async () => {
        await fc.assert(
            fc.asyncProperty(lists(decimalTexts), async numbers => {
                const rows = numbers.map(number => `<row n="${number}"><m>${number}</m></row>`).join('');
                const records = await read(xmlReader(textOf(`<rows>${rows}</rows>`)));
                expect(records.map(record => [...leavesOf(record)])).toEqual(numbers.map(number => [number, number]));
            }),
        );
    });

    it.each([
        ['JSON', (records: readonly string[]) => `[${records.join(',\n')}]`],
        ['NDJSON', (records: readonly string[]) => records.join('\n')],
    ])('of %s', async (_, laidOut) => {
        await fc.assert(
            fc.asyncProperty(lists(jsonNumbers), async numbers => {
                const records = await read(
                    jsonReader(
                        textOf(laidOut(numbers.map(number => `{"n":${number},"l":[{"n":${number}}],"t":"${number}"}`))),
                    ),
                );
                expect(records).toHaveLength(numbers.length);
                records.forEach((record, i) => {
                    expectSame(record, numbers[i]!);
                    expect(record['t']).toBe(numbers[i]);
                    expect(typeof record['n']).toBe(isDouble(numbers[i]!) ? 'number' : 'string');
                });
            }),
        );
    });

    it('of XLSX, whose numbers are doubles written with 17 digits', async () => {
        await fc.assert(
            fc.asyncProperty(lists(decimalTexts), async numbers => {
                const path = join(folder, 'numbers.xlsx');
                const rows = numbers.map(number => `<row><c><v>${number}</v></c><c t="str"><v>${number}</v></c></row>`);
                const header = '<row><c t="str"><v>n</v></c><c t="str"><v>t</v></c></row>';
                writeFileSync(path, workbookOf({ sheets: { S: header + rows.join('') } }));
                const records = await read(xlsxReader({ path }));
                expect(records).toHaveLength(numbers.length);
                records.forEach(({ n, t }, i) => {
                    const number = numbers[i]!;
                    expect(t).toBe(number);
                    if (typeof n !== 'number') expect(n).toBe(number);
                    else expect([valueOf(String(n)), valueOf(n.toPrecision(17))]).toContain(valueOf(number));
                });
            }),
            { numRuns: 60 },
        );
    });
});
