import type { ID } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { join, name, raw, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import type { FlowPipelineRun } from '../entities/run';
import type { FirstListings } from '../../core/triggers/stability-window';
import type { FlowWatchedFile, WatchNote } from '../entities/watched-file';
import { nowMs } from './database-clock';
import { ifNotExists } from './insert';
import { type StoreEnv, targetOf } from './store-env';

/** A FILE trigger of a pipeline, in any of its revisions. */
interface WatchKey {
    readonly pipelineId: ID;
    readonly stepKey: string;
}

/** The facts about a file that was found before. */
export interface TakenFile extends Pick<FlowWatchedFile, 'state' | 'attempts'> {
    /** Its run has failed, and it is time to take it again. */
    readonly isDue: boolean;
}

/** A FILE trigger of a revision. */
export interface WatchOfRevision extends WatchKey {
    readonly revisionId: ID;
}

/** The facts about a trigger's folder. */
interface PolledFolder extends WatchOfRevision {
    readonly polledAgoMs: number;
    readonly remarks: readonly WatchNote[];
}

/** The result of a poll of a folder. */
interface PollOutcome {
    readonly remarks: readonly WatchNote[];
    readonly firstListings: FirstListings;
}

const DAY_MS = 86_400_000;
/** Files that were seen later than that are not said to be seen again. */
const REFRESH_MS = DAY_MS / 2;
/** A file is remembered for a week after it was seen last; that time has a resolution of a day. */
const KEPT_MS = 8 * DAY_MS;
const FIRST_WAIT_MS = 300_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;
const CHUNK = 1_000;

/** What a run of a FILE trigger is started for: a run for each time that a file is taken. The identity comes last. */
export function fileDedupKey(stepKey: string, identity: string): string {
    return `${stepKey} ${Date.now().toString(36)} ${identity}`;
}

/**
 * A run of a FILE trigger has ended, and with it what is known of its file: the cursor moves when a run has completed, and then alone.
 * Within the transaction that ends the run.
 */
export function* completeWatchedFile(
    env: StoreEnv,
    runId: Id,
    run: Pick<FlowPipelineRun, 'pipelineId' | 'triggerType' | 'triggerKey' | 'occurrenceKey' | 'status'>,
): StatementProgram<void> {
    const { pipelineId, triggerType, triggerKey: stepKey, occurrenceKey, status } = run;
    if (triggerType !== 'FILE' || occurrenceKey === null) return;
    const { watchedFiles: files } = env.tables;
    const identity = occurrenceKey.slice(occurrenceKey.lastIndexOf(' ') + 1);
    const isIt = sql`${isOf(env, { pipelineId, stepKey })} AND ${files.column('identity')} = ${identity} AND ${files.column('runId')} = ${runId}`;
    if (status === 'COMPLETED') {
        yield* send(sql`UPDATE ${files.name} SET ${files.column('state')} = ${'DONE'} WHERE ${isIt}`);
        return;
    }
    const [row] = yield* select<{ attempts: number }>(
        sql`SELECT ${files.column('attempts')} AS ${name('attempts')} FROM ${files.name} WHERE ${isIt}`,
    );
    if (!row) return;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(row.attempts - 1, 20));
    yield* send(sql`
        UPDATE ${files.name} SET ${files.column('state')} = ${'FAILED'}, ${files.column('dueAt')} = ${inMs(env, waitMs)} WHERE ${isIt}`);
}

/** The files that FILE triggers have found, and what there is to be said of their folders (ADR 18). */
export class WatchedFiles {
    constructor(private readonly env: StoreEnv) {}

    /** All that is known of a folder, by the identities of its files. One statement. */
    known(key: WatchKey): Promise<ReadonlyMap<string, TakenFile>> {
        const { env } = this;
        const { watchedFiles: files } = env.tables;
        const columns = join(
            ['identity', 'state', 'attempts'].map(property => sql`${files.column(property)} AS ${name(property)}`),
        );
        return env.database.run(function* () {
            const rows = yield* select<
                Pick<FlowWatchedFile, 'identity' | 'state' | 'attempts'> & { readonly isPast: number | boolean }
            >(sql`
                SELECT ${columns}, ${files.column('dueAt')} <= ${nowMs(env.database.dialect)} AS ${name('isPast')}
                FROM ${files.name} WHERE ${isOf(env, key)}`);
            return new Map(
                rows.map(({ identity, state, attempts, isPast }) => [
                    identity,
                    { state, attempts, isDue: state === 'FAILED' && Boolean(isPast) },
                ]),
            );
        });
    }

    /**
     * Records that a run was started for a file, within the transaction that stores the run. Throws RECORD_REFUSED if another process has taken the
     * file: the transaction must then be rolled back.
     */
    *taken(
        { pipelineId, stepKey }: WatchKey,
        { identity, runId, before }: { readonly identity: string; readonly runId: Id; readonly before?: TakenFile },
    ): StatementProgram<void> {
        const { env } = this;
        const { watchedFiles: files } = env.tables;
        const { dialect } = env.database;
        const attempts = before?.attempts ?? 0;
        // If another process has taken it since, it is not deleted, and the insert of the new row fails.
        if (before)
            yield* send(sql`
                DELETE FROM ${files.name} WHERE ${isOf(env, { pipelineId, stepKey })} AND ${files.column('identity')} = ${identity}
                AND ${files.column('state')} = ${'FAILED'} AND ${files.column('attempts')} = ${attempts}`);
        const row = { pipelineId, stepKey, identity, runId, state: 'OPEN', attempts: attempts + 1, dueAt: 0 };
        yield* insertRows(targetOf(env, 'watchedFiles'), [{ ...row, seenAt: nowMs(dialect) }]);
    }

