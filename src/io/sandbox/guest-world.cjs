'use strict';

/**
 * Runs inside QuickJS, never in Node: `realm.cjs` hands its text over. Makes the world that scripts share one that keeps nothing: what
 * one record or batch does must not be found by the next. Answers how its random numbers are begun anew.
 */
function world() {
    'use strict';
    const { apply, ownKeys } = Reflect;
    const { defineProperty, freeze, getOwnPropertyDescriptor: describe, getPrototypeOf } = Object;

    // What it is called with comes at any time, also while another record is worked on.
    delete globalThis.FinalizationRegistry;
    const begin = addRandom();
    makeSettable();
    freezeAll();
    return begin;

    /** The engine's own begins where the engine's image was taken, so it says the same to every script: sfc32, begun by the host. */
    function addRandom() {
        let [a, b, c, count] = [1, 2, 3, 4];
        const next = () => {
            const sum = (a + b + count) | 0;
            count = (count + 1) | 0;
            a = b ^ (b >>> 9);
            b = (c + (c << 3)) | 0;
            c = (((c << 21) | (c >>> 11)) + sum) | 0;
            return sum >>> 0;
        };
        const { random } = {
            random() {
                return ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
            },
        };
        defineProperty(Math, 'random', { value: random });
        return (one, other) => {
            [a, b, c, count] = [one | 0, other | 0, 0, 1];
            for (let round = 0; round < 15; round++) next();
        };
    }

    /** A frozen property could not be set on what inherits from it either: `record.constructor = 'ACME'` or `error.name = 'Mine'`. */
    function makeSettable() {
        const holders = new Set([Object.prototype, Function.prototype]);
        for (const key of ownKeys(globalThis)) {
            const { prototype } = typeof globalThis[key] === 'function' ? globalThis[key] : {};
            if (prototype instanceof Error || prototype === Error.prototype) holders.add(prototype);
        }
        for (const holder of holders) for (const key of ownKeys(holder)) makeOneSettable(holder, key);
    }

    function makeOneSettable(holder, key) {
        const { value, get, configurable } = describe(holder, key);
        if (get || !configurable || key === '__proto__') return;
        defineProperty(holder, key, {
            get: () => value,
            set(own) {
                if (this === holder)
                    throw new TypeError(`${String(key)} is read-only: scripts cannot change what they share`);
                defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
            },
        });
    }

    function freezeAll() {
        const seen = new Set();
        const found = [globalThis, ...hidden()];
        while (found.length > 0) {
            const object = found.pop();
            if (object === null || (typeof object !== 'object' && typeof object !== 'function') || seen.has(object))
                continue;
            seen.add(object);
            found.push(getPrototypeOf(object));
            for (const key of ownKeys(object)) {
                const { value, get, set } = describe(object, key);
                found.push(value, get, set);
            }
        }
        for (const object of seen) freeze(object);
    }

    /** What syntax and results alone lead to. */
    function hidden() {
        const functions = [function* () {}, async function () {}, async function* () {}];
        return [
            ...functions,
            ...functions.map(({ prototype }) => prototype),
            ...[[].values(), ''[Symbol.iterator](), new Map().keys(), new Set().keys(), 'a'.matchAll(/a/g)],
            ...helpers(),
            apply(
                function () {
                    'use strict';
                    return arguments;
                },
                undefined,
                [],
            ),
        ];
    }

    /** Helpers of iterators have prototypes of their own, which no global name leads to. */
    function helpers() {
        const own = { next: () => ({ done: true }) };
        const list = [];
        return [Iterator.from(own), list.values().map(own.next), list.values().take(0), Iterator.concat(list)];
    }
}

module.exports = { world };
