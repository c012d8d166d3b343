import type { JsonObject } from '../../core/value/json';
import {
    PLAIN,
    NOT_JSON,
    FIXED,
    MEMORY,
    TOO_DEEP,
    ODD_LIST,
    FORGED_CODE,
    FORGED_TEXT,
    forger,
    hiddenValue,
    ownMethods,
    LATE_RESULT,
    type ForgedCase,
} from './forged.fixture';

/** Records that are not what they seem: `record` is `{ id: 'B', n: 1 }`. */
export const FORGED_SHAPES: ReadonlyArray<ForgedCase<JsonObject>> = [
    // toJSON
    ['a method toJSON', `return { id: 'B', toJSON() { return ${FORGED_CODE} } }`, NOT_JSON],
    ['a hidden toJSON', `return Object.defineProperties(record, ${hiddenValue('toJSON', forger)})`, PLAIN],
    [
        'a hidden toJSON that answers nothing',
        'Object.defineProperty(record, "toJSON", { value() {} }); return record',
        PLAIN,
    ],
    [
        'a toJSON without a prototype',
        `return Object.create(null, { toJSON: { value: ${forger} }, id: { value: 'B', enumerable: true } })`,
        { id: 'B' },
    ],
    [
        'a toJSON that comes by a getter',
        `let looks = 0; return { id: 'B', get toJSON() { return looks++ ? ${forger} : 'text' } }`,
        { id: 'B', toJSON: 'text' },
    ],
    ['a field toJSON', `return { toJSON: ${FORGED_CODE} }`, { toJSON: FORGED_TEXT }],
    [
        'a hidden toJSON deep inside',
        `record.deep = [Object.defineProperty([1], 'toJSON', { value: ${forger} })]; return record`,
        { ...PLAIN, deep: [[1]] },
    ],
    ['Object.prototype.toJSON', `Object.prototype.toJSON = ${forger}; return record`, FIXED],
    [
        'Array.prototype.toJSON',
        `Object.defineProperty(Array.prototype, 'toJSON', { value: ${forger} }); return record`,
        FIXED,
    ],
    ['String.prototype.toJSON', `String.prototype.toJSON = ${forger}; return record`, FIXED],

    // Getters
    ['a getter that throws', 'return { get id() { throw new Error("no id today") } }', /Error: no id today \(line 1\)/],
    ['a getter that throws a forged line', `return { get id() { throw ${FORGED_CODE} } }`, /it threw "\{/],
    ['a getter that counts its looks', 'let looks = 0; return { get id() { return looks++ } }', { id: 0 }],
    [
        'a getter that is JSON at the first look only',
        'let looks = 0; return { get id() { return looks++ ? () => 1 : "B" } }',
        { id: 'B' },
    ],
    [
        'a getter that is nothing at the second look',
        'let looks = 0; return { list: Object.defineProperty([1, 2], 0, { get: () => (looks++ ? undefined : 5) }) }',
        { list: [5, 2] },
    ],
    ['a getter that deletes what comes', 'return { get id() { delete this.n; return "B" }, n: 1 }', { id: 'B' }],
    ['a getter that adds what comes', 'return { get id() { this.more = 1; return "B" } }', { id: 'B' }],
    [
        'a getter that lengthens its list',
        'const list = [1]; Object.defineProperty(list, 0, { get() { list.push(2); return 1 } }); return { list }',
        { list: [1] },
    ],
    [
        'a getter that empties its list',
        'const list = [1, 2, 3]; Object.defineProperty(list, 0, { get() { list.length = 1; return 1 } }); return { list }',
        NOT_JSON,
    ],
    ['a getter that answers forged lines', `return { get id() { return ${FORGED_CODE} } }`, { id: FORGED_TEXT }],
    ['a getter that never ends', 'return { get id() { for (;;); } }', LATE_RESULT],
    ['a getter that calls itself', 'return { get id() { return this.id } }', /stack overflow/],
    [
        'a getter that uses up the memory',
        'return { get id() { const all = []; for (;;) all.push(new ArrayBuffer(2 ** 24)) } }',
        MEMORY,
    ],

    // Proxies
    ['a proxy that throws', 'return new Proxy({}, { ownKeys() { throw new Error("no keys") } })', /Error: no keys/],
    [
        'a proxy with other values at each look',
        'let looks = 0; return new Proxy({ a: 0, b: 0 }, { get: () => looks++ })',
        { a: 0, b: 1 },
    ],
    [
        'a proxy with other keys at each look',
        'let looks = 0; return new Proxy({ a: 0, b: 0 }, { ownKeys: () => (looks++ ? ["a"] : ["a", "b"]) })',
        { a: 0, b: 0 },
    ],
    ['a proxy with forged lines for everything', `return new Proxy({ a: 0 }, { get: ${forger} })`, { a: FORGED_TEXT }],
    [
        'a proxy that changes its class',
        'let looks = 0; return new Proxy({ a: 1 }, { getPrototypeOf: () => (looks++ > 1 ? Date.prototype : Object.prototype) })',
        { a: 1 },
    ],
    [
        'a proxy of a class at first',
        'let looks = 0; return new Proxy({ a: 1 }, { getPrototypeOf: () => (looks++ > 1 ? null : Date.prototype) })',
        /script failed/,
    ],
    ['a proxy without an end', 'const endless = new Proxy({ a: 1 }, { get: () => endless }); return endless', TOO_DEEP],
    [
        'a proxy with more keys than there may be',
        'const keys = new Proxy({}, { get: (_, key) => (key === "length" ? 1e9 : key) }); return new Proxy({}, { ownKeys: () => keys })',
        MEMORY,
    ],
    [
        'a proxy that is revoked',
        'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
        /TypeError/,
    ],
    [
        'a proxy that revokes itself',
        'const { proxy, revoke } = Proxy.revocable({ a: 1, b: 2 }, { get() { revoke(); return 1 } }); return proxy',
        /TypeError/,
    ],
    [
        'a proxy of a list with a length without an end',
        'return { list: new Proxy([1], { get: (list, key) => (key === "length" ? 2 ** 53 : 1) }) }',
        ODD_LIST,
    ],
    [
        'a proxy of a list with a text for its length',
        'return { list: new Proxy([1], { get: (list, key) => (key === "length" ? "1" : 1) }) }',
        ODD_LIST,
    ],
    [
        'a proxy of a list with a length below zero',
        'return { list: new Proxy([1], { get: (list, key) => (key === "length" ? -1 : 1) }) }',
        ODD_LIST,
    ],
    [
        'a proxy of a list with an object for its length',
        'return { list: new Proxy([1], { get: (list, key) => (key === "length" ? { valueOf: () => 1 } : 1) }) }',
        ODD_LIST,
    ],
    [
        'a proxy of an endless list',
        'return { list: new Proxy([1], { get: (list, key) => (key === "length" ? 2 ** 32 - 1 : "x".repeat(1e6)) }) }',
        /longer than 16777216|did not end within/,
    ],

    // Lists
    ['a list with custom methods', `const list = [1, 2]; ${ownMethods} return { list }`, { list: [1, 2] }],
    [
        'a list of a custom class',
        `class Own extends Array { map() { return [${FORGED_CODE}] } get [Symbol.species]() { return Date } } return { list: Own.of(1, 2) }`,
        { list: [1, 2] },
    ],
    [
        'a list with a species',
        `const list = [1]; Object.defineProperty(list, 'constructor', { value: { [Symbol.species]: class { constructor() { throw 1 } } } }); return { list }`,
        { list: [1] },
    ],
    ['a list with fields', 'return { list: Object.assign([1], { more: () => 1 }) }', { list: [1] }],
    ['a list with holes', 'return { list: [1, , 3] }', /field "list"\[1\] is nothing/],
    ['a list of four thousand million', 'return { list: new Array(2 ** 32 - 1) }', /field "list"\[0\] is nothing/],
    ['what is like a list', 'return { length: 2, 0: "a", 1: "b" }', { length: 2, 0: 'a', 1: 'b' }],
    ['arguments', 'return (function () { return { list: arguments } })(1, 2)', { list: { 0: 1, 1: 2 } }],
    ['lists in lists', 'let list = []; for (let i = 0; i < 40; i++) list = [list]; return { list }', TOO_DEEP],
    ['a list that holds itself', 'const list = []; list[0] = list; return { list }', TOO_DEEP],
    ['a record that holds itself', 'record.own = record; return record', TOO_DEEP],
    [
        'one list two thousand million times',
        'let list = []; for (let i = 0; i < 31; i++) list = [list, list]; return { list: list[0] }',
        MEMORY,
    ],
];
