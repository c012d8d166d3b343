import type { BatchMemo } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import { show } from '../../core/value/show';
import type { JsonValue } from '../../core/value/json';
import { foldName } from '../../core/data/fold-name';

/** The key of a record, and the name of its entity. */
export interface GivenKey {
    readonly given: string;
    /** As it is stored. */
    readonly stored: string;
    readonly name: string | undefined;
    readonly isDelete: boolean;
}

/** A key in another spelling than it is stored in, and the name of its entity. */
type SpeltKey = readonly [given: string, name: string];

/** At most this number is remembered for a run; earlier ones are read from the database. */
const MOST_SPELT = 50_000;

/**
 * The keys of a run that its records gave in another spelling ("mehl-1,5-kg") than they are stored in ("mehl-15-kg"): a later record that gives the
 * stored one, with another name, means another entity.
 */
export class KeyVariants {
    private readonly byStored = new Map<string, SpeltKey>();
    /** Those of the current batch: its records are compared with each other elsewhere. */
    private planned: Array<readonly [stored: string, key: SpeltKey]> = [];
    /** False where some were too many. */
    isWhole = true;

    /** `keysIn` returns the key of each record of a batch, where it has one. */
    constructor(private readonly keysIn: (batch: Batch) => ReadonlyArray<GivenKey | undefined>) {}

    /** The batch that is planned loads a record with this key. */
    add(key: Omit<GivenKey, 'isDelete'>): void {
        if (key.given !== key.stored) this.planned.push([key.stored, spelt(key)]);
    }

    /** The batch is planned. */
    endBatch(): void {
        this.keep(this.planned);
        this.planned = [];
    }

    /** The unknown keys of records, as they are stored: earlier records may have another spelling. */
    keysOf(batch: Batch): readonly string[] {
        return this.keysIn(batch).flatMap(key =>
            key && key.given === key.stored && !this.byStored.has(key.stored) ? [key.stored] : [],
        );
    }

    recalled(found: ReadonlyMap<string, JsonValue>): void {
        this.keep([...found].map(([stored, key]) => [stored, key as unknown as SpeltKey]));
    }

    loaded(batch: Batch): readonly BatchMemo[] {
        const stateEntries = this.keysIn(batch).flatMap((key, i) =>
            !key || key.isDelete || key.given === key.stored
                ? []
                : [{ record: batch[i]!, key: key.stored, value: spelt(key) }],
        );
        this.keep(stateEntries.map(({ key, value }) => [key, value]));
        return stateEntries.map(stateEntry => ({ ...stateEntry, value: [...stateEntry.value] }));
    }

    /** Why a record does not mean the entity that has its key: the end of a sentence; undefined where nothing speaks against it. */
    conflict(
        key: string,
        { name, called }: { readonly name: string | undefined; readonly called: string },
    ): string | undefined {
        const known = this.byStored.get(key);
        if (!known) return undefined;
        const [given, other] = known;
        if (foldName(other) === foldName(name ?? key)) return undefined;
        return `an earlier record of this run gives ${show(given)} to ${called} ${show(other)}, which becomes the same`;
    }

    private keep(keys: ReadonlyArray<readonly [stored: string, key: SpeltKey]>): void {
        for (const [stored, key] of keys) this.byStored.set(stored, key);
        for (const stored of this.byStored.keys()) {
            if (this.byStored.size <= MOST_SPELT) break;
            this.byStored.delete(stored);
            this.isWhole = false;
        }
    }
}

function spelt({ given, name }: Pick<GivenKey, 'given' | 'name'>): SpeltKey {
    return [given, name ?? given];
}
