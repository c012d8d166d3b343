import type { BatchMemory } from '../adapter/loader';
import type { Batch, Origin } from '../data/record';
import type { MemoryStore } from '../ports/ports';
import { type Memo, memoKey } from '../progress/memos';
import type { JsonValue } from '../value/json';

/** How the keys begin under which a step stores what later batches have to know. */
const PART = 'batch';
/** Says that there is something under such keys. */
const ANY = 'batches';

/** What earlier batches of a run have left for the planning of later ones, in the session and, for the slices and workers to come, in the step's memory. */
export class EarlierBatches {
    private constructor(
        private readonly memory: BatchMemory,
        private readonly step: { readonly key: string; readonly store: Pick<MemoryStore, 'recall'> },
        /** An earlier slice or worker has stored something. */
        private readonly isStored: boolean,
    ) {}

    /** `cameBefore`: how many records have come to the step in earlier slices of the run. */
    static async of(memory: BatchMemory, step: EarlierBatches['step'], cameBefore: number): Promise<EarlierBatches> {
        const stored = cameBefore > 0 ? await step.store.recall(step.key, [ANY], 'run') : undefined;
        return new EarlierBatches(memory, step, stored?.has(ANY) === true);
    }

    /** Hands the session what is stored for a batch. */
    async recall(batch: Batch): Promise<void> {
        const { memory, step } = this;
        if (!this.isStored && memory.isWhole) return;
        const keys = new Map(memory.keysOf(batch).map(key => [memoKey(PART, key), key]));
        if (keys.size === 0) return;
        const found = await step.store.recall(step.key, [...keys.keys()], 'run');
        memory.recalled(new Map([...found].map(([key, value]) => [keys.get(key)!, value])));
    }

    /** What is to be stored of loaded records. They are in the shop, whatever becomes of them behind the step. */
    memosOf(loaded: Batch): readonly Memo[] {
        const memos = this.memory
            .loaded(loaded)
            .map(({ record: { origin }, key, value }) => this.memo(memoKey(PART, key), origin, value));
        return memos.length === 0 ? [] : [...memos, this.memo(ANY, loaded[0]!.origin, true)];
    }

    private memo(key: string, origin: Origin, value: JsonValue): Memo {
        return { origin, stepKey: this.step.key, key, value, scope: 'run', outlivesFailure: true };
    }
}
