import type { StatementProgram } from '../../core/adapter/loader';
import { name, raw, select, send, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import { nowMs } from './database-clock';
import { deleteExpired } from './expiry';
import { type StoreEnv, targetOf } from './store-env';

/** How long a received message is remembered. */
const REMEMBERED_MS = 7 * 24 * 3_600_000;

/** Which of some messages have come before. */
interface KnownMessages {
    readonly known: ReadonlySet<string>;
    /** Messages received so long ago that the same message may be received as a new one. */
    readonly expired: readonly string[];
}

/** The messages that have started runs. */
export class ReceivedMessages {
    constructor(private readonly env: StoreEnv) {}

    /** One statement; none for no scopes. */
    async find(scopes: readonly string[]): Promise<KnownMessages> {
        if (scopes.length === 0) return { known: new Set(), expired: [] };
        return this.env.database.run(() => this.finding(scopes));
    }

    /**
     * Stores that these messages have started a run. Throws RECORD_REFUSED if one of them is stored already; the caller's transaction must then be rolled back.
     */
    *give(scopes: readonly string[], expired: readonly string[], runId: Id): StatementProgram<void> {
        const { tables, database } = this.env;
        const { receivedMessages: messages } = tables;
        const now = nowMs(database.dialect);
        if (expired.length > 0)
            yield* send(sql`
                DELETE FROM ${messages.name}
                WHERE ${database.dialect.oneOf(messages.column('scope'), expired)} AND ${messages.column('expiresAt')} <= ${now}`);
        const expiresAt = sql`${now} + ${raw(String(REMEMBERED_MS))}`;
        yield* insertRows(
            targetOf(this.env, 'receivedMessages'),
            scopes.map(scope => ({ scope, runId, expiresAt })),
        );
    }

    /** Deletes expired rows in batches. Yields the number of deleted rows after each batch. */
    purge(): AsyncGenerator<number> {
        return deleteExpired(this.env, 'receivedMessages');
    }

    private *finding(scopes: readonly string[]): StatementProgram<KnownMessages> {
        const { tables, database } = this.env;
        const { receivedMessages: messages } = tables;
        const rows = yield* select<{ scope: string; isExpired: number | boolean }>(sql`
            SELECT ${messages.column('scope')} AS ${name('scope')},
                ${messages.column('expiresAt')} <= ${nowMs(database.dialect)} AS ${name('isExpired')}
            FROM ${messages.name} WHERE ${database.dialect.oneOf(messages.column('scope'), scopes)}`);
        const of = (isExpired: boolean): string[] =>
            rows.filter(row => Boolean(row.isExpired) === isExpired).map(({ scope }) => scope);
        return { known: new Set(of(false)), expired: of(true) };
    }
}
