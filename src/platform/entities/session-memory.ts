import type { BatchMemo, BatchMemory } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import type { JsonValue } from '../../core/value/json';
import { DeferredSlugs } from './deferred-slugs';
import { type GivenKey, KeyVariants } from './key-variants';

/** What a session remembers of the batches that it has planned. */
export class SessionMemory implements BatchMemory {
    readonly spelt: KeyVariants;
    readonly later = new DeferredSlugs();

    /** `keysIn` returns the key of each record of a batch, if it may be stored in another spelling. */
    constructor(keysIn: (batch: Batch) => ReadonlyArray<GivenKey | undefined>) {
        this.spelt = new KeyVariants(keysIn);
    }

    get isWhole(): boolean {
        return this.spelt.isWhole;
    }

    keysOf(batch: Batch): readonly string[] {
        return [...this.later.keysOf(), ...this.spelt.keysOf(batch).map(spellingKey)];
    }

    recalled(found: ReadonlyMap<string, JsonValue>): void {
        this.later.recalled(found);
        this.spelt.recalled(
            new Map(
                [...found].flatMap(([key, value]) => (key.startsWith(SPELT) ? [[key.slice(SPELT.length), value]] : [])),
            ),
        );
    }

    loaded(batch: Batch): readonly BatchMemo[] {
        const spelt = this.spelt.loaded(batch).map(stateEntry => ({ ...stateEntry, key: spellingKey(stateEntry.key) }));
        return [...this.later.loaded(batch), ...spelt];
    }
}

const SPELT = 'spelt ';

function spellingKey(stored: string): string {
    return SPELT + stored;
}
