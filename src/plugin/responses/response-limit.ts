import type { JsonValue } from '../../core/value/json';
import { sizeOfValue } from '../../core/data/weight';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { type QuotaReservation, MemoryQuota } from '../../core/concurrency/memory-quota';

/** The most characters of Flow's part of one response. A definition has at most a megabyte, a record within the default limits several. */
export const MAX_RESPONSE_CHARS = 8 * 1024 * 1024;
/** The most fields of Flow's types in one response, counted each time they occur. A page of a thousand rows has some ten thousand. */
export const MAX_RESPONSE_FIELDS = 50_000;
/** The most characters of all responses of a process, each counted from the time its value is in memory until the response has been written. */
export const MAX_TOTAL_CHARS = 3 * MAX_RESPONSE_CHARS;
/** This much of each response is not counted there, so that small responses are not blocked by large ones. */
const FREE = 256 * 1024;
const WAIT_MS = 1_000;

/** An addition to a response: its characters and its number of fields. */
export interface ResponseSize {
    readonly chars: number;
    readonly fields?: number;
}

/**
 * The size of one response, in characters as `sizeOfValue` counts them. Room is reserved before memory is used. Once the limit is exceeded, nothing more is
 * reserved and the whole response is rejected.
 */
export class ResponseLimit {
    /** Why the response is rejected. */
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

    /** `where` names the field. Throws ANSWER_TOO_LARGE and ANSWER_BUSY, and then the same error for every later call. */
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

    /** Whether a part of it counts towards the limit of the process, so that other responses wait for it. */
    get isShared(): boolean {
        return this.shared > 0 && !this.fault;
    }

    /** Throws the error that `take` has thrown before. */
    assertGood(): void {
        if (this.fault) throw this.fault;
    }

    /** The size of a value, computed once however often the value occurs. Counting stops at the limit. */
    weightOf(value: JsonValue): number {
        if (typeof value !== 'object' || value === null) return sizeOfValue(value);
        const known = this.weights.get(value);
        if (known !== undefined) return known;
        const weight = sizeOfValue(value, MAX_RESPONSE_CHARS);
        this.weights.set(value, weight);
        return weight;
    }

    /**
     * Reads a value whose number of characters is known. Only one value is read at a time, and room is reserved while it is read. The caller must reserve the
     * room for it again when it adds the value to the response. Throws the errors of `take` before the value is read.
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

    /** Called when the response has been written or its connection was closed. */
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
        // No part of the response will be sent.
        this.release();
        throw issue;
    }
}

/** Memory belongs to the process, even if it runs several servers. */
const together = new MemoryQuota(MAX_TOTAL_CHARS);
const bounds = new WeakMap<object, ResponseLimit>();

/** The parts of a response that are used. */
export interface ResponseUse {
    once(event: 'close', listener: () => void): unknown;
}

/** Limits the response to a request until it is closed. */
export function limitResponse(request: object, response: ResponseUse): ResponseLimit {
    const known = bounds.get(request);
    if (known) return known;
    const bound = new ResponseLimit(together);
    bounds.set(request, bound);
    response.once('close', () => bound.release());
    return bound;
}

/** The limit of the response to a request. A call without a request gets its own limit. */
export function responseLimitOf(request: object | undefined): ResponseLimit {
    return (request && bounds.get(request)) ?? new ResponseLimit();
}
