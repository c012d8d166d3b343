import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { name, raw, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { insertRows } from '../../database/write';
import { FlowLeaderLease } from '../entities/leader-lease';
import { nowMs } from '../stores/database-clock';
import { unlessThere } from '../stores/insert';
import type { LeaderLeases, LeaseClaim } from './leader-leases';

/** `locking: "database"`: a row for each lease, which runs out by the database's clock. */
export class DatabaseLeases implements LeaderLeases {
    private readonly leases: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.leases = tableOf(dataSource, FlowLeaderLease);
    }

    take(claim: LeaseClaim): Promise<number | undefined> {
        return this.database.transaction(() => this.taking(claim), { brief: true });
    }

    async release({ name: lease, holder }: Pick<LeaseClaim, 'name' | 'holder'>): Promise<void> {
        const { leases } = this;
        await this.database.run(() =>
            send(sql`
                UPDATE ${leases.name} SET ${leases.column('holder')} = NULL
                WHERE ${leases.column('name')} = ${lease} AND ${leases.column('holder')} = ${holder}`),
        );
    }

    close(): Promise<void> {
        return Promise.resolve();
    }

    private *taking(claim: LeaseClaim): Script<number | undefined> {
        const { leases, database } = this;
        const target = { table: leases, dialect: database.dialect };
        if (!(yield* this.took(claim))) {
            const known = yield* select(
                sql`SELECT ${leases.column('term')} FROM ${leases.name} WHERE ${leases.column('name')} = ${claim.name}`,
            );
            if (known.length > 0) return undefined;
            // Whoever else makes the row at the same time has it first or behind this one, and only one of them takes it.
            const row = { name: claim.name, holder: null, term: 0, expiresAt: 0 };
            yield* insertRows(target, [row], unlessThere(target, ['name']));
            if (!(yield* this.took(claim))) return undefined;
        }
        const [row] = yield* select<{ term: number }>(
            sql`SELECT ${leases.column('term')} AS ${name('term')} FROM ${leases.name} WHERE ${leases.column('name')} = ${claim.name}`,
        );
        return row?.term;
    }

    private *took({ name: lease, holder, leaseMs }: LeaseClaim): Script<boolean> {
        const { leases, database } = this;
        const [held, term, expiresAt] = [leases.column('holder'), leases.column('term'), leases.column('expiresAt')];
        const now = nowMs(database.dialect);
        // The term first: MySQL sets one column after the other, and the second one sees what the first has become.
        const { affected } = yield* send(sql`
            UPDATE ${leases.name} SET ${term} = CASE WHEN ${held} = ${holder} THEN ${term} ELSE ${term} + 1 END,
                ${held} = ${holder}, ${expiresAt} = ${now} + ${raw(String(leaseMs))}
            WHERE ${leases.column('name')} = ${lease} AND (${held} = ${holder} OR ${held} IS NULL OR ${expiresAt} < ${now})`);
        return affected > 0;
    }
}
