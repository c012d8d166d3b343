import type { AdapterContext } from '../adapter/context';
import { ownLine } from '../adapter/own-line';
import { type SourceStep, START } from '../steps/extract';
import type { RunInput } from './compile';
import { memoKey } from '../progress/memos';
import type { Position, PositionStore, TakenUp } from '../ports/ports';

/** Where a source is begun, and how many of the records behind that an earlier run has rejected. */
export type Start = Pick<TakenUp, 'position' | 'rejectedBefore'>;

/** What of a run its saved positions depend on. */
export type SavedFor = Pick<RunInput, 'mode' | 'revision'>;

/**
 * Positions that outlive their run, as far as the sources of an execution ask for that (spec 4, section 6, "resetCheckpoint"): those of a run that
 * did not complete, for the next one of the same revision. A dry run looks at all records, and leaves none.
 */
export class SavedPositions {
    constructor(
        private readonly positions: PositionStore,
        private readonly run: SavedFor,
    ) {}

    /**
     * Where a source is read from: where the run has left it, else where one that did not complete has, else its beginning. What that
     * run had loaded behind its position is this one's from here on, and is not loaded again.
     */
    async startOf({ key, saved }: SourceStep, own: Position | undefined, cx: AdapterContext): Promise<Start> {
        const checkpoint = this.run.mode === 'live' ? await saved?.(cx) : undefined;
        if (!checkpoint) return { position: own ?? START, rejectedBefore: 0 };
        const { startOver } = checkpoint;
        const keptAs = memoKey('position', JSON.stringify([this.run.revision ?? '', checkpoint.key]));
        const taken = await this.positions.takeUp({ stepKey: key, key: keptAs, startOver });
        if (taken.isLeft && !own)
            ownLine(
                cx.log,
                'WARN',
                'The source is read on from where an earlier run, which did not complete, has left it, and what that run has loaded is not loaded again. With resetCheckpoint the step reads it from its beginning and loads all of it.',
            );
        return taken;
    }
}
