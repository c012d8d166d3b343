import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import type { ListingTime } from '../../core/triggers/stability-window';
import type { WatchNote } from '../entities/watched-file';
import type { PollCycle } from '../periodic-jobs/periodic-runner';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import type { WatchOfRevision } from '../stores/watched-files';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { WatchedFolder } from './watched-folder';
import { WatchedServers } from './watched-servers';

/** The maximum number of watched folders. */
export const MAX_WATCHERS = 500;
/** The number of servers that are polled in parallel, each by one poll. */
const AT_WORK = 8;
/** The longest time between two searches for due polls. */
const LONGEST_BEAT_MS = 15_000;
const FIRST_BEAT_MS = 1_000;

/** A folder, and when it is polled. */
interface Watch {
    readonly folder: WatchedFolder;
    /** By the steady clock; undefined until the time of the last poll is known. */
    dueAt?: number;
    /** When the interval ends. Additional polls in between do not change it. */
    intervalAt?: number;
    isAtWork?: boolean;
    /** The last message that was logged. */
    told?: string;
}

/** The triggers that are watched, and those that exceed the limit. */
export function watchedTriggers(triggers: readonly ActiveTrigger[]): {
    readonly watched: readonly ActiveTrigger[];
    readonly tooMany: readonly ActiveTrigger[];
} {
    return { watched: triggers.slice(0, MAX_WATCHERS), tooMany: triggers.slice(MAX_WATCHERS) };
}

/**
 * Watches the folders of FILE triggers. The leader process polls all of them. If it dies, another process continues, because taken files
 * are stored in the database (ADR 18).
 */
@Injectable()
export class FileWatcher implements OnModuleDestroy {
    private watches: readonly Watch[] = [];
    private readonly atWork = new Set<Promise<void>>();
    private readonly stopped = new AbortController();

    constructor(
        private readonly triggers: ActiveTriggers,
        private readonly servers: WatchedServers,
        private readonly starter: RunStarter,
        private readonly stores: RunStores,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        this.take(triggers.of('FILE'));
        triggers.onChange(() => this.take(triggers.of('FILE')));
        periodicJobs.add({
            name: 'Watched folders',
            everyMs: Math.min(LONGEST_BEAT_MS, options.runtime.sweepMs),
            // Processes that live for only a few seconds must poll, too.
            firstMs: Math.min(FIRST_BEAT_MS, options.runtime.sweepMs),
            jitter: 0.2,
            leader: 'file-watch',
            work: ({ signal }) => this.look(signal, now()),
        });
    }

    async onModuleDestroy(): Promise<void> {
        this.stopped.abort(new Error('the process shuts down'));
        await this.idle();
    }

    /** Starts the polls that are due and waits for none of them, so that a server that does not respond does not delay others. */
    async look(leading: PollCycle['signal'], at: ListingTime): Promise<void> {
        const signal = AbortSignal.any([leading, this.stopped.signal]);
        await this.learnWhen(at);
        this.begin(signal, at);
    }

    /** Resolves when no poll is in progress. */
    async idle(): Promise<void> {
        while (this.atWork.size > 0) await Promise.allSettled(this.atWork);
    }

    /** Sets the active triggers. Folders of unchanged revisions keep their state. */
    private take(triggers: readonly ActiveTrigger[]): void {
        const before = new Map(this.watches.map(watch => [nameOf(watch.folder.trigger), watch]));
        const { starter, servers } = this;
        const { watchedFiles: files } = this.stores;
        this.watches = watchedTriggers(triggers).watched.map(
            trigger =>
                before.get(nameOf(trigger)) ?? { folder: new WatchedFolder(trigger, { starter, servers, files }) },
        );
    }

