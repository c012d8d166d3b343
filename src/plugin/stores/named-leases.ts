import { Logger } from '@vendure/core';
import { randomUUID } from 'node:crypto';
import type { Script } from '../../core/adapter/loader';
import { raw, send, sql } from '../../database/statement';
import { insertRows } from '../../database/write';
import { LOG_CONTEXT } from '../tokens';
import { nowMs } from './database-clock';
import { unlessThere } from './insert';
import { type StoreEnv, targetOf } from './store-env';

const FORGOTTEN_MS = 3_600_000;

/** Something that this process alone is at. */
export interface HeldLease {
    /** Gives it back; with `restMs`, nobody takes it for so long. */
    end(restMs?: number): Promise<void>;
}

/** Lets one worker at a time do what has a name. What a dead one held is free when its lease has run out. */
export class NamedLeases {
    constructor(
        private readonly env: StoreEnv,
        private readonly leaseMs: number,
    ) {}

    /** Undefined where somebody else is at it, or it rests. Kept until it is given back, however long that takes. */
    async hold(leaseName: string): Promise<HeldLease | undefined> {
        const token = randomUUID();
        const { database } = this.env;
        if (!(await database.run(() => this.take(leaseName, token)))) return undefined;
        const renew = (): void => {
            database
                .run(() => this.extend(leaseName, token, this.leaseMs))
                .catch((error: unknown) =>
                    Logger.warn(`The lease ${leaseName} could not be renewed: ${String(error)}`, LOG_CONTEXT),
                );
        };
        const renewing = setInterval(renew, Math.max(1, this.leaseMs / 3)).unref();
        return {
            end: async (restMs = 0) => {
                clearInterval(renewing);
                await database.run(() => this.giveBack(leaseName, token, restMs));
            },
        };
    }

    /** Removes those that ran out an hour ago or earlier: whoever died with one of a run that has nothing left to do never comes back for it. */
    async removeForgotten(): Promise<void> {
        const { database, tables } = this.env;
        const { leases } = tables;
        const expiresAt = leases.column('expiresAt');
        await database.run(() =>
            // 0 is one that somebody is just taking.
            send(
                sql`DELETE FROM ${leases.name} WHERE ${expiresAt} > 0 AND ${expiresAt} < ${nowMs(database.dialect)} - ${raw(String(FORGOTTEN_MS))}`,
            ),
        );
    }

    private *take(leaseName: string, token: string): Script<boolean> {
        const { tables, database } = this.env;
        const { leases } = tables;
        const now = nowMs(database.dialect);
        const { affected } = yield* send(sql`
            UPDATE ${leases.name} SET ${leases.column('token')} = ${token}, ${leases.column('expiresAt')} = ${now} + ${raw(String(this.leaseMs))}
            WHERE ${leases.column('name')} = ${leaseName} AND ${leases.column('expiresAt')} < ${now}`);
        if (affected > 0) return true;
        const target = targetOf(this.env, 'leases');
        // Whoever comes second finds the first one's row.
        yield* insertRows(target, [{ name: leaseName, token, expiresAt: 0 }], unlessThere(target, ['name']));
        return yield* this.extend(leaseName, token, this.leaseMs);
    }

    private *extend(leaseName: string, token: string, ms: number): Script<boolean> {
        const { tables, database } = this.env;
        const { leases } = tables;
        const { affected } = yield* send(sql`
            UPDATE ${leases.name} SET ${leases.column('expiresAt')} = ${nowMs(database.dialect)} + ${raw(String(Math.round(ms)))}
            WHERE ${leases.column('name')} = ${leaseName} AND ${leases.column('token')} = ${token}`);
        return affected > 0;
    }

    private *giveBack(leaseName: string, token: string, restMs: number): Script<void> {
        const { leases } = this.env.tables;
        if (restMs > 0) return void (yield* this.extend(leaseName, token, restMs));
        yield* send(
            sql`DELETE FROM ${leases.name} WHERE ${leases.column('name')} = ${leaseName} AND ${leases.column('token')} = ${token}`,
        );
    }
}
