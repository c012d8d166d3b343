import type { LoadKey } from './load-key';

/** What a worker is about to do: a step's work on a batch, or on one record of it alone, by its place there. */
export interface WorkInHand extends LoadKey {
    readonly record?: number;
}

/** A step's work on a batch at which workers have died. */
export interface Suspect extends LoadKey {
    /** At the whole of it. */
    readonly deaths: number;
    /** Which records they have died at that were alone: by their places in the batch. */
    readonly fatal: readonly number[];
}

/** What workers of a run have told before they died of it. */
export interface PoisonNotes {
    readonly inHand?: WorkInHand;
    readonly suspects: readonly Suspect[];
}

/** Where a run's workers tell what they are at, once one of them has died. */
export interface PoisonStore {
    /** The worker before this one has died, or stood still for longer than its lease. */
    readonly isTakeover: boolean;
    /** None has got on with the run since. */
    readonly isCareful: boolean;
    read(): Promise<PoisonNotes>;
    /** Fenced. `isNews`: it is known better than before what workers die of, so that takeovers are counted anew. */
    write(notes: PoisonNotes, isNews: boolean): Promise<void>;
}
