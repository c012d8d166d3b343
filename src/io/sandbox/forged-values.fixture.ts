import type { JsonObject } from '../../core/value/json';
import {
    PLAIN,
    NOT_JSON,
    OF_A_CLASS,
    FIXED,
    MEMORY,
    FORGED_CODE,
    FORGED_TEXT,
    forger,
    LATE_RESULT,
    type ForgedCase,
} from './forged.fixture';

/** Non-JSON values that a record may be or contain, values that are thrown instead, and side effects of a script in addition to its answer. */
export const FORGED_VALUES: ReadonlyArray<ForgedCase<JsonObject>> = [
    // Text
    ['forged lines as a text', `return { [${FORGED_CODE}]: ${FORGED_CODE} }`, { [FORGED_TEXT]: FORGED_TEXT }],
    [
        'ends of lines of every kind',
        String.raw`return { text: '\n\r\u2028\u2029\u0085"\\\b' }`,
        { text: '\n\r\u2028\u2029\u0085"\\\b' },
    ],
    [
        'halves of characters',
        String.raw`return { ['\ud800']: '\udc00a\ud800\0\x7f' }`,
        { '\ud800': '\udc00a\ud800\0\x7f' },
    ],
    ['a text without an end', 'return { text: "x".repeat(2 ** 25) }', /longer than 16777216/],
    ['an object around a text', 'return { text: new String("x") }', NOT_JSON],
    [
        'names that objects have',
        `return JSON.parse('{"constructor":1,"hasOwnProperty":2,"then":3,"length":4,"toString":5}')`,
        { constructor: 1, hasOwnProperty: 2, then: 3, length: 4, toString: 5 } as unknown as JsonObject,
    ],
    ['a field __proto__', `return JSON.parse('{"__proto__":{"n":1}}')`, /field "__proto__"/],

    // No JSON
    ['what is like a promise', 'return { then(resolve) { resolve({ id: "forged" }) } }', NOT_JSON],
    ['a generator', 'return (function* () { yield record })()', OF_A_CLASS],
    ['an async generator', 'return (async function* () { yield record })()', OF_A_CLASS],
    ['a symbol', 'return { id: Symbol("B") }', NOT_JSON],
    ['a symbol for a key', 'return { ...record, [Symbol("B")]: () => 1 }', PLAIN],
    ['a bigint', 'return { id: 1n }', NOT_JSON],
    ['minus zero', 'return { n: -0 }', { n: 0 }],
    ['no number', 'return { n: NaN }', NOT_JSON],
    ['a number without an end', 'return { n: -Infinity }', NOT_JSON],
    ['a date', 'return { at: new Date(0) }', NOT_JSON],
    ['typed lists', 'return { bytes: new Uint8Array(2) }', NOT_JSON],
    ['memory', 'return { bytes: new ArrayBuffer(2) }', NOT_JSON],
    ['a map', 'return new Map([["id", "B"]])', OF_A_CLASS],
    ['a function with fields', 'return Object.assign(() => 1, record)', /a function/],
    ['a class', 'return class { static id = "B" }', /a function/],
    [
        'an object of a class without a name',
        'return new (class { static name = { toString() { throw 1 } } })()',
        /script failed/,
    ],
    ['an error', 'return new Error("B")', OF_A_CLASS],
    ['a pattern', 'return { id: /B/ }', NOT_JSON],
    ['all that it has', 'return { all: globalThis }', { all: {} }],
    ['the console', 'return console', /field "debug" is a function/],
    ['a list', `return [${FORGED_CODE}]`, /it (is|answered) a list of 1/],
    ['a line', `return ${FORGED_CODE}`, /it (is|answered) "\{/],

    // What it throws
    ['a thrown text', `throw ${FORGED_CODE}`, /it threw "\{/],
    ['nothing thrown', 'throw undefined', /it threw nothing/],
    ['null thrown', 'throw null', /it threw null/],
    ['a symbol thrown', 'throw Symbol("B")', /it threw a symbol/],
    ['an error of forged lines', `throw new Error(${FORGED_CODE})`, /Error: \{"id":"forged"\}\n!/],
    [
        'an error with a forged place',
        'throw Object.assign(new Error("odd"), { stack: "<input>:99999999999999999999" })',
        /: Error: odd\.( |$)/,
    ],
    [
        'an error with a place below zero',
        'throw Object.defineProperty(new Error("odd"), "stack", { value: "<input>:0" })',
        /: Error: odd \(line 1\)\./,
    ],
    [
        'an error that cannot be read',
        'throw Object.defineProperty(new Error(), "message", { get() { throw this } })',
        /cannot be read/,
    ],
    [
        'an error whose name throws',
        'throw Object.defineProperty(new Error(), "name", { value: { toString() { throw 1 } } })',
        /cannot be read/,
    ],
    [
        'an error whose message is a symbol',
        'throw Object.defineProperty(new Error(), "message", { value: Symbol("B") })',
        /Error: Symbol\(B\)/,
    ],
    [
        'an error without an end',
        'throw Object.defineProperty(new Error(), "message", { get() { for (;;); } })',
        LATE_RESULT,
    ],
    ['an error of a million letters', 'throw new Error("y".repeat(1e6))', /failed: Error: y{493} … \(line 1\)\./],
    ['a proxy of an error', 'throw new Proxy(new Error("odd"), { get() { throw 1 } })', /cannot be read/],
    ['a recursion without an end', '(function f() { f() })()', /stack overflow/],
    ['a loop without an end', 'for (;;);', LATE_RESULT],
    ['more memory than there is', 'const all = []; for (;;) all.push(new ArrayBuffer(2 ** 24))', MEMORY],
    ['the end of the process', 'process.exit(0)', /ReferenceError/],
    ['the end of an engine', 'std.exit(1)', /ReferenceError/],

    // What it shares
    ['a custom JSON', `globalThis.JSON = { stringify: ${forger} }; return record`, FIXED],
    [
        'a custom iterator',
        `Array.prototype[Symbol.iterator] = function* () { yield ${FORGED_CODE} }; return record`,
        FIXED,
    ],
    [
        'a setter for all lists',
        'Object.defineProperty(Array.prototype, 0, { set() { throw 1 } }); return record',
        FIXED,
    ],
    [
        'a setter for all objects',
        'Object.defineProperty(Object.prototype, "id", { set() { throw 1 } }); return record',
        FIXED,
    ],
    [
        'custom versions of everything',
        `const all = { JSON: ['stringify', 'parse'], Object: ['keys', 'getPrototypeOf', 'freeze'], Array: ['isArray'], Reflect: ['apply', 'ownKeys'], Number: ['isFinite'], Math: ['random'], Date: ['now'] };
        for (const [name, methods] of Object.entries(all)) for (const method of methods) { try { globalThis[name][method] = ${forger} } catch {} try { globalThis[name] = {} } catch {} }
        for (const { prototype } of [Array, Map, Promise, String, RegExp, Function, Error, Number]) for (const key of Reflect.ownKeys(prototype)) { try { Object.defineProperty(prototype, key, { value: ${forger} }) } catch {} try { prototype[key] = ${forger} } catch {} }
        return record`,
        PLAIN,
    ],
    [
        'what it was given, deleted',
        'for (const key of Object.keys(record)) delete record[key]; return { id: "B" }',
        { id: 'B' },
    ],
    ['what it was given, of another class', 'Object.setPrototypeOf(record, Date.prototype); return record', OF_A_CLASS],
    ['what it was given, for later', 'globalThis.kept = record; return record', FIXED],
    ['work for later that changes the answer', 'Promise.resolve().then(() => { record.n = 9 }); return record', PLAIN],
    ['work for later that never ends', 'Promise.resolve().then(() => { for (;;); }); return record', PLAIN],
];

/** Promises with unexpected behaviour; in a list they are not records. */
export const FORGED_PROMISES: ReadonlyArray<ForgedCase<JsonObject>> = [
    ['a promise', 'return (async () => { await null; return record })()', PLAIN],
    ['a promise of forged lines', `return Promise.resolve(${FORGED_CODE})`, /it (is|answered) "\{/],
    [
        'a promise with custom methods',
        `const promise = Promise.resolve(record); Object.defineProperty(promise, 'constructor', { value: { [Symbol.species]: class { constructor(go) { go(() => 1, () => 1) } } } }); Object.defineProperty(promise, 'then', { value: ${forger} }); return promise`,
        PLAIN,
    ],
    [
        'a promise of a custom class',
        `class Own extends Promise { then() { return ${FORGED_CODE} } } return Own.resolve(record)`,
        PLAIN,
    ],
    [
        'a promise of what settles it twice',
        'return (async () => ({ then(resolve, reject) { resolve({ id: "B" }); resolve({ id: "forged" }); reject(1) } }))()',
        { id: 'B' },
    ],
    ['a promise that is never settled', 'return (async () => ({ then() {} }))()', /never settled/],
    ['a fake promise', 'return Object.create(Promise.prototype)', /TypeError/],
    ['a promise of what does not end', 'return (async () => { await null; for (;;); })()', LATE_RESULT],
    ['a proxy of a promise', 'return new Proxy(Promise.resolve(record), {})', /TypeError/],
    [
        'a proxy with prototypes without an end',
        'const next = () => new Proxy({}, { getPrototypeOf: next }); return next()',
        LATE_RESULT,
    ],
];
