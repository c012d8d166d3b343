import { randomUUID } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { type RunStatus, isTerminal } from '../../core/progress/state';
import { EMPTY, type Sql, join, name, post, raw, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { nowTimestamp, nowMs } from './database-clock';
import { forgetDryRun } from './dry-run-restart';
import { raiseFence } from './fence';
import { type RunChange, changeRun } from './run-changes';
import { pauseForPerson } from './pauses';
import { offsetsOfRun } from './offsets';
import { endRun } from './run-transitions';
import { type RunProgress, progressOf } from './run-progress';
import type { RunIdentity, StoreEnv } from './store-env';
import { readStoredRun, type StoredRun } from './stored-run';
import { crashesWithoutProgress } from './takeovers';

/** After this number of consecutive dead workers without progress, a run pauses until a user resumes it. */
const MOST_DEATHS = 3;

/** A run in the hands of this worker. */
export interface ClaimedRun extends StoredRun {
    /** No worker has started it before. */
    readonly isFirstStart: boolean;
    /** Its worker has died. */
    readonly isTakeover: boolean;
    /** It was paused, and records that a step held may continue. */
    readonly isResumed: boolean;
    /** A dry run that another worker had started: that worker's memory is lost, and everything stored of the run was deleted. */
    readonly isRestart: boolean;
}

/**
 * Why there is nothing to do: it is `gone` or has `ended`, is `paused`, another worker is at it (`taken`), an earlier run of its
 * pipeline comes first (`waits`), or too many workers have died at it and it has just been stopped (`gaveUp`): paused, or failed where it is a dry run.
 */
type UnclaimedRun = 'gone' | 'ended' | 'paused' | 'taken' | 'waits' | 'gaveUp';
export type Claim = { readonly run: ClaimedRun } | { readonly run: undefined; readonly because: UnclaimedRun };

interface Candidate {
    readonly pipelineId: Id;
    readonly channelId: Id;
    readonly status: RunStatus;
    readonly leaseToken: string | null;
    readonly isExpired: number | boolean | null;
    readonly takeovers: number;
    readonly startedAt: unknown;
    readonly dryRun: unknown;
}

const CANDIDATE = ['pipelineId', 'channelId', 'status', 'leaseToken', 'takeovers', 'startedAt', 'dryRun'] as const;

/** The lease that a claim is about to take, and of which run. */
interface NewLease {
    readonly token: string;
    runId: Id | undefined;
}

/** The run of a pipeline that is next. */
type WaitingRun = Candidate & { readonly id: Id };

/** Who works on which run. Leases last by the database's clock; every move is one UPDATE that names the state it comes from. */
export class RunLeases {
    constructor(
        private readonly env: StoreEnv,
        private readonly leaseMs: number,
    ) {}

    /**
     * Takes a run that waits, or whose worker has given it back or died. The runs of a pipeline work one after another, first
     * come, first served.
     */
    claim(runId: Id): Promise<Claim> {
        return this.claiming(mine => this.take(runId, mine));
    }

    /** The same as `claim`, for the next run of a pipeline. `waits`: there is none, or another one is running. */
    claimNext(pipelineId: Id): Promise<Claim> {
        return this.claiming(mine => this.takeNext(pipelineId, mine));
    }

    private async claiming(script: (mine: NewLease) => StatementProgram<Claim>): Promise<Claim> {
        const mine: NewLease = { token: randomUUID(), runId: undefined };
        try {
            return await this.env.database.transaction(() => script(mine), { brief: true, goesAhead: true });
        } catch (error) {
            // Its COMMIT may have arrived. Where this fails as well, the lease runs out.
            const { token, runId } = mine;
            if (runId !== undefined) await this.release({ runId, token }).catch(() => false);
            throw error;
        }
    }

    /** Renews the lease and stores the progress. `lost`: the run is another worker's, write nothing more. */
    renew({ runId, token }: RunIdentity, progress?: RunProgress): Promise<'continue' | 'cancel' | 'lost'> {
        const { runs } = this.env.tables;
        const change: RunChange = {
            runId,
            token,
            from: 'RUNNING',
            to: 'RUNNING',
            set: { ...(progress && progressOf(progress)), leaseExpiresAt: this.expiry() },
        };
        const env = this.env;
        return env.database.run(function* () {
            const unlessCancelled = sql`${runs.column('cancelRequestedAt')} IS NULL`;
            if (yield* changeRun(env, { ...change, and: unlessCancelled })) return 'continue';
            return (yield* changeRun(env, change)) ? 'cancel' : 'lost';
        });
    }

    /**
     * Returns the run: it stays RUNNING, and any worker may continue it at once, without counting an attempt. For the end of a slice, a worker that
     * shuts down, and a database that was unavailable. False if another worker already had the run.
     */
    release({ runId, token }: Pick<RunIdentity, 'runId' | 'token'>, progress?: RunProgress): Promise<boolean> {
        const set = { ...(progress && progressOf(progress)), leaseToken: null, leaseExpiresAt: null };
        return this.env.database.run(() => changeRun(this.env, { runId, token, from: 'RUNNING', to: 'RUNNING', set }));
    }

    /** The next run of a pipeline, if none is running. */
    async next(pipelineId: Id): Promise<Id | undefined> {
        const due = await this.env.database.run(() => this.waiting(1, pipelineId));
        return due[0]?.id;
    }

    /**
     * Runs that a worker should look at: those whose worker has died or given them back, and of each pipeline without a run at
     * work the one that waits longest. The sweeper hands them to the queue again.
     */
    async due(limit: number): Promise<readonly Id[]> {
        const { database } = this.env;
        const abandoned = await database.run(() => this.abandoned(limit));
        const waiting = await database.run(() => this.waiting(limit));
        return [...abandoned, ...waiting.map(({ id }) => id)].slice(0, limit);
    }

    private *take(runId: Id, mine: NewLease): StatementProgram<Claim> {
        const known = yield* this.candidate(runId, EMPTY);
        if (!known) return unclaimed('gone');
        yield* this.lockPipeline(known.pipelineId);
        const candidate = yield* this.candidate(runId, this.rowLock());
        if (!candidate) return unclaimed('gone');
        const { status, leaseToken, isExpired, pipelineId } = candidate;
        if (isTerminal(status)) return unclaimed('ended');
        if (status === 'PAUSED') return unclaimed('paused');
        if (status === 'RUNNING' && leaseToken !== null && !isExpired) return unclaimed('taken');
        if (yield* this.comesLater(runId, pipelineId, status)) return unclaimed('waits');
        return yield* this.taking(runId, candidate, mine);
    }

    /** Makes concurrent claims on runs of this pipeline wait, so that the next run stays the next. */
    private *takeNext(pipelineId: Id, mine: NewLease): StatementProgram<Claim> {
        yield* this.lockPipeline(pipelineId);
        const [next] = yield* this.waiting(1, pipelineId);
        return next ? yield* this.taking(next.id, next, mine) : unclaimed('waits');
    }

    /** A run that nothing keeps from being taken, under the lock of its pipeline. */
    private *taking(runId: Id, candidate: Candidate, mine: NewLease): StatementProgram<Claim> {
        const { status, leaseToken, takeovers, pipelineId, channelId } = candidate;
        const isTakeover = status === 'RUNNING' && leaseToken !== null;
        const deaths = isTakeover ? yield* this.deaths(runId, candidate) : takeovers;
        if (isTakeover && deaths >= MOST_DEATHS) {
            const holder = { runId, pipelineId, channelId, token: leaseToken, takeovers };
            yield* this.giveUp(holder, Boolean(candidate.dryRun));
            return unclaimed('gaveUp');
        }
        const { token } = mine;
        mine.runId = runId;
        const { runs } = this.env.tables;
        const one = (property: string): Sql => sql`${runs.column(property)} + 1`;
        const goesOn = status === 'RUNNING' && !isTakeover;
        const set = {
            leaseToken: token,
            leaseExpiresAt: this.expiry(),
            ...(!goesOn && { attempt: one('attempt') }),
            ...(isTakeover && { takeovers: deaths }),
            ...(candidate.startedAt === null && { startedAt: nowTimestamp(this.env.database.dialect) }),
        };
        const isMine = yield* changeRun(this.env, { runId, token: leaseToken, from: status, to: 'RUNNING', set });
        if (!isMine) return unclaimed('taken');
        const identity = { runId, pipelineId, channelId, token, takeovers: deaths };
        yield* raiseFence(this.env, identity);
        const isFirstStart = candidate.startedAt === null;
        const claimed = yield* readStoredRun(this.env, identity);
        const isRestart = claimed.dryRun && !isFirstStart;
        if (isRestart) yield* forgetDryRun(this.env, identity);
        const isResumed = status === 'PENDING' && !isFirstStart;
        return { run: { ...claimed, isFirstStart, isTakeover, isResumed, isRestart } };
    }

    /** A dry run begins again with each worker, so that nothing of it is progress. */
    private *deaths(runId: Id, { pipelineId, takeovers, dryRun }: Candidate): StatementProgram<number> {
        return dryRun ? takeovers + 1 : yield* crashesWithoutProgress(this.env, { runId, pipelineId }, takeovers);
    }

    private *giveUp(holder: RunIdentity, isDryRun: boolean): StatementProgram<void> {
        const place = yield* placeOf(this.env, holder);
        const error = flowError('NO_PROGRESS', { deaths: MOST_DEATHS, place });
        if (yield* this.isToBeCancelled(holder.runId)) {
            yield* endRun(this.env, holder, { status: 'CANCELLED' });
        } else if (isDryRun) yield* endRun(this.env, holder, { status: 'FAILED', error });
        else yield* pauseForPerson(this.env, holder, error);
    }

    private *isToBeCancelled(runId: Id): StatementProgram<boolean> {
        const { runs } = this.env.tables;
        const rows = yield* select(sql`
            SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name}
            WHERE ${runs.column('id')} = ${runId} AND ${runs.column('cancelRequestedAt')} IS NOT NULL`);
        return rows.length > 0;
    }

    private *candidate(runId: Id, lock: Sql): StatementProgram<Candidate | undefined> {
        const { tables, database } = this.env;
        const { runs } = tables;
        const columns = join(CANDIDATE.map(property => sql`${runs.column(property)} AS ${name(property)}`));
        const rows = yield* select<Candidate>(sql`
            SELECT ${columns}, ${runs.column('leaseExpiresAt')} < ${nowMs(database.dialect)} AS ${name('isExpired')}
            FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}${lock}`);
        return rows[0];
    }

    /** Two workers that claim two runs of one pipeline do it one after the other. */
    private *lockPipeline(pipelineId: Id): StatementProgram<void> {
        const { pipelines } = this.env.tables;
        // Later claims wait for this lock.
        yield* post(
            sql`SELECT ${pipelines.column('id')} FROM ${pipelines.name} WHERE ${pipelines.column('id')} = ${pipelineId}${this.rowLock()}`,
        );
    }

    private rowLock(): Sql {
        return this.env.database.dialect.kind === 'sqlite' ? EMPTY : raw(' FOR UPDATE');
    }

    /** Whether another run of the pipeline is running, has waited longer, or is paused with records that this one would read again. */
    private *comesLater(runId: Id, pipelineId: Id, status: RunStatus): StatementProgram<boolean> {
        if (status === 'RUNNING') return false;
        const [next] = yield* this.waiting(1, pipelineId);
        return String(next?.id) !== String(runId);
    }

    private *abandoned(limit: number): StatementProgram<readonly Id[]> {
        const { tables, database } = this.env;
        const { runs } = tables;
        const rows = yield* select<{ id: Id }>(sql`
            SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name} WHERE ${runs.column('status')} = ${'RUNNING'}
            AND (${runs.column('leaseToken')} IS NULL OR ${runs.column('leaseExpiresAt')} < ${nowMs(database.dialect)})
            ORDER BY ${runs.column('createdAt')}, ${runs.column('id')} LIMIT ${limit}`);
        return rows.map(({ id }) => id);
    }

    /**
     * Of each pipeline that lets another run begin the one that has been waiting for longest. Pipeline by pipeline, each by an index: what it costs
     * does not depend on how many wait, or have ended.
     */
    private *waiting(limit: number, pipelineId?: Id): StatementProgram<readonly WaitingRun[]> {
        const { runs, pipelines } = this.env.tables;
        const of = (alias: 'n' | 'o' | 'r', property: string): Sql => sql`${raw(alias)}.${runs.column(property)}`;
        const ofPipeline = pipelineId === undefined ? EMPTY : sql`AND p.${pipelines.column('id')} = ${pipelineId}`;
        const another = (status: RunStatus, and: Sql): Sql => sql`EXISTS (
            SELECT 1 FROM ${runs.name} o WHERE ${of('o', 'pipelineId')} = p.${pipelines.column('id')}
            AND ${of('o', 'status')} = ${status}${and})`;
        const holdsBack = sql` AND ${of('o', 'holdsBack')} = ${runs.toColumn('holdsBack', true)}`;
        const columns = join(CANDIDATE.map(property => sql`${of('r', property)} AS ${name(property)}`));
        return yield* select<WaitingRun>(sql`
            SELECT ${of('r', 'id')} AS ${name('id')}, ${columns}, 0 AS ${name('isExpired')} FROM ${pipelines.name} p JOIN ${runs.name} r ON ${of('r', 'id')} = (
                SELECT ${of('n', 'id')} FROM ${runs.name} n
                WHERE ${of('n', 'pipelineId')} = p.${pipelines.column('id')} AND ${of('n', 'status')} = ${'PENDING'}
                ORDER BY ${of('n', 'createdAt')}, ${of('n', 'id')} LIMIT 1)
            WHERE NOT ${another('RUNNING', EMPTY)} AND NOT ${another('PAUSED', holdsBack)} ${ofPipeline}
            ORDER BY ${of('r', 'createdAt')}, ${of('r', 'id')} LIMIT ${limit}`);
    }

    private expiry(): Sql {
        return sql`${nowMs(this.env.database.dialect)} + ${raw(String(this.leaseMs))}`;
    }
}

/** Where the workers died, as far as that is known. */
function* placeOf(env: StoreEnv, run: RunIdentity): StatementProgram<string> {
    const sources = yield* offsetsOfRun(env, run);
    const open = sources.filter(({ position: { done } }) => !done);
    if (open.length === 0) return sources.length === 0 ? 'its first batch' : 'its end';
    return open
        .map(({ sourceKey, position: { seq } }) => `the records after record ${seq} of "${sourceKey}"`)
        .join(', ');
}

function unclaimed(because: UnclaimedRun): Claim {
    return { run: undefined, because };
}
