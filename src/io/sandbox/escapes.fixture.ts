/**
 * Ways out of sandboxes for JavaScript that have been published, put so that each would bring its loot here. `prove` (see the suite)
 * answers ESCAPED for any object that leads to the host's process, require, module or file system.
 */
export const ESCAPES: ReadonlyArray<readonly [name: string, code: string]> = [
    // node:vm
    ['this.constructor.constructor', 'return prove(this.constructor.constructor("return this")())'],
    ["the global object's constructor", 'return prove(globalThis.constructor.constructor("return process")())'],
    ["the record's constructor", 'return prove(record.constructor.constructor("return process")())'],
    ["the context's constructor", 'return prove(context.constructor.constructor("return this")())'],
    ["the index's constructor", 'return prove(index.constructor.constructor("return this")())'],
    ["a list's constructor", 'return prove(context.data.list.constructor.constructor("return globalThis.process")())'],
    ['the Function constructor', 'return prove(Function("return this")())'],
    ['indirect eval', 'return prove((0, eval)("this"))'],
    ['eval of process', 'return prove(eval("process"))'],
    ["the async function's constructor", 'return (async () => {}).constructor("return this")().then(prove)'],
    [
        "the generator function's constructor",
        'return prove((function* () {}).constructor("yield this")().next().value)',
    ],
    [
        "the async generator function's constructor",
        'return (async function* () {}).constructor("yield this")().next().then(r => prove(r.value))',
    ],
    [
        "the caller's caller",
        'function f() { return f.caller.caller.constructor("return process")() } return prove(f())',
    ],
    ['arguments.callee.caller', 'return prove(arguments.callee.caller.constructor("return process")())'],
    ['sloppy this', 'return prove(Function("return (function () { return this })()")())'],
    [
        'a getter on the global object',
        'return prove(Object.getOwnPropertyDescriptor(globalThis, "console").value.log.constructor("return process")())',
    ],

    // import, require and what bundlers leave
    ['import()', 'return import("fs").then(prove)'],
    ['import() and its error', 'return import("fs").catch(e => prove(e.constructor.constructor("return process")()))'],
    [
        'import() of node: and its promise',
        'const p = import("node:child_process"); return p.catch(() => prove(p.constructor.constructor("return process")()))',
    ],
    [
        'import() in a new function',
        'return Function("return import(\'fs\')")().then(prove, e => prove(e.constructor.constructor("return process")()))',
    ],
    ['import.meta', 'return prove(eval("import.meta"))'],
    ['import() of a data address', 'return import("data:text/javascript,export default process").then(prove)'],
    [
        "import() of QuickJS's own modules",
        'return Promise.allSettled([import("std"), import("os"), import("qjs:std"), import("bjson")]).then(all => all.map(r => r.value && prove(r.value)).join())',
    ],
    ['require', 'return prove({ require, process: require("process") })'],
    ['module', 'return prove(module.constructor)'],
    ['module.constructor._load', 'return prove(module.constructor._load("child_process"))'],
    ['process.mainModule', 'return prove(process.mainModule.require("fs"))'],
    ['process.binding', 'return prove(process.binding("spawn_sync"))'],
    ['process.getBuiltinModule', 'return prove(process.getBuiltinModule("fs"))'],
    ['__non_webpack_require__', 'return prove(__non_webpack_require__("fs"))'],
    [
        'global names of Node',
        'return [typeof process, typeof require, typeof module, typeof global, typeof Buffer, typeof setTimeout, typeof setImmediate, typeof fetch, ' +
            'typeof structuredClone, typeof queueMicrotask, typeof WebAssembly, typeof performance, typeof __dirname, typeof Deno, typeof Bun]' +
            '.every(type => type === "undefined") ? "nothing" : "ESCAPED"',
    ],

    // vm2 (CVE-2019-10761, -2021-23449, -2021-23555, -2022-36067, -2023-29017, -2023-29199, -2023-30547, -2023-32314, -2023-37466, -2023-37903)
    [
        'a stack overflow in the host',
        'function f() { try { f() } catch (e) { return e } } const e = f(); return prove(e.constructor.constructor("return process")())',
    ],
    [
        'a stack overflow of spread arguments',
        'try { Math.max(...new Array(1e6)) } catch (e) { return prove(e.constructor.constructor("return process")()) } return "nothing"',
    ],
    [
        'Error.prepareStackTrace and getThis',
        'Error.prepareStackTrace = (e, frames) => frames; const frames = new Error().stack; ' +
            'return prove(frames[0].getThis().constructor.constructor("return process")())',
    ],
    [
        'Error.prepareStackTrace defined',
        'Object.defineProperty(Error, "prepareStackTrace", { value: (e, frames) => frames }); ' +
            'return new Error().stack.map(f => prove(f.getFunction().constructor("return process")())).join()',
    ],
    [
        'a custom Error with prepareStackTrace',
        'globalThis.Error = class { static prepareStackTrace(e, frames) { return prove(frames[0].getThis()) } }; null.x',
    ],
    [
        'prepareStackTrace of an async error',
        'globalThis.OldError = Error; globalThis.Error = {}; Error.prepareStackTrace = (_, s) => s; ' +
            'return (async () => eval("1 = 1"))().catch(e => prove(e.stack[0].getThis()))',
    ],
    [
        'Error.captureStackTrace',
        'const o = {}; Error.captureStackTrace(o); return prove(o.stack.constructor.constructor("return process")())',
    ],
    [
        'Error.stackTraceLimit',
        'Error.stackTraceLimit = { valueOf() { return 1 } }; return prove(new Error().stack.constructor.constructor("return this")())',
    ],
    [
        'an error with a symbol for its name',
        'const e = new Error(); e.name = Symbol(); return (async () => e.stack)().catch(x => prove(x.constructor.constructor("return process")()))',
    ],
    [
        "a promise's species",
        'const p = (async () => {})(); p.constructor = { [Symbol.species]: class { constructor(run) { run(() => {}, e => { throw prove(e.constructor.constructor("return process")()) }) } } }; ' +
            'return p.then()',
    ],
    [
        'Promise.prototype.then replaced',
        'Promise.prototype.then = function (a, b) { return prove(a.constructor("return process")()) }; return (async () => 1)()',
    ],
    [
        "a thenable's callbacks",
        'return (async () => ({ then(resolve) { resolve(prove(resolve.constructor("return process")())) } }))()',
    ],
    ['a proxy that throws in its trap', 'return prove(new Proxy({}, { get(t, k, r) { throw r } }).x)'],
    [
        'a proxy as prototype',
        'const seen = []; const o = Object.create(new Proxy({}, { get(t, k, r) { seen.push(r, arguments) } })); o.x; return seen.map(s => prove(s.constructor.constructor("return this")())).join()',
    ],
    [
        'a proxy for an answer',
        'return new Proxy({ a: 1 }, { ownKeys(t) { try { null.x } catch (e) { t.loot = prove(e.constructor.constructor("return process")()) } return Reflect.ownKeys(t) } })',
    ],
    [
        'a proxy with getPrototypeOf',
        'return new Proxy({}, { getPrototypeOf(t) { throw prove(t.constructor.constructor("return process")()) } })',
    ],
    [
        'a getter on a thrown error',
        'throw { get message() { return prove(this.constructor.constructor("return process")()) }, get stack() { return prove((() => this).constructor("return process")()) } }',
    ],
    [
        'an error with a custom class',
        'throw new (class extends Error { get name() { return prove(this.constructor.constructor("return process")()) } })("x")',
    ],
    [
        'toJSON',
        'return { a: 1, toJSON() { return { loot: prove(this.constructor.constructor("return process")()) } } }',
    ],
    [
        'Object.prototype.toJSON',
        'Object.prototype.toJSON = function () { return { loot: prove(arguments.callee.caller) } }; return { a: 1 }',
    ],
    [
        "Array.prototype's iterator",
        'Array.prototype[Symbol.iterator] = function* () { yield prove(this.constructor.constructor("return process")()) }; return record',
    ],
    [
        "a list's species",
        'const a = [1]; a.constructor = { [Symbol.species]: function () { return new Proxy([], { defineProperty(t, k, d) { return prove(d.value.constructor.constructor("return process")()) } }) } }; return { loot: a.map(x => x) }',
    ],
    [
        'Symbol.hasInstance of Promise',
        'Object.defineProperty(Promise, Symbol.hasInstance, { value: x => prove(x) }); return record',
    ],
    [
        'Reflect.construct with a new target',
        'return prove(Reflect.construct(Function, ["return process"], class extends Function {})())',
    ],
    [
        '__lookupGetter__',
        'return prove(({}).__lookupGetter__("__proto__").call(record).constructor.constructor("return process")())',
    ],
    [
        '__defineGetter__ on the global object',
        'globalThis.__defineGetter__("records", () => prove(this)); return record',
    ],
    ['__proto__ of the record', 'record.__proto__.polluted = "ESCAPED"; return { loot: ({}).polluted ?? "nothing" }'],
    [
        'constructor.prototype',
        'record.constructor.prototype.polluted = "ESCAPED"; return { loot: ({}).polluted ?? "nothing" }',
    ],
    [
        'host inspection by symbol',
        'return { loot: String(({ [Symbol.for("nodejs.util.inspect.custom")](d, o) { return prove(o.stylize.constructor("return process")()) } })) }',
    ],

    // n8n (CVE-2025-68613, -68668, -2026-1470 and the like): expressions and code nodes
    ['with', 'return prove(Function("with ({}) { return this }")())'],
    ["an arrow's this", 'return prove((() => this?.process)())'],
    ['a tagged template', 'return prove(Function`return process```)'],
    ['concatenated names', 'const c = "const" + "ructor"; return prove(record[c][c]("return pro" + "cess")())'],
    ['unicode escapes', 'return prove(record["\\u0063onstructor"]["\\x63onstructor"]("return this")())'],
    [
        'a shadowed constructor',
        'const constructor = "x"; return prove(({}).constructor.constructor("return process.mainModule")())',
    ],
    ['a computed getter of console', 'return prove(console.log.constructor("return process")())'],
    ["console.log's prototype", 'return prove(Object.getPrototypeOf(console.log).constructor("return this")())'],
    ['console._stdout', 'return prove(console._stdout.constructor.constructor("return process")())'],

    // Memory that is shared, other engines, other ways
    [
        'SharedArrayBuffer and Atomics',
        'const b = new SharedArrayBuffer(8); return typeof Atomics === "undefined" ? "nothing" : prove(Atomics.wait(new Int32Array(b), 0, 0, 1e9))',
    ],
    [
        'WebAssembly',
        'return prove(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).constructor.constructor("return process")())',
    ],
    [
        'a view beyond its buffer',
        'const v = new DataView(new ArrayBuffer(8)); try { v.getUint8(2 ** 31) } catch (e) { return prove(e.constructor.constructor("return process")()) }',
    ],
    [
        'a buffer that shrinks under a view',
        'const b = new ArrayBuffer(64, { maxByteLength: 64 }); const v = new Uint8Array(b); b.resize?.(0); v[60] = 1; return { loot: String(v[60] ?? "nothing") }',
    ],
    [
        'a list that shrinks while it is sorted',
        'const a = Array.from({ length: 1000 }, (_, i) => ({ i })); a.sort(() => { a.length = 0; return 1 }); return { loot: a.map(prove).join() }',
    ],
    ['a finaliser', 'new FinalizationRegistry(held => { throw prove(held) }).register({}, globalThis); return record'],
    ['a weak reference', 'return prove(new WeakRef(globalThis).deref())'],
    [
        'the environment by every name',
        'return ["env", "ENV", "environ", "process", "global", "root", "self", "window", "top", "parent", "frames", "std", "os", "scriptArgs", "print", "load", "loadScript", "read", "gc", "$262"]' +
            '.map(name => prove(globalThis[name])).join()',
    ],
    ['all that the global object has', 'return Reflect.ownKeys(globalThis).map(key => prove(globalThis[key])).join()'],
    [
        'everything within reach',
        'const seen = new Set(), found = [globalThis, record, context, console, prove]; while (found.length > 0) { const o = found.pop(); if (o === null || !/object|function/.test(typeof o) || seen.has(o)) continue; seen.add(o); ' +
            'if (prove(o) === "ESCAPED") return "ESCAPED"; found.push(Object.getPrototypeOf(o)); for (const k of Reflect.ownKeys(o)) { const d = Object.getOwnPropertyDescriptor(o, k); found.push(d.value, d.get, d.set) } } return { seen: String(seen.size > 300) }',
    ],
];
