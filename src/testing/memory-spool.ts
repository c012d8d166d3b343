import type { SpooledBatch, SpooledPart, ResumedBatch, SpoolStore } from '../core/ports/ports';
import type { JsonObject } from '../core/value/json';

/** A batch of which steps hold something. */
interface StoredBatch extends Omit<SpooledBatch, 'parts' | 'trip'> {
    readonly trip: NonNullable<SpooledBatch['trip']>;
    readonly parts: ReadonlyArray<SpooledPart & { isReleased: boolean }>;
}

/** What the steps of a run hold, in memory, by the rules of the stored one: all of it as JSON has it. */
export class MemorySpool {
    private readonly batches = new Map<string, StoredBatch>();

    get size(): number {
        return this.batches.size;
    }

    /** Removes the records that were released, and adds those that are held in addition. */
    hold({ trip: batchPass, parts, ...batch }: SpooledBatch): void {
        const key = `${batch.sourceKey} ${batch.batchNo}`;
        if (!batchPass) return void this.batches.delete(key);
        const waiting = this.batches.get(key)?.parts.filter(({ isReleased }) => !isReleased) ?? [];
        const added = parts.map(part => ({ ...part, isReleased: false }));
        const stored = JSON.stringify({ ...batch, trip: batchPass, parts: [...waiting, ...added] });
        this.batches.set(key, JSON.parse(stored) as StoredBatch);
    }

    /** Releases the records of a step. */
    release(stepKey: string): void {
        for (const part of this.parts) if (part.stepKey === stepKey) part.isReleased = true;
    }

    clear(): void {
        this.batches.clear();
    }

    /** In the order of the source. */
    of(sourceKey: string): readonly StoredBatch[] {
        return [...this.batches.values()]
            .filter(batch => batch.sourceKey === sourceKey)
            .sort((a, b) => a.batchNo - b.batchNo);
    }

    /** The next batch of a source after this number of which something was released. */
    next(sourceKey: string, after: number): ResumedBatch | undefined {
        const found = this.of(sourceKey).find(
            ({ batchNo, parts }) => batchNo > after && parts.some(({ isReleased }) => isReleased),
        );
        if (!found) return undefined;
        const parts = found.parts.filter(({ isReleased }) => isReleased);
        return { ...found, parts, isHeldElsewhere: parts.length < found.parts.length };
    }

    /** The unreleased records of each step. */
    records(): ReadonlyMap<string, readonly JsonObject[]> {
        const byStep = new Map<string, JsonObject[]>();
        for (const { stepKey, isReleased, records } of this.parts) {
            if (isReleased) continue;
            const held = byStep.get(stepKey) ?? [];
            byStep.set(stepKey, held);
            for (const { data } of records) held.push(data);
        }
        return byStep;
    }

    /** The number of unreleased records of each step. */
    counts(): ReadonlyMap<string, number> {
        return new Map(Array.from(this.records(), ([stepKey, records]) => [stepKey, records.length]));
    }

    /** The spool in the form that a run uses. */
    get store(): SpoolStore {
        return { next: async (sourceKey, after) => this.next(sourceKey, after), held: async () => this.counts() };
    }

    private get parts(): ReadonlyArray<StoredBatch['parts'][number]> {
        return [...this.batches.values()].flatMap(({ parts }) => parts);
    }
}
