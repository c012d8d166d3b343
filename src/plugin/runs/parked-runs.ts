import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import type { ParkedHint } from './run-queue';

/** A run between two slices, whose memory only this process has. */
export interface Parkable {
    readonly run: { readonly runId: ID };
    /** How many slices have begun. */
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

/** A job that came to the wrong process goes on to the next one after so long, then after twice the time, up to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** Then it is dropped: the process that has the run adds another one when it sweeps. */
const HANDED_ON_AT_MOST = 10;

/**
 * Dry runs that have given their queue slot back and wait for the next one. What they plan to write is in this process's memory, so they
 * keep their leases, and only a job that comes to this process goes on with them.
 */
@Injectable()
export class ParkedRuns<T extends Parkable = Parkable> {
    private readonly parked = new Map<string, Parked<T>>();

    /**
     * Answers what the job of the run is to say; undefined when there is no room for it, or it must stop. Of one that must stop while
     * it waits, `stopped` is told at once, and it is parked no longer.
     */
    park(attempt: T, stopped: () => void): ParkedHint | undefined {
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
    take(runId: ID, hint: ParkedHint | undefined): T | undefined {
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

    /** What a job of the run is to say; undefined when it is not parked here. */
    hintOf(runId: ID): ParkedHint | undefined {
        const parked = this.parked.get(String(runId));
        return parked && { slice: parked.attempt.slice, handedOn: 0 };
    }
}

/** A job that goes to another process, and when. */
export interface HandedOnJob {
    readonly hint: ParkedHint;
    readonly waitMs: number;
}

/** For a process that does not have the run; undefined when that has been so too often. */
export function handedOn({ slice, handedOn: times }: ParkedHint): HandedOnJob | undefined {
    if (times >= HANDED_ON_AT_MOST) return undefined;
    return { hint: { slice, handedOn: times + 1 }, waitMs: Math.min(FIRST_WAIT_MS * 2 ** times, LONGEST_WAIT_MS) };
}