    /**
     * Records that these files are in the folder, so that they are remembered for at least another week. Each statement updates a thousand files
     * that were not updated for half a day.
     */
    async seen(key: WatchKey, identities: readonly string[]): Promise<void> {
        const { env } = this;
        const { watchedFiles: files } = env.tables;
        const { dialect } = env.database;
        for (let from = 0; from < identities.length; from += CHUNK) {
            const some = identities.slice(from, from + CHUNK);
            await env.database.run(() =>
                send(sql`
                    UPDATE ${files.name} SET ${files.column('seenAt')} = ${nowMs(dialect)}
                    WHERE ${isOf(env, key)} AND ${dialect.oneOf(files.column('identity'), some)}
                    AND ${files.column('seenAt')} < ${inMs(env, -REFRESH_MS)}`),
            );
        }
    }

    /** Forgets the files of a folder that were not seen for a week. Call it when all current files were recorded as seen. */
    async forget(key: WatchKey): Promise<void> {
        const { env } = this;
        const { watchedFiles: files } = env.tables;
        await env.database.run(() =>
            send(sql`
                DELETE FROM ${files.name} WHERE ${isOf(env, key)} AND ${files.column('state')} <> ${'OPEN'}
                AND ${files.column('seenAt')} < ${inMs(env, -KEPT_MS)}`),
        );
    }

    /** A folder was polled. */
    async polled(
        { pipelineId, stepKey, revisionId }: WatchOfRevision,
        { remarks, firstListings }: PollOutcome,
    ): Promise<void> {
        const { env } = this;
        const { fileWatches: watches } = env.tables;
        const now = nowMs(env.database.dialect);
        const target = targetOf(env, 'fileWatches');
        await env.database.run(function* () {
            const { affected } = yield* send(sql`
                UPDATE ${watches.name} SET ${watches.column('polledAt')} = ${now}, ${watches.column('revisionId')} = ${revisionId as Id},
                ${watches.column('remarks')} = ${watches.toColumn('remarks', remarks)},
                ${watches.column('firstListings')} = ${watches.toColumn('firstListings', firstListings)}
                WHERE ${watches.column('pipelineId')} = ${pipelineId as Id} AND ${watches.column('stepKey')} = ${stepKey}`);
            if (affected > 0) return;
            const row = { pipelineId, stepKey, revisionId, polledAt: now, remarks, firstListings };
            yield* insertRows(target, [row], ifNotExists(target, ['pipelineId', 'stepKey']));
        });
    }

    /** What the last polls of the folders of some pipelines have left for the next process. One statement. */
    async firstListings(
        pipelineIds: readonly ID[],
    ): Promise<
        ReadonlyArray<WatchOfRevision & { readonly polledAgoMs: number; readonly firstListings: FirstListings }>
    > {
        if (pipelineIds.length === 0) return [];
        const { env } = this;
        const { fileWatches: watches } = env.tables;
        const { dialect } = env.database;
        const columns = join(
            ['pipelineId', 'stepKey', 'revisionId', 'firstListings'].map(
                property => sql`${watches.column(property)} AS ${name(property)}`,
            ),
        );
        const rows = await env.database.run(() =>
            select<
                WatchOfRevision & { readonly firstListings: string | null; readonly polledAgoMs: number | string }
            >(sql`
                SELECT ${columns}, ${nowMs(dialect)} - ${watches.column('polledAt')} AS ${name('polledAgoMs')} FROM ${watches.name}
                WHERE ${dialect.oneOf(watches.column('pipelineId'), [...new Set(pipelineIds)] as readonly Id[])}`),
        );
        return rows.map(({ polledAgoMs, firstListings, ...watch }) => ({
            ...watch,
            polledAgoMs: Number(polledAgoMs),
            firstListings: JSON.parse(firstListings ?? '{"seenForMs":{}}') as JsonValue as unknown as FirstListings,
        }));
    }

    /** The last remarks about the folders of some pipelines. Uses one statement. */
    async watches(pipelineIds: readonly ID[]): Promise<readonly PolledFolder[]> {
        if (pipelineIds.length === 0) return [];
        const { env } = this;
        const { fileWatches: watches } = env.tables;
        const { dialect } = env.database;
        const columns = join(
            ['pipelineId', 'stepKey', 'revisionId', 'remarks'].map(
                property => sql`${watches.column(property)} AS ${name(property)}`,
            ),
        );
        const rows = await env.database.run(() =>
            select<WatchOfRevision & { readonly remarks: string; readonly polledAgoMs: number | string }>(sql`
                SELECT ${columns}, ${nowMs(dialect)} - ${watches.column('polledAt')} AS ${name('polledAgoMs')} FROM ${watches.name}
                WHERE ${dialect.oneOf(watches.column('pipelineId'), [...new Set(pipelineIds)] as readonly Id[])}`),
        );
        return rows.map(({ polledAgoMs, remarks, ...watch }) => ({
            ...watch,
            polledAgoMs: Number(polledAgoMs),
            remarks: JSON.parse(remarks) as JsonValue as unknown as readonly WatchNote[],
        }));
    }
}

function isOf({ tables: { watchedFiles: files } }: StoreEnv, { pipelineId, stepKey }: WatchKey): Sql {
    return sql`${files.column('pipelineId')} = ${pipelineId as Id} AND ${files.column('stepKey')} = ${stepKey}`;
}

function inMs({ database: { dialect } }: StoreEnv, ms: number): Sql {
    return sql`${nowMs(dialect)} + ${raw(String(Math.round(ms)))}`;
}
