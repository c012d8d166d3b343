import type { RE2JS } from 're2js';
import { flowError } from '../../errors/flow-error';

/**
 * One instruction of a compiled pattern of the linear-time library. This is an internal of the library, whose version
 * is therefore pinned (docs/adr/0013-linear-time-patterns.md).
 */
interface Instruction {
    readonly op: number;
    readonly out: number;
    readonly arg: number;
    readonly runes: ArrayLike<number>;
    matchRune(code: number): boolean;
}

/** The library's names for its instructions. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const PLACE = 4;
const FAIL = 5;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE_1 = 9;
const ANY = 10;
const ANY_BUT_LINE_END = 11;
const KNOWN: ReadonlySet<number> = new Set([
    ALT,
    ALT_MATCH,
    CAPTURE,
    PLACE,
    FAIL,
    MATCH,
    NOP,
    RUNE,
    RUNE_1,
    ANY,
    ANY_BUT_LINE_END,
]);

/** Bits of an assertion. */
const LINE_START = 1;
const LINE_END = 2;
const TEXT_START = 4;
const TEXT_END = 8;
const EDGE = 16;
const NO_EDGE = 32;

/** Buffers for longer texts are released afterwards. */
const KEPT = 100_000;

/**
 * Runs a compiled pattern over a text. It tries branches in order of preference and never visits the same instruction
 * at the same character twice, so over all matches of a text together it takes time proportional to their product at
 * most. The library's own matchers do that for one match, but start again for the next.
 */
export class Walker {
    private readonly ops: Int32Array;
    private readonly outs: Int32Array;
    private readonly args: Int32Array;
    /** For each comparing instruction: which of the first 128 characters it accepts. */
    private readonly ascii: ReadonlyArray<Uint8Array | undefined>;
    private readonly start: number;
    private readonly instructions: readonly Instruction[];
    private readonly slots: Int32Array;
    private visited = new Uint32Array(64);
    /** Pending attempts: instruction, position and the progress of that branch; or a group boundary to restore. */
    private jobs = new Int32Array(192);
    /** The group boundaries of the current branch. */
    private way = new Int32Array(256);
    private text = '';

    constructor(pattern: RE2JS) {
        const { inst, start } = pattern.re2().prog as { readonly inst: readonly Instruction[]; readonly start: number };
        const unknown = inst.find(({ op }) => !KNOWN.has(op));
        if (unknown)
            throw flowError('BUG', {
                problem: `re2js has produced an instruction ${unknown.op}, which the walker does not know`,
            });
        this.instructions = inst;
        this.start = start;
        this.ops = Int32Array.from(inst, one => one.op);
        this.outs = Int32Array.from(inst, one => one.out);
        this.args = Int32Array.from(inst, one => one.arg);
        this.ascii = asciiTables(inst);
        this.slots = new Int32Array(2 * (pattern.groupCount() + 1));
    }

    get size(): number {
        return this.instructions.length;
    }

    /** Sets the text for the calls that follow. */
    take(text: string): void {
        this.text = text;
        if (this.jobs.length > KEPT) this.jobs = new Int32Array(192);
        if (this.way.length > KEPT) this.way = new Int32Array(256);
        const words = ((this.size * (text.length + 1)) >>> 5) + 1;
        if (this.visited.length < words) this.visited = new Uint32Array(words);
        else this.visited.fill(0, 0, words);
    }

    /**
     * The first match at or after a position: start and end of it and of each group, -1 if a group did not take part.
     * Valid until the next call.
     */
    next(from: number): Int32Array | undefined {
        const { text } = this;
        for (let at = from; at <= text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
            this.slots.fill(-1);
            const end = this.walk(at);
            if (end >= 0) {
                this.slots[0] = at;
                this.slots[1] = end;
                return this.slots;
            }
        }
        return undefined;
    }

