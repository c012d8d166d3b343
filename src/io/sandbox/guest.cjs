'use strict';

/**
 * Runs inside QuickJS, never in Node: `realm.cjs` hands its text over, with what `guest-answers.cjs` answers, and with `world` of
 * `guest-world.cjs`. Answers what the host calls.
 */
function guest(answers, world) {
    'use strict';
    const { recordText, listText, problemOf, isWantOfMemory, said, cut, join } = answers;
    const MAX_LINES = 20;
    const { parse, stringify } = JSON;
    const { now } = Date;
    const { freeze } = Object;
    const { ownKeys } = Reflect;
    const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
    const then = Function.prototype.call.bind(Promise.prototype.then);

    /** What the script has written to its console since the host has last asked. */
    let lines = [];
    let unsaid = 0;

    addConsole();
    const beginRandom = world();
    return open();

    /** A console of which the first lines are kept. Every one is made, so that none can find out how many there were before. */
    function addConsole() {
        const LEVELS = { debug: 'DEBUG', log: 'INFO', info: 'INFO', warn: 'WARN', error: 'ERROR' };
        const console = {};
        for (const method of Object.keys(LEVELS)) {
            const level = LEVELS[method];
            console[method] = (...values) => {
                const words = [];
                for (let place = 0; place < values.length; place++) words[place] = said(values[place]);
                const text = cut(join(words, ' '));
                if (lines.length < MAX_LINES) lines[lines.length] = { level, text };
                else unsaid++;
            };
        }
        Object.defineProperty(globalThis, 'console', { value: console });
    }

    /**
     * A script that waits for its orders: `[compile, load, run, resume, take]`. Positions, since the host asks for them by number. What
     * they answer is JSON text or a number, so that nothing but text ever leaves.
     */
    function open() {
        let call, isBatch, isRead, context, codeLines;
        let records, indexes, places;
        let results = [];
        let chars = 0;
        let next = 0;
        let waiting;
        /** What the console had before the call at hand. */
        let before;

        /** Of code that the engine has found to be one body of a function: an empty text, or why it does not compile. */
        function compile(text, one, other) {
            const order = parse(text);
            ({ isBatch, isRead } = order);
            context = freezeDeep(order.context);
            codeLines = order.code.split('\n').length;
            beginRandom(one, other);
            try {
                call = new (order.isAsync ? AsyncFunction : Function)(
                    ...order.parameters,
                    `"use strict";${order.code}\n`,
                );
            } catch (error) {
                return problemOf(error, codeLines);
            }
            // Its own name is known inside, so it could keep something.
            freezeDeep(call.prototype);
            freeze(call);
            return '';
        }

        function load(text) {
            ({ records, indexes } = parse(text));
            places = new Map();
            // Now, since a batch may do with the list that it is given whatever it wants.
            if (isBatch) for (let place = 0; place < records.length; place++) places.set(records[place], place);
            next = 0;
            results = [];
            chars = 0;
            waiting = undefined;
        }

        /**
         * Calls the script for some milliseconds. Answers how many calls are done, or -1 when the first of them has answered a promise. Behind
         * others a call that does so is taken back, to come again, and -2 minus their number is answered: what they have left for later
         * would be done in its time.
         */
        function run(budgetMs, maxChars) {
            const started = now();
            const count = isBatch ? 1 : records.length;
            const first = next;
            while (next < count) {
                before = { lines: lines.length, unsaid };
                let told;
                try {
                    const answer = isBatch ? call(records, context) : call(records[next], indexes[next], context);
                    if (answer instanceof Promise) {
                        if (next === first) return wait(answer);
                        takeBack();
                        return -2 - next;
                    }
                    told = read(answer);
                } catch (error) {
                    told = problemUnlessSpent(error);
                }
                tell(told);
                if (chars >= maxChars || now() - started >= budgetMs) break;
            }
            return next;
        }

        function wait(promise) {
            waiting = { isSettled: false, told: undefined };
            const own = waiting;
            const settle = told => {
                own.told = told;
                own.isSettled = true;
            };
            then(
                promise,
                answer => {
                    try {
                        settle(read(answer));
                    } catch (error) {
                        settle(problemUnlessSpent(error));
                    }
                },
                error => settle(problemUnlessSpent(error)),
            );
            return -1;
        }

        /** After the host has let the promises go on: how many calls are done, or -1 when the script still waits. */
        function resume() {
            if (!waiting.isSettled) return -1;
            tell(waiting.told);
            return next;
        }

        /** Nothing where memory is wanting that calls before may hold: then the host calls again in an engine that is new. */
        function problemUnlessSpent(error) {
            return next > 0 && isWantOfMemory(error) ? undefined : problemOf(error, codeLines);
        }

        function tell(told) {
            waiting = undefined;
            if (told === undefined) {
                takeBack();
                throw new Error('out of memory');
            }
            results[results.length] = told;
            chars += told.length;
            next++;
        }

        /** What the call at hand has written to its console. */
        function takeBack() {
            lines.length = before.lines;
            unsaid = before.unsaid;
        }

        /** All results so far and, behind them, what the script has written to its console. */
        function take() {
            results[results.length] = `#${stringify({ lines, unsaid })}`;
            const text = join(results, '\n');
            results = [];
            lines = [];
            unsaid = 0;
            return text;
        }

        /** The answer as text. Throws what the answer throws. */
        function read(answer) {
            if (!isRead) return 'null';
            if (!isBatch) return recordText(answer);
            return answer === undefined ? 'null' : listText(answer, places);
        }

        return [compile, load, run, resume, take];
    }

    function freezeDeep(value) {
        if (typeof value !== 'object' || value === null) return value;
        for (const key of ownKeys(value)) freezeDeep(value[key]);
        return freeze(value);
    }
}

module.exports = { guest };
