import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { type RunStatus, canTransition } from '../../core/progress/state';
import { EMPTY, Sql, join, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { StoreEnv } from './store-env';

/** One step of a run's life. */
export interface RunChange {
    readonly runId: Id;
    readonly from: RunStatus;
    readonly to: RunStatus;
    /** The token of the run's holder; null for no holder; omitted if it does not matter. */
    readonly token?: string | null;
    /** Values by property; SQL values are inserted unchanged. */
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
 * The only way to change a run's status: an UPDATE that finds the row only while it is in the expected state. Returns whether it did. A transition
 * that the state machine of core/progress/state does not contain is a bug. A run that continues with another worker moves RUNNING → PENDING →
 * RUNNING in one step.
 */
export function* changeRun(
    { database, tables }: StoreEnv,
    { runId, from, to, token, set, and }: RunChange,
): StatementProgram<boolean> {
    if (from !== to && !canTransition(from, to))
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
