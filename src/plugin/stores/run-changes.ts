import type { Script } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { type RunStatus, mayMove } from '../../core/progress/state';
import { EMPTY, Sql, join, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { StoreEnv } from './store-env';

/** One step of a run's life. */
export interface RunChange {
    readonly runId: Id;
    readonly from: RunStatus;
    readonly to: RunStatus;
    /** Who holds the run; null for nobody; left out where it does not matter. */
    readonly token?: string | null;
    /** Values by property; SQL stands as itself. */
    readonly set: Readonly<Record<string, unknown>>;
    readonly and?: Sql;
}

/** What a run has in its columns that waits at no gate. */
export const AT_NO_GATE = {
    gateStepKey: null,
    gateTimeoutAt: null,
    gateTimeoutLeaseToken: null,
    gateTimeoutLeaseExpiresAt: null,
    holdsBack: false,
} as const;

/**
 * The one way in which a run's status changes: an UPDATE that finds the row only as long as it is what the caller took it for.
 * Answers whether it did. A move that the machine of core/progress/state does not know is a bug; a run that goes on with
 * another worker moves RUNNING → PENDING → RUNNING in one.
 */
export function* changeRun(
    { database, tables }: StoreEnv,
    { runId, from, to, token, set, and }: RunChange,
): Script<boolean> {
    if (from !== to && !mayMove(from, to))
        throw flowError('BUG', { problem: `a run cannot become ${to} when it is ${from}` });
    const { runs } = tables;
    const values: Readonly<Record<string, unknown>> = from === to ? set : { ...set, status: to };
    const assigned = Object.entries(values).map(
        ([property, value]) =>
            sql`${runs.column(property)} = ${value instanceof Sql ? value : runs.toColumn(property, value)}`,
    );
    const held =
        token === undefined
            ? EMPTY
            : token === null
              ? sql` AND ${runs.column('leaseToken')} IS NULL`
              : sql` AND ${runs.column('leaseToken')} = ${token}`;
    const { affected } = yield* send(sql`
        UPDATE ${runs.name} SET ${join(assigned)}, ${runs.column('updatedAt')} = ${database.dialect.now}
        WHERE ${runs.column('id')} = ${runId} AND ${runs.column('status')} = ${from}${held}${and ? sql` AND ${and}` : EMPTY}`);
    return affected > 0;
}
