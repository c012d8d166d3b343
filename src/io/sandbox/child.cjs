'use strict';

// The process that scripts run in: reads an order, runs it, writes the answer, one after another. Plain JavaScript, since it is started
// by its path, from the sources and from the package alike, where no compiler is at hand. It has no environment, no file of its
// own and no connection but the two pipes; when they close, it ends. Its argument is the process id of its parent: when that dies while a
// script runs, nobody reads the pipes.

const { readSync, writeSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { endWithParent } = require('../processes/parent-watch.cjs');
const { Realm, Spoiled, TooLate } = require('./realm.cjs');

/** How long the script is left to itself before the child looks at the clock. */
const BUDGET_MS = 10;

// A Ctrl-C or a service manager's signal goes to all processes of a group; the batches in hand shall still end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

endWithParent(Number(process.argv[2]));

/** Frames: their length in four bytes, then their text. */
function readFrame() {
    return readBytes(readBytes(4).readUInt32BE(0)).toString('utf8');
}

function readBytes(count) {
    const bytes = Buffer.allocUnsafe(count);
    for (let at = 0; at < count;) {
        const read = readSync(0, bytes, at, count - at, null);
        if (read === 0) process.exit(0);
        at += read;
    }
    return bytes;
}

function writeFrame(text) {
    const body = Buffer.from(text, 'utf8');
    const head = Buffer.allocUnsafe(4);
    head.writeUInt32BE(body.length, 0);
    for (const bytes of [head, body]) for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

/** A realm and the script that it is set up for. */
class Workplace {
    /** `lost`: nothing is known of the calls behind the last result. */
    async perform({ settings, script, records }) {
        try {
            const problem = await this.prepare(script);
            if (problem !== '') return { end: 'invalid', body: [problem] };
            this.realm.load(records);
        } catch (error) {
            this.script = undefined;
            endOf(error);
            return { end: 'lost', body: [] };
        }
        writeFrame('started');
        return this.work(settings);
    }

    async prepare(script) {
        if (this.script === script) return '';
        const isNew = this.realm === undefined || !this.realm.restore();
        if (isNew) this.realm = await Realm.create();
        this.script = undefined;
        const problem = this.realm.compile(script);
        if (problem === '') this.script = script;
        return problem;
    }

    /** Calls the script until everything is done, its slice of time is over or something has gone wrong. */
    work({ calls, timeoutMs, sliceMs, maxChars }) {
        const body = [];
        let chars = 0;
        let end = 'done';
        const until = performance.now() + sliceMs;
        const { script } = this;
        try {
            for (let done = 0; done < calls && end === 'done';) {
                let answered;
                try {
                    answered = this.realm.run({
                        timeoutMs,
                        budgetMs: this.mixed === script ? 0 : Math.min(BUDGET_MS, sliceMs, timeoutMs),
                        maxChars,
                    });
                } catch (error) {
                    end = endOf(error);
                }
                if (answered === undefined && end === 'done') end = 'pending';
                const text = this.realm.take();
                chars += text.length;
                body.push(text);
                // What was called before it in the same engine has its part in what is wanting: it comes again, first in a new one.
                if (end === 'spoiled' && (done > 0 || text[0] !== '#')) {
                    this.realm = this.script = undefined;
                    return { end: 'slice', body };
                }
                done = answered ?? done;
                // From now on call by call: a promise that is answered behind another call costs an engine put back.
                if (this.realm.hasTakenBack) this.mixed = script;
                if (this.realm.hasLeftovers) this.script = undefined;
                if (
                    done < calls &&
                    end === 'done' &&
                    (this.script === undefined || chars >= maxChars || performance.now() >= until)
                )
                    end = 'slice';
            }
        } catch (error) {
            endOf(error);
            end = 'lost';
        }
        if (this.realm.isSwollen || (end !== 'done' && end !== 'slice')) this.script = undefined;
        return { end, body };
    }
}

/** `late` or `spoiled`: the call behind the last result. Throws what is a fault of this process. */
function endOf(error) {
    if (error instanceof TooLate) return 'late';
    if (error instanceof Spoiled) return 'spoiled';
    throw error;
}

async function main() {
    const workplace = new Workplace();
    workplace.realm = await Realm.create();
    writeFrame('ready');
    for (;;) {
        const { end, body } = await workplace.perform({
            settings: JSON.parse(readFrame()),
            script: readFrame(),
            records: readFrame(),
        });
        writeFrame([end, ...body].join('\n'));
    }
}

void main();
