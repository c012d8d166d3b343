import { Redactor } from '../../core/adapter/redactor';
import { redactedError } from '../runs/redacted-ports';
import type { SourceReference } from '../../core/adapter/source-reference';
import { isFlowError, type FlowError } from '../../core/errors/flow-error';
import type { FileTriggerConfig } from '../../core/triggers/file';
import {
    type FirstListings,
    type IdentifiedFile,
    type ListingTime,
    filesOldestFirst,
    StabilityWindow,
} from '../../core/triggers/stability-window';
import type { Id } from '../../database/write';
import { type LogFacts, logText } from '../../core/log/log-text';
import type { WatchNote } from '../entities/watched-file';
import type { RunStarter } from '../runs/run-starter';
import { fileDedupKey, type TakenFile, type WatchedFiles } from '../stores/watched-files';
import type { ActiveTrigger } from '../triggers/active-triggers';
import { type FolderListing, listFolder, watchedUnder } from './folder-listing';
import type { OpenServer, WatchedServers } from './watched-servers';

/** What a poll needs. */
interface PollingDeps {
    readonly servers: Pick<WatchedServers, 'open'>;
    readonly files: Pick<WatchedFiles, 'known' | 'taken' | 'seen' | 'forget'>;
    readonly starter: Pick<RunStarter, 'startRead'>;
}

/** The result of a poll. */
interface PollResult {
    readonly remarks: readonly WatchNote[];
    /** How many runs were started. */
    readonly started: number;
    /** When another poll may show that a file is complete; undefined if no file is incomplete. */
    readonly againInMs: number | undefined;
}

/** How often the known files of a folder are stored as seen: once a day, and when a process starts to watch. */
const TELL_SEEN_MS = 86_400_000;
/** The longest time for a poll, so that a slow server does not delay others. */
const LONGEST_POLL_MS = 600_000;
/** The number of paths that a note names. */
const NAMED = 3;

/** The folder of a FILE trigger, as the leader process knows it. */
export class WatchedFolder {
    private readonly stabilityWindow = new StabilityWindow();
    /** The digest of the last listing in which every file had been loaded. The same listing needs no work. */
    private calm: string | undefined;
    private toldSeenAt: number | undefined;

    constructor(
        readonly trigger: ActiveTrigger,
        private readonly deps: PollingDeps,
    ) {}

    get config(): FileTriggerConfig['fileWatch'] {
        return (this.trigger.config as unknown as FileTriggerConfig).fileWatch;
    }

    /** What another process needs to know to poll the folder next. */
    firstListings(now: ListingTime, againInMs: number | undefined): FirstListings {
        return this.stabilityWindow.firstListings(now, againInMs);
    }

    /** Continues after the last poll of another process, which was at this time of the steady clock. */
    inherit(listings: FirstListings, polledAt: number): void {
        this.stabilityWindow.inherit(listings, polledAt);
    }

    /**
     * Lists the folder once and starts a run for each complete file that no process has taken, the oldest first. Needs one listing, and no
     * statement if nothing is new. If the folder cannot be listed, the result has a note. Throws the errors of the database.
     */
    async poll(now: ListingTime, leading: AbortSignal): Promise<PollResult> {
        const redactor = new Redactor();
        const late = AbortSignal.timeout(LONGEST_POLL_MS);
        const signal = AbortSignal.any([leading, late]);
        let server: OpenServer | undefined;
        let listing: FolderListing;
        try {
            server = await this.deps.servers.open(this.trigger.channelId, this.config.connectionCode, {
                redactor,
                signal,
            });
            listing = await listFolder(server, this.config, signal);
        } catch (thrown) {
            leading.throwIfAborted();
            if (!isFlowError(thrown) && !late.aborted) throw thrown;
            const error = late.aborted
                ? logText('LISTING_TOO_SLOW', { minutes: LONGEST_POLL_MS / 60_000 })
                : redactedError(thrown as FlowError, redactor);
            return { remarks: [noteOf('FILES_UNREACHABLE', { error })], started: 0, againInMs: undefined };
        } finally {
            server?.close();
        }
        const left = leftOut(listing, redactor);
        const isTold = this.toldSeenAt !== undefined && now.steadyMs - this.toldSeenAt < TELL_SEEN_MS;
        if (isTold && listing.digest === this.calm) {
            // The files that were checked before have been removed.
            this.stabilityWindow.look([], now, 0);
            return { remarks: left, started: 0, againInMs: undefined };
        }
        const known = await this.deps.files.known(this.keyed);
        if (!isTold) await this.logSeen(listing, known, now);
        const under = watchedUnder(this.config.path, server);
        return this.take({ listing, known, left, under }, { now, signal: leading });
    }

