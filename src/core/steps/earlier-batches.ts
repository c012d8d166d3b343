import type { BatchMemory } from '../adapter/loader';
import type { Batch, Origin } from '../data/record';
import type { StateStore } from '../ports/ports';
import { type StateEntry, stateKey } from '../progress/state-entries';
import type { JsonValue } from '../value/json';

/** The start of the keys under which a step stores it. */
const PART = 'batch';
/** The key that says whether there are any. */
const ANY = 'batches';

/**
 * What later batches must know about earlier ones: kept in the session, and in the memory of the step for later slices
 * and workers.
 */
export class EarlierBatches {
    private constructor(
        private readonly memory: BatchMemory,
        private readonly step: { readonly key: string; readonly store: Pick<StateStore, 'recall'> },
        /** Whether an earlier slice or worker stored something. */
        private readonly isStored: boolean,
    ) {}

    /** `cameBefore`: the number of records that reached the step in earlier slices of the run. */
    static async of(memory: BatchMemory, step: EarlierBatches['step'], cameBefore: number): Promise<EarlierBatches> {
        const stored = cameBefore > 0 ? await step.store.recall(step.key, [ANY], 'run') : undefined;
        return new EarlierBatches(memory, step, stored?.has(ANY) === true);
    }

    /** Passes what is stored for a batch to the session. */
    async recall(batch: Batch): Promise<void> {
        const { memory, step } = this;
        if (!this.isStored && memory.isWhole) return;
        const keys = new Map(memory.keysOf(batch).map(key => [stateKey(PART, key), key]));
        if (keys.size === 0) return;
        const found = await step.store.recall(step.key, [...keys.keys()], 'run');
        memory.recalled(new Map([...found].map(([key, value]) => [keys.get(key)!, value])));
    }

    /** The values to store for loaded records. They are in the shop, whatever happens to them after the step. */
    memosOf(loaded: Batch): readonly StateEntry[] {
        const stateEntries = this.memory
            .loaded(loaded)
            .map(({ record: { origin }, key, value }) => this.stateEntry(stateKey(PART, key), origin, value));
        return stateEntries.length === 0 ? [] : [...stateEntries, this.stateEntry(ANY, loaded[0]!.origin, true)];
    }

    private stateEntry(key: string, origin: Origin, value: JsonValue): StateEntry {
        return { origin, stepKey: this.step.key, key, value, scope: 'run', outlivesFailure: true };
    }
}
