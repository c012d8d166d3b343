'use strict';

const { newQuickJSWASMModuleFromVariant, newVariant } = require('quickjs-emscripten-core');
const { default: variant } = require('@jitl/quickjs-wasmfile-release-sync');
const { randomBytes } = require('node:crypto');
const { performance } = require('node:perf_hooks');
const { guest } = require('./guest.cjs');
const { answers } = require('./guest-answers.cjs');
const { world } = require('./guest-world.cjs');

const PAGE = 65_536;
/** What the engine itself asks for, and the cap of all that a script can use: 128 MiB. */
const PAGES = { initial: 256, maximum: 2048 };
/** More overflows into Node's own stack. */
const MAX_STACK_BYTES = 256 * 1024;
/** An engine that has grown over this is not kept. */
const KEPT_BYTES = 48 * 1024 * 1024;
/** What is no script's own work: reading what it is given, handing out what it answered. */
const OWN_WORK_MS = 20_000;
const JOBS_AT_ONCE = 1000;

/** A call did not end in its time. */
class TooLate extends Error {}
/** The engine broke off for want of memory, or for a fault of its own. */
class Spoiled extends Error {}

/**
 * QuickJS in a WebAssembly memory of its own, which is all that a script can touch. Its memory as it was before the first script is
 * kept as an image: putting it back takes away whatever a script has left behind, and costs a copy.
 */
class Realm {
    static async create() {
        const memory = new globalThis.WebAssembly.Memory(PAGES);
        const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
        return new Realm(memory, engine);
    }

    constructor(memory, engine) {
        this.memory = memory;
        this.deadline = Infinity;
        this.isBroken = false;
        /** Whether the last call of the last `run` has been taken back, to come again first. */
        this.hasTakenBack = false;
        this.runtime = engine.newRuntime();
        this.runtime.setMaxStackSize(MAX_STACK_BYTES);
        this.runtime.setInterruptHandler(() => performance.now() > this.deadline);
        this.vm = this.runtime.newContext();
        const opened = this.vm.unwrapResult(this.vm.evalCode(`(${guest})((${answers})(), ${world})`, 'guest.js', {}));
        const [compile, load, run, resume, take] = [0, 1, 2, 3, 4].map(place => this.vm.getProp(opened, place));
        this.guest = { compile, load, run, resume, take };
        opened.dispose();
        this.image = imageOf(new Uint8Array(memory.buffer));
    }

    get isSwollen() {
        return this.memory.buffer.byteLength > KEPT_BYTES;
    }

    /** False when it is better thrown away. */
    restore() {
        if (this.isSwollen || this.isBroken) return false;
        const bytes = new Uint8Array(this.memory.buffer);
        bytes.set(this.image);
        bytes.fill(0, this.image.length);
        return true;
    }

    /** Why the script does not compile; an empty text when it does. */
    compile(orderText) {
        const problem = this.bodyProblem(JSON.parse(orderText));
        if (problem !== undefined) return `!${JSON.stringify(problem)}`;
        const seeds = randomBytes(8);
        return this.textOf(this.guest.compile, orderText, seeds.readInt32BE(0), seeds.readInt32BE(4));
    }

    /**
     * What the engine has against code as the body of one function, without running it: it makes functions from one text, so code could close
     * its function and go on behind it. Then a name that is declared in front of the code could be declared behind it again.
     */
    bodyProblem({ parameters, code, isAsync }) {
        const [name, other] = [1, 2].map(() => `n${randomBytes(16).toString('hex')}`);
        const parse = (front, behind) =>
            this.syntaxError(
                `(${isAsync ? 'async ' : ''}function (${parameters}\n) {\n"use strict";${front}${code}\n${behind}})`,
            );
        const error = parse('', '');
        if (error) {
            // Two lines stand before the code.
            const line = Number.isInteger(error.lineNumber) ? Math.max(1, error.lineNumber - 2) : undefined;
            return { text: `${error.name}: ${error.message}`, line };
        }
        const isOne = !parse(`let ${name};`, `;let ${other};`) && parse(`let ${name};`, `;let ${name};`);
        return isOne ? undefined : { text: 'SyntaxError: it closes the function that it is the body of' };
    }

    syntaxError(text) {
        const error = this.guard(() => {
            const { error: thrown, value } = this.vm.evalCode(text, '<input>', { compileOnly: true });
            const told = thrown && this.vm.dump(thrown);
            (thrown ?? value).dispose();
            return told;
        });
        if (error === null) throw new Spoiled('out of memory');
        return error;
    }

    load(recordsText) {
        this.call(this.guest.load, OWN_WORK_MS, [recordsText])?.dispose();
    }

    /** Calls the script for some time; answers how many calls are done. Throws TooLate and Spoiled. */
    run({ timeoutMs, budgetMs, maxChars }) {
        const started = performance.now();
        this.hasTakenBack = false;
        // A call that begins when the budget is nearly spent has all of its time as well.
        const done = this.numberOf(this.call(this.guest.run, timeoutMs + budgetMs, [budgetMs, maxChars]));
        if (done < -1) {
            this.hasTakenBack = true;
            return -2 - done;
        }
        return done < 0 ? this.settle(started + timeoutMs) : done;
    }

    /** Lets promises go on until the script has its answer. Undefined when it never will. */
    settle(deadline) {
        for (;;) {
            // First, since an interrupted async function tells of it as any other failure, which the script can catch.
            if (performance.now() > deadline) throw new TooLate();
            const done = this.numberOf(this.call(this.guest.resume, OWN_WORK_MS, []));
            if (done >= 0) return done;
            if (!this.runtime.hasPendingJob()) return undefined;
            this.within(deadline, () => this.runtime.executePendingJobs(JOBS_AT_ONCE))?.dispose?.();
        }
    }

    take() {
        return this.textOf(this.guest.take);
    }

    get hasLeftovers() {
        return this.runtime.hasPendingJob();
    }

    textOf(fn, ...values) {
        const handle = this.call(fn, OWN_WORK_MS, values);
        const text = this.guard(() => this.vm.getString(handle));
        handle.dispose();
        return text;
    }

    numberOf(handle) {
        const number = this.vm.getNumber(handle);
        handle.dispose();
        return number;
    }

    call(fn, timeoutMs, values) {
        const handles = this.guard(() =>
            values.map(value => (typeof value === 'number' ? this.vm.newNumber(value) : this.vm.newString(value))),
        );
        const result = this.within(performance.now() + timeoutMs, () =>
            this.vm.callFunction(fn, this.vm.undefined, handles),
        );
        for (const handle of handles) handle.dispose();
        return result;
    }

    within(deadline, work) {
        this.deadline = deadline;
        const result = this.guard(work);
        this.deadline = Infinity;
        if (!result.error) return result.value;
        // An error that the guest has not caught is an interrupt, or there was no memory left to catch it with.
        const isLate = performance.now() > deadline;
        result.error.dispose();
        throw isLate ? new TooLate() : new Spoiled('out of memory');
    }

    /** What is thrown here comes from the engine, not from a script; it can have left the engine's stack anywhere. */
    guard(work) {
        try {
            return work();
        } catch (fault) {
            this.isBroken = true;
            throw new Spoiled(String(fault));
        }
    }
}

/** The bytes up to the last one that is not zero. */
function imageOf(bytes) {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end--;
    return bytes.slice(0, Math.ceil(end / PAGE) * PAGE);
}

module.exports = { Realm, TooLate, Spoiled };
