import type { ScriptBatchResult } from '../../core/adapter/inline-script';
import type { JsonObject } from '../../core/value/json';
import { ODD_LIST, FORGED_CODE, ownMethods, GIVEN, type ForgedCase, OF_A_CLASS, type Expected } from './forged.fixture';
import { FORGED_SHAPES } from './forged-shapes.fixture';
import { FORGED_PROMISES, FORGED_VALUES } from './forged-values.fixture';

/** What a script answers for a list of records; `records` are those of GIVEN. `from`: which of these each of them is. */
export const FORGED_LISTS: ReadonlyArray<ForgedCase<ScriptBatchResult>> = [
    [
        'a list with custom methods',
        `const list = [...records]; ${ownMethods} return list`,
        { records: GIVEN, from: [0, 1, 2] },
    ],
    [
        'the list that it was given, with custom methods',
        `const list = records; ${ownMethods} return list`,
        { records: GIVEN, from: [0, 1, 2] },
    ],
    [
        'a custom map for the places',
        'const [a, b] = records; Object.defineProperty(records, "map", { value: () => [[a, 1e9], [b, "0]\\n{}"]] }); return [b, a]',
        { records: [GIVEN[1]!, GIVEN[0]!], from: [1, 0] },
    ],
    [
        'a list of a custom class',
        `class Own extends Array { map() { return [${FORGED_CODE}] } } return Own.from(records)`,
        { records: GIVEN, from: [0, 1, 2] },
    ],
    [
        'the records in other places',
        '[records[0], records[1]] = [records[1], records[0]]; return records',
        { records: [GIVEN[1]!, GIVEN[0]!, GIVEN[2]!], from: [1, 0, 2] },
    ],
    [
        'the list that it was given, emptied',
        'const all = [...records]; records.length = 0; return all',
        { records: GIVEN, from: [0, 1, 2] },
    ],
    ['one record twice', 'return [records[2], records[2]]', { records: [GIVEN[2]!, GIVEN[2]!], from: [2, 2] }],
    [
        'proxies of the records',
        'return records.map(record => new Proxy(record, {}))',
        { records: GIVEN, from: [-1, -1, -1] },
    ],
    ['a proxy of the list', 'return new Proxy(records, {})', { records: GIVEN, from: [0, 1, 2] }],
    [
        'a proxy with another list at each look',
        'let looks = 0; return new Proxy([{}, {}], { get: (list, key) => (key === "length" ? 2 : { look: looks++ }) })',
        { records: [{ look: 0 }, { look: 1 }], from: [-1, -1] },
    ],
    ['a length without an end', 'return new Proxy([], { get: () => 2 ** 53 })', ODD_LIST],
    ['a length that is not a number', 'return new Proxy([], { get: () => "3" })', ODD_LIST],
    ['a length that is half', 'return new Proxy([], { get: () => 1.5 })', ODD_LIST],
    [
        'records that change their list',
        'const list = [{ get id() { list.push({ id: "forged" }); return "B" } }]; return list',
        { records: [{ id: 'B' }], from: [-1] },
    ],
    [
        'records that empty their list',
        'const list = [{ get id() { list.length = 0; return "B" } }, {}]; return list',
        /record 2 of its answer: it is nothing/,
    ],
    [
        'records that exchange each other',
        'const [a, b] = records; Object.defineProperty(a, "id", { enumerable: true, get() { records[1] = a; return "A" } }); return records',
        { records: [{ id: 'A' }, { id: 'A' }, GIVEN[2]!], from: [0, 0, 2] },
    ],
    ['no records', `return [${FORGED_CODE}]`, /record 1 of its answer: it is "\{/],
    ['lists of records', 'return [records]', /record 1 of its answer: it is a list of 3/],
    [
        'a hidden toJSON',
        `return records.map(record => Object.defineProperty(record, 'toJSON', { value: () => 7 }))`,
        { records: GIVEN, from: [0, 1, 2] },
    ],
    ['holes', 'return [records[0], , records[2]]', /record 2 of its answer: it is nothing/],
    ['four thousand million holes', 'return new Array(2 ** 32 - 1)', /record 1 of its answer: it is nothing/],
    ['custom places', 'return Object.assign([{}], { from: [9], length: 1 })', { records: [{}], from: [-1] }],
    [
        'a list that says that it is a promise',
        'Object.defineProperty(records, "then", { value: resolve => resolve([]) }); return records',
        { records: GIVEN, from: [0, 1, 2] },
    ],
    [
        'a promise of a list',
        'return (async () => { await null; return records })()',
        { records: GIVEN, from: [0, 1, 2] },
    ],
    ['a set', 'return new Set(records)', /an object of class Set/],
    ['an iterator', 'return records.values()', /an object of class/],
    ['arguments', 'return (function () { return arguments })(...records)', /allowed: a list of records/],
    ['a text', `return ${FORGED_CODE}`, /it answered "\{/],
    [
        'more than may be',
        'return Array.from({ length: 40 }, () => ({ text: "x".repeat(1e6) }))',
        /longer than 16777216/,
    ],
];

/** All ways of this suite for a script that answers a list: those of one record as well, which is put between two that are as they should be. */
export const FORGED_BATCHES: ReadonlyArray<ForgedCase<readonly JsonObject[]>> = [
    ...[...FORGED_SHAPES, ...FORGED_VALUES, ...FORGED_PROMISES.map(inList)].map(([name, code, told]) =>
        between(name, code, told),
    ),
    ...FORGED_LISTS.map(([name, code, told]) => [name, code, told instanceof RegExp ? told : told.records] as const),
];

function inList([name, code]: ForgedCase<JsonObject>): ForgedCase<JsonObject> {
    return [name, code, OF_A_CLASS];
}

function between(name: string, code: string, told: Expected<JsonObject>): ForgedCase<readonly JsonObject[]> {
    const list = `const [first, record, last] = records; return [first, (() => { ${code} })(), last];`;
    return [name, list, told instanceof RegExp ? told : [GIVEN[0]!, told, GIVEN[2]!]];
}
