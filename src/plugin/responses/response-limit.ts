import type { JsonValue } from '../../core/value/json';
import { sizeOfValue } from '../../core/data/weight';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { type QuotaReservation, MemoryQuota } from '../../core/concurrency/memory-quota';

/** What Flow's part of one answer may come to; a definition has at most a megabyte, a record of the usual limits some. */
export const MAX_RESPONSE_CHARS = 8 * 1024 * 1024;
/** Fields of Flow's types in one answer, each as often as it comes: a page of a thousand rows has some ten thousand. */
export const MAX_RESPONSE_FIELDS = 100_000;
/** What all answers of a process come to, from when a value is at hand to when the answer has been written. */
export const MAX_TOTAL_CHARS = 3 * MAX_RESPONSE_CHARS;
/** So much of each answer is not counted there, so that small ones go out whatever the large ones do. */
const FREE = 256 * 1024;
const WAIT_MS = 1_000;

/** How much there is more: characters, and how many fields. */
export interface ResponseSize {
    readonly chars: number;
    readonly fields?: number;
}

/**
 * What one answer comes to, in characters as `sizeOfValue` counts them. What it will hold is taken before memory is spent on it; once it was too
 * much, nothing more is taken and the answer is refused as a whole.
 */
export class ResponseLimit {
    /** Why the answer is refused. */
    fault: FlowError | undefined;
    private readonly quotaReservation: QuotaReservation;
    private readonly weights = new WeakMap<object, number>();
    private shared = 0;
    private chars = 0;
    private fields = 0;
    private reads: Promise<unknown> = Promise.resolve();

    constructor(together = new MemoryQuota(MAX_TOTAL_CHARS)) {
        this.quotaReservation = together.open(() => flowError('ANSWER_BUSY', { where: '', allowed: MAX_TOTAL_CHARS }));
    }

    /** `where` names the field. Throws ANSWER_TOO_LARGE and ANSWER_BUSY, from then on the same again. */
    take(where: string, { chars, fields = 0 }: ResponseSize): void {
        this.assertGood();
        if (this.chars + chars > MAX_RESPONSE_CHARS)
            this.refuse(where, { what: 'characters', allowed: MAX_RESPONSE_CHARS, came: this.chars, more: chars });
        if (this.fields + fields > MAX_RESPONSE_FIELDS)
            this.refuse(where, { what: 'fields', allowed: MAX_RESPONSE_FIELDS, came: this.fields, more: fields });
        this.chars += chars;
        this.fields += fields;
        const beyond = Math.max(0, this.chars - FREE) - this.shared;
        this.shared += beyond;
        try {
            this.quotaReservation.take(beyond);
        } catch {
            this.end(flowError('ANSWER_BUSY', { where, allowed: MAX_TOTAL_CHARS }, { waitMs: WAIT_MS }));
        }
    }

    /** Whether there is something of it that others have to wait for. */
    get isShared(): boolean {
        return this.shared > 0 && !this.fault;
    }

    /** Throws what `take` has thrown before. */
    assertGood(): void {
        if (this.fault) throw this.fault;
    }

    /** What a value weighs, which is looked at once however often it comes; of one that is too large no more than that. */
    weightOf(value: JsonValue): number {
        if (typeof value !== 'object' || value === null) return sizeOfValue(value);
        const known = this.weights.get(value);
        if (known !== undefined) return known;
        const weight = sizeOfValue(value, MAX_RESPONSE_CHARS);
        this.weights.set(value, weight);
        return weight;
    }

    /**
     * Reads something of which so many characters are known: one reading after another, and room is kept for it meanwhile. Whoever gets it
     * takes it at once where it goes into the answer. Throws as `take` does, before anything is read.
     */
    async reading<T>(where: string, chars: () => Promise<number>, read: () => Promise<T>): Promise<T> {
        const mine = this.reads.then(async () => {
            this.assertGood();
            const known = await chars();
            this.take(where, { chars: known });
            try {
                return await read();
            } finally {
                this.giveBack(known);
            }
        });
        this.reads = mine.catch(() => undefined);
        return mine;
    }

    /** The answer has been written, or nobody waits for it any more. */
    release(): void {
        this.quotaReservation.release();
    }

    private giveBack(chars: number): void {
        this.chars -= chars;
        if (this.fault) return;
        const less = this.shared - Math.max(0, this.chars - FREE);
        this.shared -= less;
        this.quotaReservation.giveBack(less);
    }

    private refuse(
        where: string,
        facts: Readonly<Record<'allowed' | 'came' | 'more', number>> & { what: string },
    ): never {
        this.end(flowError('ANSWER_TOO_LARGE', { where, ...facts }));
    }

    private end(issue: FlowError): never {
        this.fault = issue;
        // Nothing of the answer will be sent.
        this.release();
        throw issue;
    }
}

/** Memory is the process's, however many servers are in it. */
const together = new MemoryQuota(MAX_TOTAL_CHARS);
const bounds = new WeakMap<object, ResponseLimit>();

/** What is used of a response. */
export interface ResponseUse {
    once(event: 'close', listener: () => void): unknown;
}

/** Bounds the answer to a request, until its response is closed. */
export function limitResponse(request: object, response: ResponseUse): ResponseLimit {
    const known = bounds.get(request);
    if (known) return known;
    const bound = new ResponseLimit(together);
    bounds.set(request, bound);
    response.once('close', () => bound.release());
    return bound;
}

/** The bound of the answer to a request; of a call that came by none, a bound of its own. */
export function responseLimitOf(request: object | undefined): ResponseLimit {
    return (request && bounds.get(request)) ?? new ResponseLimit();
}
