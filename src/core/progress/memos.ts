import { createHash } from 'node:crypto';
import type { JsonValue } from '../value/json';
import type { Origin } from '../data/record';

/**
 * How long something is remembered: over all runs of the pipeline, or until the run has ended. A dry run keeps to itself what it
 * remembers in either, and finds what runs before it have left.
 */
export type MemoryScope = 'pipeline' | 'run';

/** What a step wants remembered of a record once that has settled well. */
export interface Memo {
    readonly origin: Origin;
    readonly stepKey: string;
    readonly key: string;
    readonly value: JsonValue;
    /** Default: pipeline. A key of a step belongs to one scope. */
    readonly scope?: MemoryScope;
    /** To be remembered also where the record fails. */
    readonly outlivesFailure?: boolean;
    /** Only reported at the end: its texts may be stored without the secrets in them. Its keys and numbers come from the step itself. */
    readonly isReported?: boolean;
}

/** What is stored of it. */
export type StoredMemo = Omit<Memo, 'origin' | 'outlivesFailure'>;

/**
 * What one batch wants remembered, and what of it failed on its way. If memos were kept when they are made, a record whose load fails
 * afterwards would be taken for loaded forever.
 */
export class TripMemos {
    private readonly memos: Memo[] = [];
    private readonly failed = new Set<Origin>();

    add(memos: readonly Memo[]): void {
        for (const memo of memos) this.memos.push(memo);
    }

    /** A joint origin takes those that it stands for with it. */
    fail(origins: readonly Origin[]): void {
        for (const origin of origins) {
            if (this.failed.has(origin)) continue;
            this.failed.add(origin);
            this.fail(origin.parts ?? []);
        }
    }

    /** Those of records that settled well, and those that outlive a failure. */
    settled(): readonly StoredMemo[] {
        return this.good().map(stored);
    }

    /**
     * Where steps hold something of the batch: what its own run is to find at once, as what is remembered of held records keeps others from
     * being taken for the first of their kind; and what waits until all of the batch has settled.
     */
    held(): {
        readonly settled: readonly StoredMemo[];
        readonly waiting: readonly Memo[];
        readonly failed: Iterable<Origin>;
    } {
        const isNow = ({ scope, outlivesFailure }: Memo): boolean => scope === 'run' || outlivesFailure === true;
        const good = this.good();
        return {
            settled: good.filter(isNow).map(stored),
            waiting: good.filter(memo => !isNow(memo)),
            failed: this.failed,
        };
    }

    private good(): readonly Memo[] {
        return this.memos.filter(({ origin, outlivesFailure }) => outlivesFailure === true || !this.hasFailed(origin));
    }

    private hasFailed(origin: Origin): boolean {
        return this.failed.has(origin) || (origin.parts ?? []).some(part => this.hasFailed(part));
    }
}

function stored({ stepKey, key, value, scope, isReported }: Memo): StoredMemo {
    return { stepKey, key, value, ...(scope && { scope }), ...(isReported && { isReported }) };
}

/** Each key once, with what was remembered last. */
export function newest(memos: readonly StoredMemo[]): readonly StoredMemo[] {
    const byKey = new Map<string, StoredMemo>();
    for (const memo of memos) byKey.set(JSON.stringify([memo.stepKey, memo.key]), memo);
    return byKey.size === memos.length ? memos : [...byKey.values()];
}

/** As long as the column of a key is. */
const MAX_KEY = 255;
/** Only characters that every database stores unchanged and distinguishes. */
const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The stored key of one part of a step: the key itself if possible, otherwise its hash. */
export function memoKey(part: string, key: string): string {
    const text = `${part}:${key}`;
    return text.length <= MAX_KEY && PLAIN.test(text)
        ? text
        : `${part}#${createHash('sha256').update(JSON.stringify(key)).digest('hex')}`;
}
