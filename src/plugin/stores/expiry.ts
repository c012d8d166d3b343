import type { StatementProgram } from '../../core/adapter/loader';
import { name, select, send, sql } from '../../database/statement';
import { nowMs } from './database-clock';
import { CLEANUP_BATCH } from './cleanup-queries';
import type { StoreEnv } from './store-env';

/** Tables whose rows are known by their `scope` until their time is over by the database's clock. */
type ExpiringTable = 'webhookKeys' | 'receivedMessages';

/** Deletes expired rows in batches. Yields the number of deleted rows after each batch. */
export async function* deleteExpired({ database, tables }: StoreEnv, table: ExpiringTable): AsyncGenerator<number> {
    const rows = tables[table];
    const isOver = sql`${rows.column('expiresAt')} <= ${nowMs(database.dialect)}`;
    const expired = function* (): StatementProgram<readonly string[]> {
        const found = yield* select<{ scope: string }>(sql`
            SELECT ${rows.column('scope')} AS ${name('scope')} FROM ${rows.name}
            WHERE ${isOver} ORDER BY ${rows.column('expiresAt')} LIMIT ${CLEANUP_BATCH}`);
        return found.map(({ scope }) => scope);
    };
    // A row may have been renewed meanwhile.
    const removing = function* (scopes: readonly string[]): StatementProgram<number> {
        const { affected } = yield* send(sql`
            DELETE FROM ${rows.name} WHERE ${database.dialect.oneOf(rows.column('scope'), scopes)} AND ${isOver}`);
        return affected;
    };
    for (;;) {
        const scopes = await database.run(expired);
        if (scopes.length === 0) return;
        yield await database.run(() => removing(scopes));
        if (scopes.length < CLEANUP_BATCH) return;
    }
}
