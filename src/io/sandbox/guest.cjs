'use strict';

/**
 * Runs inside QuickJS, never in Node: `realm.cjs` hands its text over. Freezes everything that scripts share, so that nothing of one
 * record or batch is left for the next, and answers what the host calls.
 */
function guest() {
    'use strict';
    const MAX_LEVELS = 32;
    const MAX_TEXT = 500;
    const MAX_LINES = 20;
    const MAX_CHARS = 16 * 1024 * 1024;
    const ALLOWED = 'allowed: JSON values (text, finite numbers, true, false, null, lists, objects)';

    /** What the script has written to its console since the host has last asked. */
    let lines = [];
    let unsaid = 0;

    addConsole();
    freezeShared();
    return open();

    /** A console of which the first lines are kept. */
    function addConsole() {
        const LEVELS = { debug: 'DEBUG', log: 'INFO', info: 'INFO', warn: 'WARN', error: 'ERROR' };
        const console = {};
        for (const method of Object.keys(LEVELS)) {
            console[method] = (...values) => {
                if (lines.length < MAX_LINES)
                    lines.push({ level: LEVELS[method], text: cut(values.map(said).join(' ')) });
                else unsaid++;
            };
        }
        Object.defineProperty(globalThis, 'console', { value: console });
    }

    function said(value) {
        if (typeof value === 'string') return value;
        if (value instanceof Error) return `${value.name}: ${value.message}`;
        try {
            return JSON.stringify(value) ?? String(value);
        } catch {
            return named(value);
        }
    }

    function cut(text) {
        return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
    }

    function freezeShared() {
        const seen = new Set();
        const found = [globalThis, ...hidden()];
        while (found.length > 0) {
            const object = found.pop();
            if (seen.has(object)) continue;
            seen.add(object);
            const parent = Object.getPrototypeOf(object);
            if (parent !== null) found.push(parent);
            for (const key of Reflect.ownKeys(object)) {
                const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
                for (const part of [value, get, set])
                    if (part !== null && (typeof part === 'object' || typeof part === 'function')) found.push(part);
            }
        }
        // A frozen property could not be set on what inherits from it either: `record.constructor = 'ACME'` or `error.name = 'Mine'`.
        const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];
        for (const { prototype } of [Object, Function, ...errors])
            for (const key of Reflect.ownKeys(prototype)) makeSettable(prototype, key);
        for (const object of seen) Object.freeze(object);
    }

    /** What syntax alone leads to. */
    function hidden() {
        const iterators = [
            [][Symbol.iterator](),
            ''[Symbol.iterator](),
            new Map().keys(),
            new Set().keys(),
            'a'.matchAll(/a/g),
        ];
        const functions = [function* () {}, async function () {}, async function* () {}];
        return [...iterators, ...functions, ...functions.map(made => made.prototype).filter(Boolean)];
    }

    function makeSettable(holder, key) {
        const { value, get, configurable } = Object.getOwnPropertyDescriptor(holder, key);
        if (get || !configurable || key === '__proto__') return;
        Object.defineProperty(holder, key, {
            get: () => value,
            set(own) {
                if (this === holder)
                    throw new TypeError(`${String(key)} is read-only: scripts cannot change what they share`);
                Object.defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
            },
        });
    }

    /**
     * A script that waits for its orders: `[compile, load, run, resume, take]`. Positions, since the host asks for them by number. What
     * they answer is JSON text or a number, so that nothing but text ever leaves.
     */
    function open() {
        let call, isBatch, isRead, context, records, indexes;
        let results = [];
        let chars = 0;
        let next = 0;
        let waiting;

        /** An empty text, or why the code does not compile. */
        function compile(text) {
            const order = JSON.parse(text);
            isBatch = order.isBatch;
            isRead = order.isRead;
            context = freezeDeep(order.context);
            const names = isBatch ? ['records', 'context'] : ['record', 'index', 'context'];
            try {
                call = new Function(...names, `"use strict";${order.code}\n`);
            } catch (error) {
                return problemOf(error);
            }
            // Its own name is known inside, so it could keep something.
            freezeDeep(call.prototype);
            Object.freeze(call);
            return '';
        }

        function load(text) {
            ({ records, indexes } = JSON.parse(text));
            next = 0;
            results = [];
            chars = 0;
            waiting = undefined;
        }

        /** Calls the script for some milliseconds. Answers how many calls are done, or -1 when the script has answered a promise. */
        function run(budgetMs, maxChars) {
            const started = Date.now();
            const count = isBatch ? 1 : records.length;
            while (next < count) {
                let answer;
                try {
                    answer = isBatch ? call(records, context) : call(records[next], indexes[next], context);
                    if (answer instanceof Promise) return wait(answer);
                } catch (error) {
                    tell(problemOf(error));
                    continue;
                }
                tell(read(answer));
                if (chars >= maxChars || Date.now() - started >= budgetMs) break;
            }
            return next;
        }

        function wait(promise) {
            waiting = { result: undefined };
            const own = waiting;
            Reflect.apply(Promise.prototype.then, promise, [
                answer => {
                    own.result = read(answer);
                },
                error => {
                    own.result = problemOf(error);
                },
            ]);
            return -1;
        }

        /** After the host has let the promises go on: how many calls are done, or -1 when the script still waits. */
        function resume() {
            if (waiting.result === undefined) return -1;
            tell(waiting.result);
            waiting = undefined;
            return next;
        }

        function tell(told) {
            const result =
                told.length > MAX_CHARS ? problem(`its answer is longer than ${MAX_CHARS} characters`) : told;
            results.push(result);
            chars += result.length;
            next++;
        }

        /** All results so far and, behind them, what the script has written to its console. */
        function take() {
            const text = [...results, `#${JSON.stringify({ lines, unsaid })}`].join('\n');
            results = [];
            lines = [];
            unsaid = 0;
            return text;
        }

        /** The answer as JSON, or what is wrong with it. */
        function read(answer) {
            try {
                if (!isRead) return 'null';
                if (!isBatch) return readRecord(answer);
                if (answer === undefined) return 'null';
                if (!Array.isArray(answer)) return problem(`it answered ${named(answer)}; allowed: a list of records`);
                return readBatch(answer);
            } catch (error) {
                return problemOf(error);
            }
        }

        function readRecord(answer) {
            if (answer === undefined || answer === null) {
                return problem(
                    `it answered ${named(answer)}; the code is the body of a function and must return the record`,
                );
            }
            if (!isPlain(answer)) return problem(`it answered ${named(answer)}; allowed: one record, as an object`);
            const fault = faultOf(answer, 1);
            return fault === undefined ? JSON.stringify(answer) : problem(fault);
        }

        /** A line with the place of each record that is one of those it was given, -1 of the others; then the records, a line each. */
        function readBatch(answer) {
            const places = new Map(records.map((record, place) => [record, place]));
            const from = [];
            for (let index = 0; index < answer.length; index++) {
                const record = answer[index];
                const fault = isPlain(record) ? faultOf(record, 1) : `it is ${named(record)}; allowed: an object`;
                if (fault !== undefined) return problem(`record ${index} of its answer: ${fault}`);
                from.push(places.get(record) ?? -1);
            }
            return [`@${JSON.stringify(from)}`, ...answer.map(record => JSON.stringify(record))].join('\n');
        }

        return [compile, load, run, resume, take];
    }

    function problem(text, line) {
        return `!${JSON.stringify({ text: cut(text), line })}`;
    }

    /** Of anything that was thrown, whatever it does when it is looked at. */
    function problemOf(error) {
        try {
            // Where the memory does not even suffice for an error, the engine throws null.
            if (error === null) return problem('it threw null, or ran out of memory');
            if (!(error instanceof Error)) return problem(`it threw ${named(error)}`);
            const { name, message, stack } = error;
            const place = /<input>:(\d+)/.exec(String(stack));
            // Two lines stand before the code, which QuickJS makes of the parameters.
            const line = place ? Math.max(1, Number(place[1]) - 2) : undefined;
            return problem(`${String(name)}: ${String(message)}`, line);
        } catch {
            return problem('it threw something that cannot be read');
        }
    }

    /** What of a value is no JSON; undefined when nothing is. */
    function faultOf(value, level) {
        switch (typeof value) {
            case 'string':
            case 'boolean':
                return undefined;
            case 'number':
                return Number.isFinite(value) ? undefined : `is ${value}; ${ALLOWED}`;
            case 'object':
                break;
            default:
                return `is ${named(value)}; ${ALLOWED}`;
        }
        if (value === null) return undefined;
        if (level > MAX_LEVELS) return `is nested deeper than ${MAX_LEVELS} levels`;
        return Array.isArray(value) ? faultOfList(value, level) : faultOfObject(value, level);
    }

    function faultOfList(list, level) {
        for (let index = 0; index < list.length; index++) {
            const fault = faultOf(list[index], level + 1);
            if (fault !== undefined) return level < 6 ? `[${index}]${joint(fault)}` : fault;
        }
        return undefined;
    }

    function faultOfObject(object, level) {
        if (!isPlain(object)) return `is ${named(object)}; ${ALLOWED}`;
        for (const key of Object.keys(object)) {
            const value = object[key];
            if (value === undefined) continue; // As JSON has it: a field without a value is no field.
            if (key === '__proto__') return 'has a field "__proto__", which is not allowed';
            const fault = faultOf(value, level + 1);
            if (fault === undefined) continue;
            return level === 1 ? `field "${key}"${joint(fault)}` : level < 6 ? `.${key}${joint(fault)}` : fault;
        }
        return undefined;
    }

    function joint(fault) {
        return fault[0] === '.' || fault[0] === '[' ? fault : ` ${fault}`;
    }

    function isPlain(value) {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
        const parent = Object.getPrototypeOf(value);
        return parent === null || parent === Object.prototype;
    }

    function named(value) {
        switch (typeof value) {
            case 'undefined':
                return 'nothing';
            case 'bigint':
                return `the bigint ${value}`;
            case 'function':
            case 'symbol':
                return `a ${typeof value}`;
            case 'object':
                if (value === null) return 'null';
                if (Array.isArray(value)) return `a list of ${value.length}`;
                return isPlain(value)
                    ? 'an object'
                    : `an object of class ${String(Object.getPrototypeOf(value).constructor.name)}`;
            default:
                return cut(JSON.stringify(value) ?? String(value));
        }
    }

    function freezeDeep(value) {
        if (typeof value !== 'object' || value === null) return value;
        for (const key of Reflect.ownKeys(value)) freezeDeep(value[key]);
        return Object.freeze(value);
    }
}

module.exports = { guest };
