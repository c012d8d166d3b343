import { createHash } from 'node:crypto';
import type { JsonValue } from '../value/json';
import type { Origin } from '../data/record';

/**
 * How long something is remembered: over all runs of the pipeline, or until the run has ended. A dry run keeps to itself what it
 * remembers in either, and finds what runs before it have left.
 */
export type StateScope = 'pipeline' | 'run';

/** What a step wants remembered of a record once that has settled well. */
export interface StateEntry {
    readonly origin: Origin;
    readonly stepKey: string;
    readonly key: string;
    readonly value: JsonValue;
    /** Default: pipeline. A key of a step belongs to one scope. */
    readonly scope?: StateScope;
    /** Remembered even if the record fails. */
    readonly outlivesFailure?: boolean;
    /** Only reported at the end: its texts may be stored without the secrets in them. Its keys and numbers come from the step itself. */
    readonly isReported?: boolean;
}

/** The stored value. */
export type StoredStateEntry = Omit<StateEntry, 'origin' | 'outlivesFailure'>;

/**
 * What one batch wants remembered, and what of it failed on its way. If memos were kept when they are made, a record whose load fails
 * afterwards would be taken for loaded forever.
 */
export class BatchStateEntries {
    private readonly stateEntries: StateEntry[] = [];
    private readonly failed = new Set<Origin>();

    add(stateEntries: readonly StateEntry[]): void {
        for (const stateEntry of stateEntries) this.stateEntries.push(stateEntry);
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
    settled(): readonly StoredStateEntry[] {
        return this.good().map(stored);
    }

    /**
     * Where steps hold something of the batch: what its own run is to find at once, as what is remembered of held records keeps others from
     * being taken for the first of their kind; and what waits until all of the batch has settled.
     */
    held(): {
        readonly settled: readonly StoredStateEntry[];
        readonly waiting: readonly StateEntry[];
        readonly failed: Iterable<Origin>;
    } {
        const isNow = ({ scope, outlivesFailure }: StateEntry): boolean => scope === 'run' || outlivesFailure === true;
        const good = this.good();
        return {
            settled: good.filter(isNow).map(stored),
            waiting: good.filter(stateEntry => !isNow(stateEntry)),
            failed: this.failed,
        };
    }

    private good(): readonly StateEntry[] {
        return this.stateEntries.filter(
            ({ origin, outlivesFailure }) => outlivesFailure === true || !this.hasFailed(origin),
        );
    }

    private hasFailed(origin: Origin): boolean {
        return this.failed.has(origin) || (origin.parts ?? []).some(part => this.hasFailed(part));
    }
}

function stored({ stepKey, key, value, scope, isReported }: StateEntry): StoredStateEntry {
    return { stepKey, key, value, ...(scope && { scope }), ...(isReported && { isReported }) };
}

/** Each key once, with what was remembered last. */
export function newestEntries(stateEntries: readonly StoredStateEntry[]): readonly StoredStateEntry[] {
    const byKey = new Map<string, StoredStateEntry>();
    for (const stateEntry of stateEntries) byKey.set(JSON.stringify([stateEntry.stepKey, stateEntry.key]), stateEntry);
    return byKey.size === stateEntries.length ? stateEntries : [...byKey.values()];
}

/** As long as the column of a key is. */
const MAX_KEY = 255;
/** Only characters that every database stores unchanged and distinguishes. */
const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The stored key of one part of a step: the key itself if possible, otherwise its hash. */
export function stateKey(part: string, key: string): string {
    const text = `${part}:${key}`;
    return text.length <= MAX_KEY && PLAIN.test(text)
        ? text
        : `${part}#${createHash('sha256').update(JSON.stringify(key)).digest('hex')}`;
}
