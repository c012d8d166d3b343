import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { join, name, raw, select, send, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { FlowLease } from '../entities/lease';
import { nowMs } from '../stores/database-clock';
import { ifNotExists } from '../stores/insert';
import type { LeaseClaimResult, Leases } from './leases';

type Holding = Pick<LeaseClaimResult, 'name' | 'holder'>;

const FORGOTTEN_MS = 3_600_000;

/**
 * A row for each lease, which expires by the database's clock. Each statement commits separately, so that a process that stops between two of them
 * blocks no other.
 */
export class DatabaseLeases implements Leases {
    private readonly leases: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.leases = tableOf(dataSource, FlowLease);
    }

    take(result: LeaseClaimResult): Promise<number | undefined> {
        return this.database.run(() => this.taking(result));
    }

    async release(spoolPolicy: Holding): Promise<void> {
        const { leases, database } = this;
        await database.run(() =>
            send(sql`UPDATE ${leases.name} SET ${leases.column('holder')} = NULL WHERE ${this.isHeld(spoolPolicy)}`),
        );
    }

    /**
     * Releases a lease whose name is not used again, and deletes its row. Returns whether another process has requested the same work since it was
     * taken, and relies on its holder to repeat it.
     */
    async drop(spoolPolicy: Holding): Promise<boolean> {
        const { leases, database } = this;
        const dropping = (and: Sql): StatementProgram<boolean> =>
            this.sent(sql`DELETE FROM ${leases.name} WHERE ${and}`);
        const held = this.isHeld(spoolPolicy);
        if (await database.run(() => dropping(sql`${held} AND ${leases.column('asked')} = 0`))) return false;
        return database.run(() => dropping(held));
    }

    /** Requests that the holder of a lease repeats its work. False if the lease has no holder. */
    ask(lease: Pick<LeaseClaimResult, 'name'>): Promise<boolean> {
        const { leases, database } = this;
        const requested = leases.column('asked');
        const asking = sql`UPDATE ${leases.name} SET ${requested} = ${requested} + 1 WHERE ${this.isNamed(lease)} AND NOT ${this.isFree()}`;
        return database.run(() => this.sent(asking));
    }

    /** Deletes leases with this prefix that expired at least an hour ago. Their holders have died, and no work is left. */
    async removeForgotten(prefix: string): Promise<void> {
        const { leases, database } = this;
        const longAgo = sql`${nowMs(database.dialect)} - ${raw(String(FORGOTTEN_MS))}`;
        await database.run(() =>
            send(
                sql`DELETE FROM ${leases.name} WHERE ${leases.column('name')} LIKE ${`${prefix}%`} AND ${leases.column('expiresAt')} < ${longAgo}`,
            ),
        );
    }

    close(): Promise<void> {
        return Promise.resolve();
    }

    private *taking(result: LeaseClaimResult): StatementProgram<number | undefined> {
        if (this.database.dialect.kind === 'postgres') return yield* this.takingAtOnce(result);
        if (yield* this.took(result)) return yield* this.term(this.isHeld(result));
        const isThere = (yield* this.term(this.isNamed(result))) !== undefined;
        if (isThere) return undefined;
        const isMade = yield* this.made(result);
        // MySQL does not report this.
        if (isMade && this.database.dialect.kind !== 'mysql') return 1;
        // If several processes insert the row at the same time, the first one holds the lease.
        return yield* this.term(this.isHeld(result));
    }

    private *takingAtOnce({ name: lease, holder, leaseMs }: LeaseClaimResult): StatementProgram<number | undefined> {
        const { leases } = this;
        const given = (property: string): Sql => sql`excluded.${leases.column(property)}`;
        const there = (property: string): Sql => sql`${leases.name}.${leases.column(property)}`;
        const isMine = sql`${there('holder')} = ${given('holder')}`;
        const isFree = sql`${there('holder')} IS NULL OR ${there('expiresAt')} < ${nowMs(this.database.dialect)}`;
        const [row] = yield* select<{ term: number }>(sql`
            INSERT INTO ${leases.name} (${this.columns()}) VALUES (${lease}, ${holder}, 1, ${this.inMs(leaseMs)}, 0)
            ON CONFLICT (${leases.column('name')}) DO UPDATE SET
                ${leases.column('term')} = CASE WHEN ${isMine} THEN ${there('term')} ELSE ${there('term')} + 1 END,
                ${leases.column('asked')} = CASE WHEN ${isMine} THEN ${there('asked')} ELSE 0 END,
                ${leases.column('holder')} = ${given('holder')}, ${leases.column('expiresAt')} = ${given('expiresAt')}
            WHERE ${isMine} OR ${isFree} RETURNING ${there('term')} AS ${name('term')}`);
        return row?.term;
    }

    private took(result: LeaseClaimResult): StatementProgram<boolean> {
        const { holder, leaseMs } = result;
        const { leases } = this;
        const [held, term, requested] = [leases.column('holder'), leases.column('term'), leases.column('asked')];
        // The holder comes last: MySQL sets one column after another, and later assignments see the new values.
        return this.sent(sql`
            UPDATE ${leases.name} SET ${term} = CASE WHEN ${held} = ${holder} THEN ${term} ELSE ${term} + 1 END,
                ${requested} = CASE WHEN ${held} = ${holder} THEN ${requested} ELSE 0 END, ${held} = ${holder},
                ${leases.column('expiresAt')} = ${this.inMs(leaseMs)}
            WHERE ${this.isNamed(result)} AND (${held} = ${holder} OR ${this.isFree()})`);
    }

    private *term(where: Sql): StatementProgram<number | undefined> {
        const { leases } = this;
        const [row] = yield* select<{ term: number }>(
            sql`SELECT ${leases.column('term')} AS ${name('term')} FROM ${leases.name} WHERE ${where}`,
        );
        return row?.term;
    }

    private made({ name: lease, holder, leaseMs }: LeaseClaimResult): StatementProgram<boolean> {
        const { leases, database } = this;
        const target = { table: leases, dialect: database.dialect };
        return this.sent(sql`
            INSERT INTO ${leases.name} (${this.columns()}) VALUES (${lease}, ${holder}, 1, ${this.inMs(leaseMs)}, 0)${ifNotExists(target, ['name'])}`);
    }

    private columns(): Sql {
        return join(['name', 'holder', 'term', 'expiresAt', 'asked'].map(property => this.leases.column(property)));
    }

    private inMs(ms: number): Sql {
        return sql`${nowMs(this.database.dialect)} + ${raw(String(Math.round(ms)))}`;
    }

    private isNamed({ name: lease }: Pick<LeaseClaimResult, 'name'>): Sql {
        return sql`${this.leases.column('name')} = ${lease}`;
    }

    private isHeld(spoolPolicy: Holding): Sql {
        return sql`${this.isNamed(spoolPolicy)} AND ${this.leases.column('holder')} = ${spoolPolicy.holder}`;
    }

    private isFree(): Sql {
        const { leases, database } = this;
        return sql`(${leases.column('holder')} IS NULL OR ${leases.column('expiresAt')} < ${nowMs(database.dialect)})`;
    }

    private *sent(statement: Sql): StatementProgram<boolean> {
        return (yield* send(statement)).affected > 0;
    }
}
