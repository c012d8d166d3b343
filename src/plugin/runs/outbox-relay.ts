import { Logger } from '@vendure/core';
import type { Effect } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import type { ExclusiveJob, OwnedLease } from '../leases/exclusive-job';
import { LOG_CONTEXT } from '../tokens';
import {
    GATE_NOTIFICATION,
    type GateNotification,
    type RunState,
    type PendingEffect,
    type PendingEffects,
} from '../stores/effects';
import { RUN_EVENTS } from '../stores/run-events';

/** The maximum number of attempts to publish an event, including attempts that crash or take too long. */
export const EVENT_ATTEMPTS = 5;
/** The maximum number of attempts to send a gate notification or a run's own event; each attempt is one call with separate retries. */
export const NOTIFICATION_ATTEMPTS = 5;
/** The index of a search engine may be unavailable for days: the waits grow up to an hour. */
const INDEX_ATTEMPTS = 60;
const LONGEST_WAIT_MS = 3_600_000;
/** The prefix of the names of effect leases. The id of the run follows. */
export const EFFECT_LEASES = 'effects:';

/** Publishes the effects of some runs. */
export interface PendingPublication {
    /** Called before each pass over all current effects. */
    again(): void;
    /** Calls the hooks of a run's end, or of a pause at a step. Returns whether there are any. */
    notifyHooks(state: RunState): Promise<boolean>;
    /** Sends the notification that records wait at a gate. Throws the error that prevents it. */
    notify(notification: GateNotification): Promise<void>;
    /** Publishes an event that is not known to be published. Throws the error that prevents it. */
    tell(event: GateNotification): Promise<void>;
    /** Groups the effects that one event of one run publishes. */
    together(effects: readonly PendingEffect[]): ReadonlyArray<readonly PendingEffect[]>;
    /** Throws the errors of subscribers. The effects are all of one run. */
    announce(effects: readonly PendingEffect[]): Promise<void>;
    /** Whether the variants of collections may change because of them. */
    changesCollections(effects: readonly Effect[]): boolean;
    /** Updates the collections, now or later; returns whether that may have added effects to the given run. */
    collections(runId: Id): Promise<boolean>;
    /** Updates the search index. */
    index(effects: readonly PendingEffect[]): Promise<void>;
}

/** The dependencies of a drain. */
interface OutboxRelayEnv {
    readonly effects: PendingEffects;
    readonly exclusive: ExclusiveJob;
    /** How long a failed publication waits before it is retried. The wait doubles each time. */
    readonly retryMs: number;
}

/**
 * Publishes the effects of runs (ADR 11). It starts with the events that a dead process left, the hooks of ends and pauses, and the gate
 * notifications. Then follow the events of changed entities, the collections and the search index. Finished effects are deleted, a bounded number
 * at a time; failed ones are postponed and block nothing else. Several runs together need hardly more statements than one.
 */
export class OutboxRelay {
    constructor(private readonly env: OutboxRelayEnv) {}

    /**
     * Returns the number of processed effects, or undefined if other processes work on those of all these runs. Those processes then also publish what has been
     * added until now. Throws if the database does not answer, and the errors of hooks. Everything that was not published stays stored.
     */
    async drain(runIds: readonly Id[], pendingPublication: PendingPublication): Promise<number | undefined> {
        let dealtWith: number | undefined;
        for (let requested = runIds; requested.length > 0;) {
            const held = await this.held(requested);
            if (held.length === 0) return dealtWith;
            let done: number | undefined;
            try {
                done = await this.once(
                    held.map(({ runId }) => runId),
                    pendingPublication,
                );
            } finally {
                requested = await ended(held);
            }
            dealtWith = (dealtWith ?? 0) + done;
        }
        return dealtWith;
    }

    /** The runs that no other process is publishing. */
    private async held(runIds: readonly Id[]): Promise<readonly HeldRun[]> {
        const held: HeldRun[] = [];
        try {
            for (const runId of runIds) {
                const lease = await this.env.exclusive.acquireOrRequest(EFFECT_LEASES + String(runId));
                if (lease) held.push({ runId, lease });
            }
        } catch (error) {
            await ended(held);
            throw error;
        }
        return held;
    }

    private async once(runIds: readonly Id[], pendingPublication: PendingPublication): Promise<number> {
        const { effects } = this.env;
        pendingPublication.again();
        // A process that adds more effects requests another pass.
        const there = await effects.kinds(runIds);
        if (there.events)
            for (const event of await effects.notices(runIds, RUN_EVENTS))
                await this.notify(event, `${event.kind} of run ${event.runId}`, () => pendingPublication.tell(event));
        if (there.states) await this.tellHooks(runIds, pendingPublication);
        if (there.notices)
            for (const notice of await effects.notices(runIds, [GATE_NOTIFICATION])) {
                const what = `The notification of gate "${notice.stepKey}" of run ${notice.runId}`;
                await this.notify(notice, what, () => pendingPublication.notify(notice));
            }
        const dealtWith = there.changes ? await this.publish(runIds, pendingPublication) : 0;
        // Changes of collections are effects as well.
        const haveChanged = await pendingPublication.collections(runIds[0]!);
        if (haveChanged) await this.publish(runIds, pendingPublication);
        if (there.changes || haveChanged) await this.index(runIds, pendingPublication);
        for (const [kind, many] of there.unknown) logUnknown(runIds, kind, many);
        return dealtWith;
    }

    /** Effects that have notified someone are deleted at once, so that a process that dies repeats as little as possible. */
    private async tellHooks(runIds: readonly Id[], { notifyHooks }: PendingPublication): Promise<void> {
        const { effects } = this.env;
        const silent: RunState[] = [];
        for (const state of await effects.states(runIds)) {
            if (await notifyHooks(state)) await effects.remove([state]);
            else silent.push(state);
        }
        if (silent.length > 0) await effects.remove(silent);
    }

