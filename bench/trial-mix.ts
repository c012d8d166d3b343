import type { JsonObject } from '../src/core/value/json';
import { workbookOfRows } from '../src/testing/workbook';

/** Random numbers from 0 to 1, the same for the same seed. */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

interface Call {
    readonly op: string;
    readonly args: JsonObject;
}

/** A trial: a step with records or a file, or the preview of a file. */
export type TrialRequest =
    | { readonly kind: string; readonly operators: readonly Call[]; readonly records: readonly JsonObject[] }
    | { readonly kind: string; readonly operators: readonly Call[]; readonly file: string; readonly limit: number }
    | { readonly kind: string; readonly preview: string };

/** Operators whose output is much larger than their input. */
const GROWING: Readonly<Record<string, (times: number) => readonly Call[]>> = {
    concat: times => repeated(times, { op: 'concat', args: { sources: ['a', 'a'], target: 'a' } }),
    template: times => repeated(times, { op: 'template', args: { template: '${a}${a}', target: 'a' } }),
    replaceRegex: times =>
        repeated(times, { op: 'replaceRegex', args: { path: 'a', pattern: '.+', replacement: '$&$&', flags: 'gs' } }),
    everyLetter: () => [
        { op: 'replaceRegex', args: { path: 'a', pattern: '.', replacement: '$&'.repeat(4_000), flags: 'g' } },
    ],
    map: times => repeated(times, { op: 'map', args: { mapping: { 'a.x': 'a', 'a.y': 'a' } } }),
    mapAndWrite: times => [
        ...repeated(times, { op: 'map', args: { mapping: { 'a.x': 'a', 'a.y': 'a' } } }),
        { op: 'stringifyJson', args: { source: 'a', pretty: true } },
    ],
    stringifyJson: times => repeated(times, { op: 'stringifyJson', args: { source: 'a' } }),
    expand: times =>
        repeated(times, {
            op: 'expand',
            args: { path: 'list', parentFields: { list: 'next', next: 'next', a: 'a' } },
        }),
    split: times => [
        ...repeated(times, { op: 'concat', args: { sources: ['a', 'a'], target: 'a' } }),
        { op: 'split', args: { source: 'a', target: 'list', delimiter: 'x' } },
    ],
    fields: times =>
        Array.from({ length: times }, (_, n) => ({ op: 'concat', args: { sources: ['a', 'a'], target: `f${n}` } })),
    each: times => [
        {
            op: 'each',
            args: { path: 'list', operators: repeated(times, { op: 'set', args: { path: 'l.999', value: 1 } }) },
        } as never,
    ],
    multiJoin: () => [
        {
            op: 'multiJoin',
            args: {
                leftKey: 'k',
                rightKey: 'k',
                rightData: Array.from({ length: 500 }, () => ({ k: 1 })),
                maxOutputRecords: 100_000,
            },
        },
    ],
};

const SCRIPTS: readonly string[] = [
    'return { ...record, a: "x".repeat(4_000_000) };',
    'return { list: Array.from({ length: 200_000 }, () => []) };',
    'return { list: Array.from({ length: 300_000 }, (_, n) => ({ n })) };',
    'let a = record.a; for (;;) a += a; return { a };',
    'return { a: "\\u6f22".repeat(3_000_000) };',
];
const BATCH_SCRIPTS: readonly string[] = [
    'return Array.from({ length: 200_000 }, () => ({}));',
    'return records.map(() => ({ a: "x".repeat(2_000_000) }));',
];

/** Files that are designed to be expensive, by name. */
export function hostileFiles(): ReadonlyMap<string, Buffer | string> {
    const cell = 'x'.repeat(3_000_000);
    return new Map<string, Buffer | string>([
        ['cells.csv', `a,b\n${`${cell},1\n`.repeat(8)}`],
        [
            'wide.csv',
            `${Array.from({ length: 9_000 }, (_, n) => `c${n}`).join(',')}\n${`${'1,'.repeat(8_999)}1\n`.repeat(300)}`,
        ],
        ['rows.csv', `a,b\n${'x,1\n'.repeat(1_000_000)}`],
        ['lists.json', JSON.stringify(Array.from({ length: 60 }, () => ({ a: Array(60_000).fill([]) })))],
        ['texts.json', JSON.stringify(Array.from({ length: 10 }, () => ({ a: cell })))],
        ['deep.xml', `<list>${`<row><a>${'<b>x</b>'.repeat(50_000)}</a></row>`.repeat(10)}</list>`],
        [
            'sheet.xlsx',
            workbookOfRows({ Sheet: Array.from({ length: 20_000 }, (_, n) => [`text ${n} ${'x'.repeat(300)}`, n, n]) }),
        ],
    ]);
}

/** Returns the next trial. */
export function nextRequest(chance: Chance, files: readonly string[]): TrialRequest {
    const one = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
    const what = chance();
    if (what < 0.2) return { kind: 'preview', preview: one(files) };
    const name = one(Object.keys(GROWING));
    const grown = GROWING[name]!(1 + Math.floor(chance() * 30));
    if (what < 0.35)
        return { kind: 'file', file: one(files), operators: grown, limit: 1 + Math.floor(chance() * 1_000) };
    if (what < 0.45) {
        const isBatch = chance() < 0.3;
        const code = one(isBatch ? BATCH_SCRIPTS : SCRIPTS);
        return {
            kind: 'script',
            operators: [{ op: 'script', args: { code, batch: isBatch } }],
            records: given(chance),
        };
    }
    return { kind: name, operators: grown, records: given(chance) };
}

function given(chance: Chance): readonly JsonObject[] {
    const count = 1 + Math.floor(chance() ** 3 * 200);
    const letter = chance() < 0.5 ? 'x' : '漢';
    const a = letter.repeat(1 + Math.floor(chance() ** 4 * 20_000));
    const list = Array.from({ length: 1 + Math.floor(chance() * 500) }, (_, n) => ({ n }));
    const small = Array.from({ length: 200 }, () => ({}));
    return Array.from({ length: count }, (_, id) => ({ id, k: 1, a, ...(id < 3 && { list, next: small }) }));
}

function repeated(times: number, call: Call): readonly Call[] {
    return Array.from({ length: times }, () => call);
}