    /**
     * A folder is polled when its interval ends, even if another process has polled it last. Needs one statement if there are new folders.
     */
    private async learnWhen({ steadyMs }: ListingTime): Promise<void> {
        const unknown = this.watches.filter(({ dueAt }) => dueAt === undefined);
        const { watchedFiles } = this.stores;
        const polled = await watchedFiles.firstListings(unknown.map(({ folder }) => folder.trigger.pipelineId));
        const last = new Map(polled.map(one => [nameOf(one), one]));
        for (const watch of unknown) {
            const { trigger, config } = watch.folder;
            const { pollIntervalMs } = config;
            const { polledAgoMs = -1, firstListings } = last.get(nameOf(trigger)) ?? {};
            // If the clock was set back, the folder is treated as never polled.
            watch.intervalAt = steadyMs + (polledAgoMs < 0 ? 0 : Math.max(0, pollIntervalMs - polledAgoMs));
            watch.dueAt = watch.intervalAt;
            if (polledAgoMs < 0 || !firstListings) continue;
            watch.folder.inherit(firstListings, steadyMs - polledAgoMs);
            const { againInMs = Infinity } = firstListings;
            watch.dueAt = Math.min(watch.dueAt, steadyMs + Math.max(0, againInMs - polledAgoMs));
        }
    }

    private begin(signal: AbortSignal, at: ListingTime): void {
        for (const watch of this.watches) {
            if (signal.aborted || this.atWork.size >= AT_WORK) return;
            if (watch.isAtWork || watch.dueAt === undefined || watch.dueAt > at.steadyMs) continue;
            if (this.isAsked(serverOf(watch))) continue;
            watch.isAtWork = true;
            const work = this.poll(watch, { at, signal }).finally(() => {
                watch.isAtWork = false;
                this.atWork.delete(work);
                this.begin(signal, at);
            });
            this.atWork.add(work);
        }
    }

    /** Whether a poll of the server is in progress. Servers often allow few connections at a time. */
    private isAsked(server: string): boolean {
        return this.watches.some(watch => watch.isAtWork === true && serverOf(watch) === server);
    }

    private async poll(
        watch: Watch,
        { at, signal }: { readonly at: ListingTime; readonly signal: AbortSignal },
    ): Promise<void> {
        const { folder } = watch;
        const { trigger, config } = folder;
        const isOfInterval = at.steadyMs >= (watch.intervalAt ?? 0);
        if (isOfInterval) watch.intervalAt = at.steadyMs + config.pollIntervalMs;
        watch.dueAt = watch.intervalAt!;
        try {
            const { remarks, started, againInMs } = await folder.poll(at, signal);
            // An additional poll once an interval, so that the server of a file that keeps growing is not polled twice a minute.
            const lookInMs = isOfInterval ? againInMs : undefined;
            if (lookInMs !== undefined) watch.dueAt = Math.min(watch.dueAt, at.steadyMs + lookInMs);
            if (started > 0) Logger.verbose(`${titleOf(trigger)}: ${started} runs were started.`, LOG_CONTEXT);
            this.tell(watch, remarks);
            await this.stores.watchedFiles.polled(trigger, {
                remarks,
                firstListings: folder.firstListings(at, lookInMs),
            });
        } catch (error) {
            if (signal.aborted) return;
            const text = `${titleOf(trigger)}: ${error instanceof Error ? error.message : String(error)}`;
            if (isFlowError(error) && error.treat === 'transient') Logger.debug(text, LOG_CONTEXT);
            else Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
        }
    }

    /** Logs each note once, until it no longer applies. */
    private tell(watch: Watch, remarks: readonly WatchNote[]): void {
        const text = remarks.map(({ message }) => message).join(' ');
        if (text === (watch.told ?? '')) return;
        watch.told = text;
        if (text === '') Logger.info(`${titleOf(watch.folder.trigger)}: the problem no longer exists.`, LOG_CONTEXT);
        else Logger.warn(`${titleOf(watch.folder.trigger)}: ${text}`, LOG_CONTEXT);
    }
}

function now(): ListingTime {
    return { wallMs: Date.now(), steadyMs: performance.now() };
}

function nameOf({ pipelineId, stepKey, revisionId }: WatchOfRevision): string {
    return `${pipelineId} ${stepKey} ${revisionId}`;
}

function serverOf({ folder: { trigger, config } }: Watch): string {
    return `${trigger.channelId} ${config.connectionCode}`;
}

function titleOf({ pipelineCode, stepKey }: ActiveTrigger): string {
    return `FILE trigger "${stepKey}" of pipeline "${pipelineCode}"`;
}