    /** Makes at most `NOTIFICATION_ATTEMPTS` attempts, including attempts in which the process dies. */
    private async notify(notification: GateNotification, what: string, send: () => Promise<void>): Promise<void> {
        const attempt = notification.attempts + 1;
        try {
            if (attempt <= NOTIFICATION_ATTEMPTS) await send();
            await this.env.effects.remove([notification]);
        } catch (error) {
            if (isFlowError(error) && error.code === 'WORKER_STOPPED') throw error;
            const isLast = attempt >= NOTIFICATION_ATTEMPTS;
            const then = isLast ? 'It is not sent again.' : 'It is sent again.';
            const text = `${what} failed (${attempt} of ${NOTIFICATION_ATTEMPTS}). ${then} ${String(error)}`;
            Logger.warn(text, LOG_CONTEXT);
            if (isLast) await this.env.effects.remove([notification]);
            else await this.env.effects.retryNotice(notification, this.waitMs(notification));
        }
    }

    private async publish(runIds: readonly Id[], pendingPublication: PendingPublication): Promise<number> {
        let dealtWith = 0;
        for (;;) {
            const { chunk, isLast } = await this.env.effects.begin(runIds, 'EVENT');
            if (chunk.length === 0) return dealtWith;
            dealtWith += chunk.length;
            const failed: PendingEffect[] = [];
            for (const ofRun of byRun(chunk))
                for (const effects of pendingPublication.together(ofRun))
                    if (!(await this.announced(effects, pendingPublication))) failed.push(...effects);
            const published = chunk.filter(effect => !failed.includes(effect));
            const staleBy = byRun(chunk.filter(({ done }) => done === null))
                .filter(ofRun => pendingPublication.changesCollections(ofRun))
                .map(([first]) => first!.runId);
            await this.env.effects.published({ published, failed, waitMs: this.waitMs, staleBy });
            if (isLast) return dealtWith;
        }
    }

    /** Whether nothing more of these effects is to be published. */
    private async announced(
        effects: readonly PendingEffect[],
        pendingPublication: PendingPublication,
    ): Promise<boolean> {
        const { runId } = effects[0]!;
        const attempt = Math.max(...effects.map(({ attempts }) => attempts)) + 1;
        try {
            if (attempt > EVENT_ATTEMPTS) throw new Error('the process died at each attempt');
            await pendingPublication.announce(effects);
            return true;
        } catch (error) {
            if (isFlowError(error) && error.code === 'WORKER_STOPPED') throw error;
            const isLast = attempt >= EVENT_ATTEMPTS;
            const then = isLast ? 'It is not published again.' : 'It is published again.';
            const text = `An event about what run ${runId} has changed failed (${attempt} of ${EVENT_ATTEMPTS}). ${then} ${String(error)}`;
            if (isLast) Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
            else Logger.warn(text, LOG_CONTEXT);
            return isLast;
        }
    }

    private async index(runIds: readonly Id[], pendingPublication: PendingPublication): Promise<void> {
        for (;;) {
            const { chunk, isLast } = await this.env.effects.begin(runIds, 'INDEX');
            const [first] = chunk;
            if (!first) return;
            try {
                await pendingPublication.index(chunk);
                await this.env.effects.remove(chunk);
            } catch (error) {
                const isGivenUp = first.attempts + 1 >= INDEX_ATTEMPTS;
                const then = isGivenUp ? 'Rebuild the index.' : 'It will be tried again.';
                const text = `The search index could not be brought up to date with what ${runsOfEffects(chunk.map(({ runId }) => runId))} changed. ${then} ${String(error)}`;
                Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
                if (isGivenUp) await this.env.effects.remove(chunk);
                else await this.env.effects.retry(chunk, this.waitMs(first));
            }
            if (isLast) return;
        }
    }

    private readonly waitMs = ({ attempts }: Pick<PendingEffect, 'attempts'>): number =>
        Math.min(LONGEST_WAIT_MS, this.env.retryMs * 2 ** attempts);
}

interface HeldRun {
    readonly runId: Id;
    readonly lease: OwnedLease;
}

/** Ends all leases, even if some of them fail; returns the runs that were requested meanwhile. */
async function ended(held: readonly HeldRun[]): Promise<readonly Id[]> {
    const ends = await Promise.allSettled(held.map(({ lease }) => lease.end()));
    const failed = ends.find(end => end.status === 'rejected');
    if (failed) throw failed.reason;
    return held.filter((_, i) => (ends[i] as PromiseFulfilledResult<boolean>).value).map(({ runId }) => runId);
}

/** Grouped by run, in the order in which the runs occur. */
function byRun(effects: readonly PendingEffect[]): ReadonlyArray<readonly PendingEffect[]> {
    const runs = new Map<string, PendingEffect[]>();
    for (const effect of effects) {
        const ofRun = runs.get(String(effect.runId));
        if (ofRun) ofRun.push(effect);
        else runs.set(String(effect.runId), [effect]);
    }
    return [...runs.values()];
}

/** `run 3 has` or `runs 3, 4 have`. */
export function runsOfEffects(runIds: readonly Id[]): string {
    const some = [...new Set(runIds)];
    return some.length === 1 ? `run ${some[0]} has` : `runs ${some.join(', ')} have`;
}

function logUnknown(runIds: readonly Id[], kind: string, many: number): void {
    Logger.warn(
        `What ${runsOfEffects(runIds)} left: ${many} effects of the kind "${kind}", which this version of Flow does not know; they are left for one that does.`,
        LOG_CONTEXT,
    );
}
