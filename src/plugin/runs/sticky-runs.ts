import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import type { StickyHint } from './run-queue';

/** A run between two slices, whose memory only this process has. */
export interface StickyRun {
    readonly run: { readonly runId: ID };
    /** How many slices have started. */
    readonly slice: number;
    /** Aborted when the run must stop. */
    readonly signal: AbortSignal;
}

interface Parked<T> {
    readonly attempt: T;
    leave(): void;
}

/** What they have planned stays in memory, so that they must be few. */
const PARKED_AT_MOST = 4;

/** A job that arrives at the wrong process is passed to the next one after this time, which doubles each time up to the maximum. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** Then it is dropped: the process that has the run adds another one when it sweeps. */
const HANDED_ON_AT_MOST = 10;

/**
 * Dry runs that have returned their queue slot and wait for the next one. Their planned changes are in this process's memory. So they keep their
 * leases, and only a job that arrives at this process continues them.
 */
@Injectable()
export class StickyRuns<T extends StickyRun = StickyRun> {
    private readonly parked = new Map<string, Parked<T>>();

    /**
     * Parks the run and returns the hint for its job; undefined if there is no room for it, or if it must stop. If the run must stop while it is
     * parked, it is removed and `stopped` is called at once.
     */
    park(attempt: T, stopped: () => void): StickyHint | undefined {
        if (this.parked.size >= PARKED_AT_MOST || attempt.signal.aborted) return undefined;
        const { runId } = attempt.run;
        const onAbort = (): void => {
            this.parked.delete(String(runId));
            stopped();
        };
        attempt.signal.addEventListener('abort', onAbort, { once: true });
        const leave = (): void => attempt.signal.removeEventListener('abort', onAbort);
        this.parked.set(String(runId), { attempt, leave });
        return this.hintOf(runId);
    }

    /** The run, for a job that says so of the slice that it waits for, or says nothing of slices. It is parked no longer. */
    take(runId: ID, hint: StickyHint | undefined): T | undefined {
        const parked = this.parked.get(String(runId));
        if (!parked || (hint && hint.slice !== parked.attempt.slice)) return undefined;
        this.parked.delete(String(runId));
        parked.leave();
        return parked.attempt;
    }

    takeAll(): readonly T[] {
        return this.runIds.flatMap(runId => this.take(runId, undefined) ?? []);
    }

    get runIds(): readonly ID[] {
        return [...this.parked.values()].map(({ attempt }) => attempt.run.runId);
    }

    /** The hint for a job of the run; undefined if the run is not parked here. */
    hintOf(runId: ID): StickyHint | undefined {
        const parked = this.parked.get(String(runId));
        return parked && { slice: parked.attempt.slice, handedOn: 0 };
    }
}

/** A job that goes to another process, and when. */
export interface ForwardedJob {
    readonly hint: StickyHint;
    readonly waitMs: number;
}

/** For a process that does not have the run; undefined when that has been so too often. */
export function forwardedJob({ slice, handedOn: times }: StickyHint): ForwardedJob | undefined {
    if (times >= HANDED_ON_AT_MOST) return undefined;
    return { hint: { slice, handedOn: times + 1 }, waitMs: Math.min(FIRST_WAIT_MS * 2 ** times, LONGEST_WAIT_MS) };
}