    /** The end of the match that starts here, or -1. */
    private walk(from: number): number {
        const { text, ops, outs, args, visited, slots } = this;
        const columns = text.length + 1;
        let jobs = 0;
        let steps = 0;
        let pc = this.start;
        let at = from;
        while (true) {
            const bit = pc * columns + at;
            let isDead = (visited[bit >>> 5]! & (1 << (bit & 31))) !== 0;
            if (!isDead) {
                visited[bit >>> 5]! |= 1 << (bit & 31);
                if (steps === this.way.length) this.way = grown(this.way);
                this.way[steps++] = bit;
                switch (ops[pc]) {
                    case ALT:
                    case ALT_MATCH:
                        this.push(jobs, args[pc]!, at);
                        this.jobs[jobs + 2] = steps;
                        jobs += 3;
                        pc = outs[pc]!;
                        break;
                    case CAPTURE: {
                        const slot = args[pc]!;
                        this.push(jobs, -slot - 1, slots[slot]!);
                        this.jobs[jobs + 2] = steps;
                        jobs += 3;
                        slots[slot] = at;
                        pc = outs[pc]!;
                        break;
                    }
                    case PLACE:
                        isDead = (args[pc]! & ~this.placesAt(at)) !== 0;
                        pc = outs[pc]!;
                        break;
                    case NOP:
                        pc = outs[pc]!;
                        break;
                    case MATCH:
                        this.forget(steps);
                        return at;
                    case RUNE:
                    case RUNE_1:
                    case ANY:
                    case ANY_BUT_LINE_END: {
                        const code = at < text.length ? text.codePointAt(at)! : -1;
                        isDead = !this.takes(pc, code);
                        at += code > 0xffff ? 2 : 1;
                        pc = outs[pc]!;
                        break;
                    }
                    case FAIL:
                    default:
                        isDead = true;
                }
            }
            while (isDead) {
                if (jobs === 0) return -1;
                jobs -= 3;
                const job = this.jobs[jobs]!;
                steps = this.jobs[jobs + 2]!;
                if (job < 0) {
                    slots[-job - 1] = this.jobs[jobs + 1]!;
                } else {
                    pc = job;
                    at = this.jobs[jobs + 1]!;
                    isDead = false;
                }
            }
        }
    }

    /** The positions of a match have not failed, so the next match may visit them, too. */
    private forget(steps: number): void {
        for (let i = 0; i < steps; i++) {
            const bit = this.way[i]!;
            this.visited[bit >>> 5]! &= ~(1 << (bit & 31));
        }
    }

    private push(at: number, job: number, value: number): void {
        if (at === this.jobs.length) this.jobs = grown(this.jobs);
        this.jobs[at] = job;
        this.jobs[at + 1] = value;
    }

    private takes(pc: number, code: number): boolean {
        if (code < 0) return false;
        const op = this.ops[pc];
        if (op === ANY) return true;
        if (op === ANY_BUT_LINE_END) return code !== 0x0a;
        return code < 128 ? this.ascii[pc]![code] === 1 : this.instructions[pc]!.matchRune(code);
    }

    private placesAt(at: number): number {
        const { text } = this;
        const before = at === 0 ? -1 : text.charCodeAt(at - 1);
        const after = at === text.length ? -1 : text.charCodeAt(at);
        const line = before < 0 ? TEXT_START | LINE_START : before === 0x0a ? LINE_START : 0;
        const end = after < 0 ? TEXT_END | LINE_END : after === 0x0a ? LINE_END : 0;
        return line | end | (isWord(before) === isWord(after) ? NO_EDGE : EDGE);
    }
}

function isWord(code: number): boolean {
    return (
        (code >= 0x30 && code <= 0x39) ||
        (code >= 0x41 && code <= 0x5a) ||
        (code >= 0x61 && code <= 0x7a) ||
        code === 0x5f
    );
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    const twice = new Int32Array(2 * array.length);
    twice.set(array);
    return twice;
}

/** Instructions that compare with the same characters share a table. */
function asciiTables(instructions: readonly Instruction[]): ReadonlyArray<Uint8Array | undefined> {
    const known = new Map<string, Uint8Array>();
    return instructions.map(one => {
        if (one.op !== RUNE && one.op !== RUNE_1) return undefined;
        const key = `${one.runes.length === 1 ? one.arg : ''}:${Array.from(one.runes).join()}`;
        const table = known.get(key) ?? Uint8Array.from({ length: 128 }, (_, code) => (one.matchRune(code) ? 1 : 0));
        known.set(key, table);
        return table;
    });
}
