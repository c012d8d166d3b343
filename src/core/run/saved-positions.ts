import type { AdapterContext } from '../adapter/context';
import { type SourceStep, START } from '../steps/extract';
import type { RunInput } from './compile';
import { memoKey, type StoredMemo } from './memos';
import type { Commit, MemoryStore, Position, SavedPosition } from './ports';

/** What of a run its saved positions depend on. */
export type SavedFor = Pick<RunInput, 'mode' | 'revision'>;

/**
 * Positions that outlive their run, as far as the sources of an execution ask for that (spec 4, section 6, "resetCheckpoint"): those of a run that
 * did not complete, for the next one of the same revision. A dry run looks at all records, and leaves none.
 */
export class SavedPositions {
    /** The keys that they are remembered under, by source. */
    private readonly keys = new Map<string, string>();

    constructor(
        private readonly memory: MemoryStore,
        private readonly run: SavedFor,
    ) {}

    /** What is to be forgotten when the run has completed. */
    get saved(): readonly SavedPosition[] {
        return [...this.keys].map(([stepKey, key]) => ({ stepKey, key }));
    }

    /** Where a source is read from: where the run has left it, else where one that did not complete has, else its beginning. */
    async startOf({ key, saved }: SourceStep, position: Position | undefined, cx: AdapterContext): Promise<Position> {
        const checkpoint = this.run.mode === 'live' ? await saved?.(cx) : undefined;
        if (!checkpoint) return position ?? START;
        const memo = memoKey('position', JSON.stringify([this.run.revision ?? '', checkpoint.key]));
        this.keys.set(key, memo);
        if (position || checkpoint.startOver) return position ?? START;
        const found = (await this.memory.recall(key, [memo])).get(memo);
        if (found === undefined) return START;
        const { token, skip } = found as unknown as Pick<Position, 'token' | 'skip'>;
        cx.log.warn(
            'The source is read on from where an earlier run, which did not complete, has left it. With resetCheckpoint the step reads it from its beginning.',
        );
        return { ...START, token, skip };
    }

    /** What the next run goes on from if this one does not complete. */
    memosOf({ sourceKey, position: { token, skip } }: Commit): readonly StoredMemo[] {
        const key = this.keys.get(sourceKey);
        return key === undefined
            ? []
            : [{ stepKey: sourceKey, key, value: { ...(token !== undefined && { token }), skip } }];
    }
}
