import type { StatementProgram } from '../../core/adapter/loader';
import { join, name, raw, select, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { nowMs } from './database-clock';
import { deleteExpired } from './expiry';
import type { StoreEnv } from './store-env';

/** What an idempotency key stands for while it is remembered. */
export interface RememberedPost {
    readonly bodyDigest: string;
    readonly runId: Id;
    readonly recordCount: number;
}

/** The facts about a key: the post that has it, or that an earlier post had it until it expired. */
export type KnownKey = RememberedPost | 'expired' | undefined;

/** The idempotency keys of webhooks. Each is remembered for its lifetime by the database's clock, and can be reused afterwards. */
export class WebhookKeys {
    constructor(private readonly env: StoreEnv) {}

    /** One statement. */
    find(scope: string): Promise<KnownKey> {
        return this.env.database.run(() => this.finding(scope));
    }

    /**
     * Assigns an unused or expired key to a request. Throws RECORD_REFUSED if another request was first: the transaction must then be rolled back.
     */
    *give(
        { scope, ttlSec, known }: { readonly scope: string; readonly ttlSec: number; readonly known: KnownKey },
        { bodyDigest, runId, recordCount }: RememberedPost,
    ): StatementProgram<void> {
        const { tables, database } = this.env;
        const { webhookKeys: keys } = tables;
        const now = nowMs(database.dialect);
        if (known !== undefined)
            yield* send(sql`
                DELETE FROM ${keys.name} WHERE ${keys.column('scope')} = ${scope} AND ${keys.column('expiresAt')} <= ${now}`);
        const columns = join(
            ['scope', 'bodyDigest', 'runId', 'recordCount', 'expiresAt'].map(property => keys.column(property)),
        );
        yield* send(sql`
            INSERT INTO ${keys.name} (${columns})
            VALUES (${scope}, ${bodyDigest}, ${runId}, ${recordCount}, ${now} + ${raw(String(ttlSec * 1_000))})`);
    }

    /** Deletes expired rows in batches. Yields the number of deleted rows after each batch. */
    purge(): AsyncGenerator<number> {
        return deleteExpired(this.env, 'webhookKeys');
    }

    private *finding(scope: string): StatementProgram<KnownKey> {
        const { tables, database } = this.env;
        const { webhookKeys: keys } = tables;
        const columns = join(
            ['bodyDigest', 'runId', 'recordCount'].map(property => sql`${keys.column(property)} AS ${name(property)}`),
        );
        const [row] = yield* select<RememberedPost & { readonly isExpired: number | boolean }>(sql`
            SELECT ${columns}, ${keys.column('expiresAt')} <= ${nowMs(database.dialect)} AS ${name('isExpired')}
            FROM ${keys.name} WHERE ${keys.column('scope')} = ${scope}`);
        if (!row) return undefined;
        const { isExpired, ...post } = row;
        return isExpired ? 'expired' : post;
    }
}
