import type { JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { SCRIPT_GLOBALS } from '../../core/schema/script-scope';
import { Sandbox } from './sandbox';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const signal = new AbortController().signal;
afterAll(() => sandbox.rest());

async function each(code: string, count: number, timeoutMs = 60_000): Promise<readonly unknown[]> {
    const records = Array.from({ length: count }, (_, n): JsonObject => ({ n }));
    const indexes = records.map((_, index) => index);
    const { results } = await sandbox.each({ code, records, indexes, context: { data: {} }, timeoutMs, signal });
    return results.map(result => (isFlowError(result) ? `${result.code}: ${result.message}` : result));
}

/**
 * `shared()`: whatever can be reached from the results of each kind of syntax and of built-in functions, by its path; of that only what is
 * the same object when all of it is made once more, so that nothing is left out for looking new.
 */
const WALK = `
const made = () => {
    const list = [1], own = { next: () => ({ done: true }) };
    const generator = function* () { yield 1 }, later = async function () {}, stream = async function* () { yield 1 };
    let resolve, reject;
    const promise = new Promise((...both) => { [resolve, reject] = both });
    return {
        globalThis, console, context, object: {}, list, text: Object('a'), number: Object(1), boolean: Object(true), bigint: Object(1n), symbol: Object(Symbol()),
        function: function () {}, arrow: () => 1, method: { m() {} }.m, getter: Object.getOwnPropertyDescriptor({ get g() { return 1 } }, 'g').get,
        class: class {}, derived: class extends Array {}, fields: new (class { #own = 1; field = 2 })(), bound: (() => 1).bind(), made: Function('return 1'),
        generator, generated: generator(), yielded: generator().next(), later, promised: later(), stream, streamed: stream(), streamNext: stream().next(),
        async: async () => 1, pattern: /a/dg, match: /(?<a>a)/d.exec('a'), matches: 'a'.matchAll(/a/g), template: (parts => parts)\`a\`,
        values: list.values(), characters: ''[Symbol.iterator](), map: new Map(), mapped: new Map().entries(), set: new Set(), setted: new Set().values(),
        weakMap: new WeakMap(), weakSet: new WeakSet(), weak: new WeakRef({}), from: Iterator.from(own),
        helpers: ['map', 'filter', 'flatMap'].map(name => list.values()[name](() => [])), taken: list.values().take(1), dropped: list.values().drop(1),
        others: Object.getOwnPropertyNames(Iterator).filter(name => typeof Iterator[name] === 'function').map(name => { try { return Iterator[name]([]) } catch {} }),
        date: new Date(0), error: new Error('a'), errors: [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, InternalError].map(of => new of()),
        many: new AggregateError([]), thrown: (() => { try { null.x } catch (error) { return error } })(),
        bytes: new ArrayBuffer(8), shared: typeof SharedArrayBuffer === 'function' && new SharedArrayBuffer(8), view: new DataView(new ArrayBuffer(8)),
        typed: Object.getOwnPropertyNames(globalThis).filter(name => /Array$/.test(name) && name !== 'Array').map(name => new globalThis[name](1)),
        typedValues: new Uint8Array(1).values(), promise, resolve, reject, settled: Promise.allSettled([]), withResolvers: Promise.withResolvers?.(),
        proxy: new Proxy({}, {}), proxied: new Proxy(function () {}, {}), revocable: Proxy.revocable({}, {}), grouped: Object.groupBy?.([1], () => 'a'),
        strict: (function () { return arguments })(1), sloppy: Function('return arguments')(1), thrower: Object.getOwnPropertyDescriptor((function () { return arguments })(), 'callee'),
        intl: typeof Intl === 'object' && Intl, segments: typeof Intl === 'object' && new Intl.Segmenter().segment('a'), namespace: Math, json: JSON.parse('[{}]'),
        descriptor: Object.getOwnPropertyDescriptor(globalThis, 'JSON'), anonymous: typeof anonymous === 'undefined' ? null : anonymous, newTarget: new (function () { return { target: new.target } })(),
    };
};
const reached = () => {
    const found = Object.entries(made()), paths = new Map();
    while (found.length > 0) {
        const [path, value] = found.pop();
        if (value === null || (typeof value !== 'object' && typeof value !== 'function') || paths.has(value)) continue;
        paths.set(value, path);
        found.push([path + '.[[Prototype]]', Object.getPrototypeOf(value)]);
        for (const key of Reflect.ownKeys(value)) {
            const { value: held, get, set } = Object.getOwnPropertyDescriptor(value, key);
            found.push([path + '.' + String(key), held], [path + '.get ' + String(key), get], [path + '.set ' + String(key), set]);
        }
    }
    return paths;
};
const shared = () => { const again = reached(); return [...reached()].filter(([value]) => again.has(value)) };
`;

describe('what scripts share', () => {
    it('has the documented global names, and no other', async () => {
        const [found] = await each('return { names: Object.getOwnPropertyNames(globalThis) };', 1);
        expect((found as { readonly names: readonly string[] }).names.toSorted()).toEqual(SCRIPT_GLOBALS.toSorted());
    });

    it('is frozen, wherever syntax or a built-in function leads', async () => {
        const code = `${WALK}
            const open = shared().filter(([value]) => {
                if (Object.isExtensible(value)) return true;
                return Reflect.ownKeys(value).some(key => { const { configurable, writable } = Object.getOwnPropertyDescriptor(value, key); return configurable || writable });
            });
            return { open: open.map(([, path]) => path), count: shared().length };`;
        const [told] = (await each(code, 1)) as [{ readonly open: readonly string[]; readonly count: number }];
        expect(told.open).toEqual([]);
        expect(told.count).toBeGreaterThan(600);
    });

    it('is nothing that keeps something in itself: no map, date, promise, view, generator or the like', async () => {
        const code = `${WALK}
            const getter = (of, key) => Object.getOwnPropertyDescriptor(of, key).get;
            const typed = Object.getPrototypeOf(Uint8Array.prototype);
            const brands = {
                Map: value => Map.prototype.has.call(value), Set: value => Set.prototype.has.call(value), Date: value => Date.prototype.getTime.call(value),
                WeakMap: value => WeakMap.prototype.has.call(value, {}), WeakSet: value => WeakSet.prototype.has.call(value, {}), WeakRef: value => WeakRef.prototype.deref.call(value),
                ArrayBuffer: value => getter(ArrayBuffer.prototype, 'byteLength').call(value), DataView: value => DataView.prototype.getInt8.call(value, 0),
                typed: value => getter(typed, Symbol.toStringTag).call(value).length, Promise: value => Promise.prototype.then.call(value),
                generator: value => (function* () {})().next.call(value), list: value => [].values().next.call(value), map: value => new Map().values().next.call(value),
                helper: value => [].values().map(() => 1).next.call(value), wrapper: value => Iterator.from({ next() {} }).next.call(value),
            };
            const kept = shared().flatMap(([value, path]) => Object.entries(brands).flatMap(([brand, look]) => { try { look(value); return [path + ' is a ' + brand] } catch { return [] } }));
            return { kept };`;
        expect(await each(code, 1)).toEqual([{ kept: [] }]);
    });

    it('keeps nothing in its setters', async () => {
        const code = `${WALK}
            const mark = { marked: true }, pairs = [];
            for (const [holder] of shared()) for (const key of Reflect.ownKeys(holder)) {
                const { get, set } = Object.getOwnPropertyDescriptor(holder, key);
                if (set) pairs.push({ holder, key, get, set });
            }
            for (const { holder, set } of pairs) for (const self of [holder, undefined, null, globalThis, 1, class {}, mark]) { try { set.call(self, mark) } catch {} }
            const kept = pairs.filter(({ holder, get, set }) => { try { return get?.call(holder) === mark || Object.getPrototypeOf(holder) === mark || set.kept } catch { return false } });
            return { kept: kept.map(({ key }) => String(key)), isSome: pairs.length > 10 };`;
        expect(await each(code, 1)).toEqual([{ kept: [], isSome: true }]);
    });

    it('is the same for the next record, whatever one does to all of it', async () => {
        const code = `${WALK}
            const digest = () => { let sum = 0; for (const [value, path] of shared()) for (const c of path + Reflect.ownKeys(value).map(String)) sum = (sum * 31 + c.charCodeAt(0)) | 0; return sum };
            const before = digest();
            for (const [value] of shared()) for (const way of [
                () => { value.kept = 1 }, () => Object.defineProperty(value, 'kept', { value: 1 }), () => Reflect.set(value, 0, 1), () => Object.setPrototypeOf(value, { kept: 1 }),
                () => value.push('kept'), () => value.add({}), () => Object.assign(value, { kept: 1 }), () => value.__defineGetter__('kept', () => 1), () => { value.prototype = {} },
                ...Reflect.ownKeys(value).map(key => () => { delete value[key] }),
            ]) { try { way() } catch {} }
            return { isSame: digest() === before, before };`;
        const told = (await each(code, 3)) as ReadonlyArray<{ readonly before: number }>;
        expect(told).toEqual(told.map(() => ({ isSame: true, before: told[0]!.before })));
    });

    it.each([
        [
            'a name of evaluated code',
            '(0, eval)("let kept = 1; const kept2 = 1; class kept3 {}")',
            'typeof kept + typeof kept2 + typeof kept3',
        ],
        [
            'a variable of evaluated code',
            '(0, eval)("var kept = 1; function kept2() {}")',
            'typeof kept + typeof kept2',
        ],
        ['a function without strict mode', 'Function("kept = 1; this.kept2 = 1")()', 'typeof kept + typeof kept2'],
        ['the last match', '/(kept)/.exec("kept")', 'String(RegExp.$1) + RegExp.lastMatch + RegExp.input'],
        ['a template', '(parts => { parts.kept = 1 })`a`', '(parts => parts.kept)`a`'],
        ['a depth of error stacks', 'Error.stackTraceLimit = 3', 'Error.stackTraceLimit'],
        ['a writer of error stacks', 'Error.prepareStackTrace = () => "kept"', 'String(Error.prepareStackTrace)'],
        [
            'how full the console is',
            'for (let i = 0; i < 30; i++) console.log(i)',
            '(() => { let looks = 0; console.log({ toJSON() { looks++ } }); return looks })()',
        ],
        [
            'a callback for collected objects',
            'new FinalizationRegistry(() => 1).register({})',
            'typeof FinalizationRegistry',
        ],
        [
            'a helper of iterators',
            'Object.getPrototypeOf([].values().map(x => x)).kept = 1',
            'Object.getPrototypeOf([].values().map(x => x)).kept',
        ],
        [
            'a setter',
            'Object.getOwnPropertyDescriptor(Object.prototype, "toString").set.kept = 1',
            'Object.getOwnPropertyDescriptor(Object.prototype, "toString").set.kept',
        ],
    ])('hands nothing on: %s', async (_, keep, find) => {
        const code = `if (index === 0) try { ${keep} } catch {}\nreturn { found: String(${find}) };`;
        const [first] = await each(`return { found: String(${find}) };`, 1);
        expect((await each(code, 2))[1]).toEqual(first);
    });

    it('lets classes of errors and objects have custom names', async () => {
        const code = `class Own extends InternalError { constructor() { super('a'); this.name = 'Own'; this.message = 'b' } }
            return { text: String(new Own()), constructor: 'ACME' };`;
        expect(await each(code, 1)).toEqual([{ text: 'Own: b', constructor: 'ACME' }]);
    });
});

describe('random numbers', () => {
    const told = (results: readonly unknown[]): readonly number[] =>
        results.map(result => (result as { readonly at: number }).at);

    it('are others for each script, process and record', async () => {
        const scripts = Array.from({ length: 5 }, (_, n) => `return { at: Math.random(), n: ${n} };`);
        const all: number[] = [];
        for (const code of [...scripts, ...scripts]) all.push(...told(await each(code, 3)));
        const other = new Sandbox();
        const { results } = await other.each({
            code: scripts[0]!,
            records: [{}],
            indexes: [0],
            context: { data: {} },
            timeoutMs: 60_000,
            signal,
        });
        other.rest();
        expect(new Set([...all, ...told(results)]).size).toBe(31);
    });

    it('are between 0 and 1, all over', async () => {
        const code =
            'const tenths = Array(10).fill(0); for (let i = 0; i < 2000; i++) tenths[Math.floor(Math.random() * 10)]++; return { tenths };';
        const [{ tenths }] = (await each(code, 1)) as [{ readonly tenths: readonly number[] }];
        expect(tenths.length).toBe(10);
        expect(Math.min(...tenths)).toBeGreaterThan(100);
    });
});
