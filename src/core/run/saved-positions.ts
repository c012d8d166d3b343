import type { AdapterContext } from '../adapter/context';
import { type SourceStep, START } from '../steps/extract';
import { memoKey, type StoredMemo } from './memos';
import type { Commit, MemoryStore, Position } from './ports';

/** Positions that outlive their run, as far as the sources of an execution ask for that (spec 4, section 6, "resetCheckpoint"). */
export class SavedPositions {
    /** The keys that they are remembered under, by source. */
    private readonly keys = new Map<string, string>();

    constructor(private readonly memory: MemoryStore) {}

    /** Where a source is read from: where the run has left it, else where an earlier run has, else its beginning. */
    async startOf({ key, saved }: SourceStep, position: Position | undefined, cx: AdapterContext): Promise<Position> {
        const checkpoint = await saved?.(cx);
        if (!checkpoint) return position ?? START;
        const memo = memoKey('position', checkpoint.key);
        this.keys.set(key, memo);
        if (position || checkpoint.startOver) return position ?? START;
        const found = (await this.memory.recall(key, [memo])).get(memo);
        if (found === undefined) return START;
        const { token, skip } = found as unknown as Pick<Position, 'token' | 'skip'>;
        cx.log.warn(
            'The source is read on from where an earlier run has left it. With resetCheckpoint the step reads it from its beginning.',
        );
        return { ...START, token, skip };
    }

    /** What the next run goes on from. */
    memosOf({ sourceKey, position: { token, skip } }: Commit): readonly StoredMemo[] {
        const key = this.keys.get(sourceKey);
        return key === undefined
            ? []
            : [{ stepKey: sourceKey, key, value: { ...(token !== undefined && { token }), skip } }];
    }
}
