import { Logger } from '@vendure/core';
import type { Effect } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import type { ExclusiveWork } from '../leases/exclusive-work';
import { LOG_CONTEXT } from '../tokens';
import { GATE_NOTICE, type RunNotice, type PendingEffect, type PendingEffects } from '../stores/effects';
import { RUN_EVENTS } from '../stores/run-events';

/** An event is published so often at most, also where whoever is at it dies or it takes too long. */
export const EVENT_ATTEMPTS = 5;
/** A notification of a gate is sent so often at most, and so is a run's own event; each time is one call with retries of its own. */
export const NOTICE_ATTEMPTS = 5;
/** The index of a search engine may be away for days: the waits grow up to an hour. */
const INDEX_ATTEMPTS = 60;
const LONGEST_WAIT_MS = 3_600_000;
/** What the names of the leases of effects begin with; the id of their run follows. */
export const EFFECT_LEASES = 'effects:';

/** Makes the effects of one run known. */
export interface Publication {
    /** Calls the hooks of the run's end, or of a pause at a step. */
    notifyHooks(state: Pick<PendingEffect, 'kind' | 'stepKey'>): Promise<void>;
    /** Tells whoever is to be told that records wait at a gate. Throws what keeps it from that. */
    notify(stepKey: string): Promise<void>;
    /** Publishes an event that nobody has published yet, for all that is known. Throws what keeps it from that. */
    tell(event: RunNotice): Promise<void>;
    /** Puts together what is made known by one event. */
    together(effects: readonly PendingEffect[]): ReadonlyArray<readonly PendingEffect[]>;
    /** Throws what a subscriber throws. */
    announce(effects: readonly Effect[]): Promise<void>;
    /** Whether collections may hold other variants because of them. */
    changesCollections(effects: readonly Effect[]): boolean;
    /** Brings collections up to date, now or later; answers whether effects may have come by it. */
    collections(): Promise<boolean>;
    /** Brings the search index up to date. */
    index(effects: readonly Effect[]): Promise<void>;
}

/** What a drain has of its surroundings. */
export interface DrainEnv {
    readonly effects: PendingEffects;
    readonly exclusive: ExclusiveWork;
    /** What failed is tried again after so long, then after twice the time. */
    readonly retryMs: number;
}

/**
 * Makes the effects of a run known (ADR 32): first what its own events were to tell and a process that has died never did (ADR 60), the hooks of its end or
 * pause and the notifications of its gates, then the events of what it has changed, the collections and the search index. What is done is removed, a bounded number at a time; what fails is put off, and holds up nothing else.
 */
export class EffectDrain {
    constructor(private readonly env: DrainEnv) {}

    /**
     * Answers how many effects were dealt with; undefined while another process is working on those of this run, which then takes what has come until now
     * as well. Throws where the database does not answer, and what the hooks throw; whatever was not done stays.
     */
    async drain(runId: Id, publication: Publication): Promise<number | undefined> {
        let dealtWith: number | undefined;
        for (let isAsked = true; isAsked;) {
            const lease = await this.env.exclusive.holdOrAsk(EFFECT_LEASES + String(runId));
            if (!lease) return dealtWith;
            try {
                dealtWith = (dealtWith ?? 0) + (await this.once(runId, publication));
            } finally {
                isAsked = await lease.end();
            }
        }
        return dealtWith;
    }

    private async once(runId: Id, publication: Publication): Promise<number> {
        const { effects } = this.env;
        // Whoever brings more asks for another go.
        const there = await effects.kinds(runId);
        if (there.events)
            for (const event of await effects.notices(runId, RUN_EVENTS))
                await this.notify(event, `${event.kind} of run ${runId}`, () => publication.tell(event));
        if (there.states)
            for (const state of await effects.states(runId)) {
                await publication.notifyHooks(state);
                await effects.remove([state]);
            }
        if (there.notices)
            for (const notice of await effects.notices(runId, [GATE_NOTICE])) {
                const what = `The notification of gate "${notice.stepKey}" of run ${runId}`;
                await this.notify(notice, what, () => publication.notify(notice.stepKey));
            }
        const dealtWith = there.changes ? await this.publish(runId, publication) : 0;
        // What collections have changed is an effect as well.
        const haveChanged = await publication.collections();
        if (haveChanged) await this.publish(runId, publication);
        if (there.changes || haveChanged) await this.index(runId, publication);
        for (const [kind, many] of there.unknown) this.logUnknown(runId, kind, many);
        return dealtWith;
    }