    private async take(
        { listing: { found, digest }, known, left, under }: Looked,
        { now, signal }: { readonly now: ListingTime; readonly signal: AbortSignal },
    ): Promise<PollResult> {
        const all = [...found.values()];
        const { settled, againInMs } = this.stabilityWindow.look(
            all.filter(({ identity }) => !known.has(identity)),
            now,
            this.config.minFileAge,
        );
        const again = all.filter(({ identity }) => known.get(identity)?.isDue);
        let started = 0;
        for (const one of [...settled, ...again].sort(filesOldestFirst)) {
            // Another process may be the leader by now, and will find the other files.
            if (signal.aborted) break;
            if (await this.start(one, under, known.get(one.identity))) started++;
        }
        this.calm = all.every(({ identity }) => known.get(identity)?.state === 'DONE') ? digest : undefined;
        const failed = all.filter(({ identity }) => known.get(identity)?.state === 'FAILED');
        return { remarks: [...left, ...failedRemark(failed)], started, againInMs };
    }

    /** Returns false if another process has taken the file. */
    private async start({ file, identity }: IdentifiedFile, under: string, before?: TakenFile): Promise<boolean> {
        const { pipelineId, channelId, revisionId, publishedBy, stepKey } = this.trigger;
        const { connectionCode } = this.config;
        const reference: SourceReference = { connectionCode, under, file };
        try {
            await this.deps.starter.startRead(
                {
                    pipelineId: pipelineId as Id,
                    channelId: channelId as Id,
                    revisionId: revisionId as Id,
                    actor: publishedBy,
                    triggerKey: stepKey,
                    triggerType: 'FILE',
                    sourceReference: reference,
                    occurrenceKey: fileDedupKey(stepKey, identity),
                },
                runId => this.deps.files.taken(this.keyed, { identity, runId, ...(before && { before }) }),
            );
            return true;
        } catch (thrown) {
            if (isFlowError(thrown) && thrown.code === 'RECORD_REFUSED') return false;
            throw thrown;
        }
    }

    private async logSeen(
        { found, isCut }: FolderListing,
        known: ReadonlyMap<string, TakenFile>,
        { steadyMs }: ListingTime,
    ): Promise<void> {
        const { files } = this.deps;
        await files.seen(
            this.keyed,
            [...found.keys()].filter(identity => known.has(identity)),
        );
        // If the listing was cut off, a missing file may only be unlisted.
        if (!isCut) await files.forget(this.keyed);
        this.toldSeenAt = steadyMs;
    }

    private get keyed() {
        const { pipelineId, stepKey } = this.trigger;
        return { pipelineId, stepKey };
    }
}

interface Looked {
    readonly listing: FolderListing;
    readonly known: ReadonlyMap<string, TakenFile>;
    readonly left: readonly WatchNote[];
    readonly under: string;
}

function leftOut({ notes }: FolderListing, redactor: Redactor): readonly WatchNote[] {
    return notes.length === 0 ? [] : [redactor.json(noteOf('FILES_LEFT_OUT', { notes }))];
}

function failedRemark(failed: readonly IdentifiedFile[]): readonly WatchNote[] {
    if (failed.length === 0) return [];
    const files = failed.slice(0, NAMED).map(({ file }) => file.path);
    const more = failed.length - NAMED;
    return [noteOf('FILES_FAILED', { files: more > 0 ? [...files, `… (+${more})`] : files })];
}

function noteOf<C extends WatchNote['code']>(code: C, given: LogFacts<C>): WatchNote {
    const { message, facts } = logText(code, given);
    return { code, message, facts };
}
