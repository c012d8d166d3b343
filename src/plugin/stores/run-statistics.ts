import type { StatementProgram } from '../../core/adapter/loader';
import { durationBucket, NO_DURATION } from '../../core/progress/durations';
import { selectAhead, join, name, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import type { FlowPipelineRun } from '../entities/run';
import { type StoreEnv, targetOf } from './store-env';

export const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

const OF_RUN = [
    'pipelineId',
    'channelId',
    'dryRun',
    'status',
    'outcome',
    'startedAt',
    'finishedAt',
    'recordsRead',
    'recordsLoaded',
    'recordsRejected',
    'replays',
    'triggerType',
    'triggerKey',
    'occurrenceKey',
] as const;
const KEY = ['pipelineId', 'hour', 'result', 'duration'];
/** What the runs of one row come to together. */
export const SUMS = ['runs', 'recordsRead', 'recordsLoaded', 'recordsRejected'] as const;

/** The facts of an ended run that are counted. */
type CountedRun = Pick<FlowPipelineRun, (typeof OF_RUN)[number]>;

/** Queries a run that has just ended, within the transaction that ends it; the returned script reads the result. */
export function* prefetchEnded(env: StoreEnv, runId: Id): StatementProgram<() => StatementProgram<CountedRun>> {
    const { runs } = env.tables;
    const columns = join(OF_RUN.map(property => sql`${runs.column(property)} AS ${name(property)}`));
    const rows = yield* selectAhead<Record<string, unknown>>(
        sql`SELECT ${columns} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`,
    );
    return function* () {
        const [row] = yield* rows();
        return Object.fromEntries(
            OF_RUN.map(property => [property, runs.fromColumn(property, row?.[property])]),
        ) as unknown as CountedRun;
    };
}

/** Counts the run. Call it within the transaction that ends the run, so that it is counted exactly once. */
export function* countEnded(env: StoreEnv, run: CountedRun): StatementProgram<void> {
    if (run.dryRun) return;
    const { pipelineId, channelId, status, outcome, startedAt, recordsRead, recordsLoaded, recordsRejected } = run;
    const finishedMs = (run.finishedAt ?? new Date()).getTime();
    const counted = {
        pipelineId,
        hour: Math.floor(finishedMs / HOUR_MS),
        result: outcome ?? status,
        duration: startedAt ? durationBucket(finishedMs - startedAt.getTime()) : NO_DURATION,
        channelId,
        runs: 1,
        recordsRead,
        recordsLoaded,
        recordsRejected,
    };
    yield* insertRows(targetOf(env, 'statistics'), [counted], adding(env));
}

/** The end of an INSERT that adds the new numbers to the existing ones. */
function adding({ tables: { statistics }, database: { dialect } }: StoreEnv): Sql {
    const isMysql = dialect.kind === 'mysql';
    const sums = join(
        SUMS.map(property => {
            const column = statistics.column(property);
            const given = isMysql ? sql`VALUES(${column})` : sql`excluded.${column}`;
            return sql`${column} = ${statistics.name}.${column} + ${given}`;
        }),
    );
    if (isMysql) return sql` ON DUPLICATE KEY UPDATE ${sums}`;
    return sql` ON CONFLICT (${join(KEY.map(property => statistics.column(property)))}) DO UPDATE SET ${sums}`;
}

/** Deletes the statistics of hours older than this number of days, one day per statement. Yields the number of deleted rows after each. */
export async function* deleteStatistics({ database, tables }: StoreEnv, days: number): AsyncGenerator<number> {
    const { statistics } = tables;
    const hour = statistics.column('hour');
    const end = Math.floor(Date.now() / HOUR_MS) - days * DAY_HOURS;
    for (;;) {
        const [oldest] = await database.run(() =>
            select<{ hour: number | null }>(sql`SELECT MIN(${hour}) AS ${name('hour')} FROM ${statistics.name}`),
        );
        if (oldest?.hour == null || oldest.hour >= end) return;
        const until = Math.min(end, oldest.hour + DAY_HOURS);
        const { affected } = await database.run(() =>
            send(sql`DELETE FROM ${statistics.name} WHERE ${hour} < ${until}`),
        );
        yield affected;
    }
}