    /** Begun `NOTICE_ATTEMPTS` times at most, also where whoever is at it dies. */
    private async notify(notice: RunNotice, what: string, send: () => Promise<void>): Promise<void> {
        const attempt = notice.attempts + 1;
        try {
            if (attempt <= NOTICE_ATTEMPTS) await send();
            await this.env.effects.remove([notice]);
        } catch (error) {
            if (isFlowError(error) && error.code === 'WORKER_STOPPED') throw error;
            const isLast = attempt >= NOTICE_ATTEMPTS;
            const then = isLast ? 'It is not sent again.' : 'It is sent again.';
            const text = `${what} failed (${attempt} of ${NOTICE_ATTEMPTS}). ${then} ${String(error)}`;
            Logger.warn(text, LOG_CONTEXT);
            if (isLast) await this.env.effects.remove([notice]);
            else await this.env.effects.retryNotice(notice, this.waitMs(notice));
        }
    }

    private async publish(runId: Id, publication: Publication): Promise<number> {
        let dealtWith = 0;
        for (;;) {
            const { chunk, isLast } = await this.env.effects.begin(runId, 'EVENT');
            if (chunk.length === 0) return dealtWith;
            dealtWith += chunk.length;
            const failed: PendingEffect[] = [];
            for (const effects of publication.together(chunk))
                if (!(await this.announced(runId, effects, publication))) failed.push(...effects);
            const published = chunk.filter(effect => !failed.includes(effect));
            const staleCollections = publication.changesCollections(chunk.filter(({ done }) => done === null));
            await this.env.effects.published(runId, { published, failed }, { waitMs: this.waitMs, staleCollections });
            if (isLast) return dealtWith;
        }
    }

    /** Whether nothing more is to be published of them. */
    private async announced(runId: Id, effects: readonly PendingEffect[], publication: Publication): Promise<boolean> {
        const attempt = Math.max(...effects.map(({ attempts }) => attempts)) + 1;
        try {
            if (attempt > EVENT_ATTEMPTS) throw new Error('whoever was at it died each time');
            await publication.announce(effects);
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

    private async index(runId: Id, publication: Publication): Promise<void> {
        for (;;) {
            const { chunk, isLast } = await this.env.effects.begin(runId, 'INDEX');
            const [first] = chunk;
            if (!first) return;
            try {
                await publication.index(chunk);
                await this.env.effects.remove(chunk);
            } catch (error) {
                const isGivenUp = first.attempts + 1 >= INDEX_ATTEMPTS;
                const then = isGivenUp ? 'Build the index anew.' : 'It will be tried again.';
                const text = `The search index could not be brought up to date with what run ${runId} has changed. ${then} ${String(error)}`;
                Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
                if (isGivenUp) await this.env.effects.remove(chunk);
                else await this.env.effects.retry(chunk, this.waitMs(first));
            }
            if (isLast) return;
        }
    }

    private logUnknown(runId: Id, kind: string, many: number): void {
        Logger.warn(
            `Run ${runId} has ${many} effects of the kind "${kind}", which this version of Flow does not know; they are left for one that does.`,
            LOG_CONTEXT,
        );
    }

    private readonly waitMs = ({ attempts }: Pick<PendingEffect, 'attempts'>): number =>
        Math.min(LONGEST_WAIT_MS, this.env.retryMs * 2 ** attempts);
}
