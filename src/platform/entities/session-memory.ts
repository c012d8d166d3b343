import type { BatchMemo, BatchMemory } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import type { JsonValue } from '../../core/value/json';
import { LaterSlugs } from './later-slugs';
import { type GivenKey, SpeltKeys } from './spelt-keys';

/** What a session has to know of the batches that it has planned. */
export class SessionMemory implements BatchMemory {
    readonly spelt: SpeltKeys;
    readonly later = new LaterSlugs();

    /** `keysIn` returns the key of each record of a batch, where it has one that may be stored in another spelling. */
    constructor(keysIn: (batch: Batch) => ReadonlyArray<GivenKey | undefined>) {
        this.spelt = new SpeltKeys(keysIn);
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
        const spelt = this.spelt.loaded(batch).map(memo => ({ ...memo, key: spellingKey(memo.key) }));
        return [...this.later.loaded(batch), ...spelt];
    }
}

const SPELT = 'spelt ';

function spellingKey(stored: string): string {
    return SPELT + stored;
}
