'use strict';

/**
 * Runs inside QuickJS, never in Node: `realm.cjs` hands its text over. Reads what scripts answer and throw. Each part of it is looked at
 * once, whatever it does then, and copied into plain data of the guest's own; only such copies become text, by primitives that were
 * kept before any script ran.
 */
function answers() {
    'use strict';
    const MAX_LEVELS = 32;
    const MAX_TEXT = 500;
    const MAX_CHARS = 16 * 1024 * 1024;
    const MAX_LENGTH = 2 ** 32 - 1;
    const ALLOWED = 'allowed: JSON values (text, finite numbers, true, false, null, lists, objects)';
    const TOO_LONG = `its answer is longer than ${MAX_CHARS} characters`;

    const { InternalError } = globalThis;
    const { stringify } = JSON;
    const { isArray } = Array;
    const { isFinite, isInteger } = Number;
    const { keys, getPrototypeOf, prototype: ordinary } = Object;
    const [join, placeOf, matchOf] = [Array.prototype.join, Map.prototype.get, RegExp.prototype.exec].map(method =>
        Function.prototype.call.bind(method),
    );

    /** What is wrong with the answer at hand. */
    let fault;
    /** How many characters it has as JSON, at least. */
    let chars = 0;

    return { recordText, listText, problemOf, isWantOfMemory, said, cut, join };

    /** A record as a line of JSON, or what is wrong with it. */
    function recordText(answer) {
        if (answer === undefined || answer === null)
            return problem(
                `it answered ${named(answer)}; the code is the body of a function and must return the record`,
            );
        if (!isObject(answer)) return problem(`it answered ${named(answer)}; allowed: one record, as an object`);
        begin();
        const copy = copyOfFields(answer, 1);
        return fault === undefined ? bounded(stringify(copy)) : problem(fault);
    }

    /** A line with the place of each record that is one of those it was given, -1 of the others; then the records, a line each. */
    function listText(answer, places) {
        if (!isArray(answer)) return problem(`it answered ${named(answer)}; allowed: a list of records`);
        begin();
        const count = lengthOf(answer);
        if (fault !== undefined) return problem(`its answer ${fault}`);
        const from = [];
        const lines = [''];
        for (let index = 0; index < count; index++) {
            const record = answer[index];
            if (!isObject(record))
                return problem(`record ${index + 1} of its answer: it is ${named(record)}; allowed: an object`);
            const copy = copyOfFields(record, 1);
            if (fault !== undefined)
                return problem(fault === TOO_LONG ? fault : `record ${index + 1} of its answer: ${fault}`);
            from[index] = placeOf(places, record) ?? -1;
            lines[index + 1] = stringify(copy);
        }
        lines[0] = `@${stringify(from)}`;
        return bounded(join(lines, '\n'));
    }

    function begin() {
        fault = undefined;
        chars = 0;
    }

    function bounded(text) {
        return text.length > MAX_CHARS ? problem(TOO_LONG) : text;
    }

    /** Of JSON, the same value in objects and lists of the guest; of anything else nothing, and its fault. */
    function copyOf(value, level) {
        chars++;
        switch (typeof value) {
            case 'string':
                chars += value.length + 1;
                return value;
            case 'boolean':
                return value;
            case 'number':
                if (!isFinite(value)) fault = `is ${value}; ${ALLOWED}`;
                return value;
            case 'object':
                if (value === null) return null;
                break;
            default:
                fault = `is ${named(value)}; ${ALLOWED}`;
                return undefined;
        }
        if (level > MAX_LEVELS) fault = `is nested deeper than ${MAX_LEVELS} levels`;
        else if (isArray(value)) return copyOfList(value, level);
        else if (isObject(value)) return copyOfFields(value, level);
        else fault = `is ${named(value)}; ${ALLOWED}`;
        return undefined;
    }

    function copyOfList(list, level) {
        const copy = [];
        const length = lengthOf(list);
        for (let index = 0; fault === undefined && index < length; index++) {
            copy[index] = copyOf(list[index], level + 1);
            if (fault !== undefined || chars > MAX_CHARS) judge(level < 6 ? `[${index}]` : '');
        }
        return copy;
    }

    function copyOfFields(object, level) {
        const copy = { __proto__: null };
        const names = keys(object);
        for (let place = 0; fault === undefined && place < names.length; place++) {
            const key = names[place];
            const value = object[key];
            if (value === undefined) continue; // As JSON has it: a field without a value is no field.
            if (key === '__proto__') {
                fault = 'has a field "__proto__", which is not allowed';
                break;
            }
            chars += key.length + 3;
            copy[key] = copyOf(value, level + 1);
            if (fault !== undefined || chars > MAX_CHARS)
                judge(level === 1 ? `field "${key}"` : level < 6 ? `.${key}` : '');
        }
        return copy;
    }

    /** Puts the place of a fault before it. */
    function judge(place) {
        fault ??= TOO_LONG;
        if (fault === TOO_LONG || place === '') return;
        fault = fault[0] === '.' || fault[0] === '[' ? `${place}${fault}` : `${place} ${fault}`;
    }

    function lengthOf(list) {
        const { length } = list;
        if (typeof length === 'number' && isInteger(length) && length >= 0 && length <= MAX_LENGTH) return length;
        fault = `is a list whose length is ${named(length)}`;
        return 0;
    }

    function isObject(value) {
        if (typeof value !== 'object' || value === null || isArray(value)) return false;
        const parent = getPrototypeOf(value);
        return parent === null || parent === ordinary;
    }

    /** A value in a sentence. May throw what the value throws. */
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
                if (isArray(value)) return `a list of ${value.length}`;
                return isObject(value)
                    ? 'an object'
                    : `an object of class ${String(getPrototypeOf(value).constructor.name)}`;
            default:
                return cut(stringify(value) ?? String(value));
        }
    }

    /** As the console writes it. May throw what the value throws. */
    function said(value) {
        if (typeof value === 'string') return value;
        if (value instanceof Error) return `${value.name}: ${value.message}`;
        try {
            return stringify(value) ?? String(value);
        } catch {
            return named(value);
        }
    }

    function cut(text) {
        return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
    }

    function problem(text, line) {
        return `!${stringify({ text: cut(text), line })}`;
    }

    /** Of anything that was thrown, whatever it does when it is looked at; `lines`: of the code. */
    function problemOf(error, lines) {
        try {
            // Where the memory does not even suffice for an error, the engine throws null.
            if (error === null) return problem('it threw null, or ran out of memory');
            if (!(error instanceof Error)) return problem(`it threw ${named(error)}`);
            const { name, message, stack } = error;
            const place = matchOf(/<input>:(\d+)/, String(stack));
            // Two lines stand before the code, which QuickJS makes of the parameters.
            const line = place ? Number(place[1]) - 2 : Infinity;
            return problem(`${String(name)}: ${String(message)}`, line > lines ? undefined : line < 1 ? 1 : line);
        } catch {
            return problem('it threw something that cannot be read');
        }
    }

    /** Whether it may be want of memory, of which calls before have their part. */
    function isWantOfMemory(error) {
        try {
            return error === null || (error instanceof InternalError && error.message === 'out of memory');
        } catch {
            return false;
        }
    }
}

module.exports = { answers };
