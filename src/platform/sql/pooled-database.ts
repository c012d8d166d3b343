import type { DataSource, QueryRunner } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import { type Database, type TransactionOptions, stripesOf } from './database';
import { type Dialect, mysql, postgres, render } from './dialect';
import { databaseFault } from './faults';
import { type Answer, type Request, join, send, sql } from './statement';

/** First half of the advisory locks' key pair, so that they meet nobody else's. */
const LOCK_CLASS = 0x464c_4f57;
const LOCK_WAIT_SEC = 60;

/** PostgreSQL, MariaDB and MySQL: a transaction has a connection of the pool to itself. */
export class PooledDatabase implements Database {
    readonly dialect: Dialect;

    constructor(private readonly dataSource: DataSource) {
        const { type } = dataSource.options;
        this.dialect = type === 'postgres' ? postgres : mysql(type === 'mariadb');
    }

    async transaction<T>(script: () => Script<T>, options: TransactionOptions = {}): Promise<T> {
        const stripes = stripesOf(options.locks ?? []);
        return this.connected(async runner => {
            const takesLocksFirst = this.dialect.kind === 'mysql' && stripes.length > 0;
            try {
                // Inside: locks that were taken before an interruption must not go back to the pool with the session.
                if (takesLocksFirst) await drive(getLocks(stripes), runner, this.dialect);
                await runner.startTransaction(this.dialect.kind === 'mysql' ? 'READ COMMITTED' : undefined);
                try {
                    if (!takesLocksFirst && stripes.length > 0)
                        await drive(advisoryLocks(stripes), runner, this.dialect);
                    const result = await drive(script(), runner, this.dialect);
                    options.signal?.throwIfAborted();
                    await runner.commitTransaction();
                    return result;
                } catch (error) {
                    await rollback(runner);
                    throw error;
                }
            } finally {
                if (takesLocksFirst) await releaseLocks(runner, stripes);
            }
        });
    }

    async run<T>(script: () => Script<T>): Promise<T> {
        return this.connected(runner => drive(script(), runner, this.dialect));
    }

    private async connected<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
        const runner = this.dataSource.createQueryRunner();
        try {
            await runner.connect();
            return await work(runner);
        } catch (error) {
            throw databaseFault(error);
        } finally {
            await runner.release();
        }
    }
}

/** A connection that broke has rolled back by itself; the error that broke it is the one to report. */
async function rollback(runner: QueryRunner): Promise<void> {
    try {
        if (runner.isTransactionActive) await runner.rollbackTransaction();
    } catch (error) {
        if (databaseFault(error).code !== 'DATABASE_LOST') throw error;
    }
}

function* advisoryLocks(stripes: readonly number[]): Script<void> {
    yield* send(sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, stripe) FROM unnest(${stripes}::int[]) AS stripe`);
}

/** GET_LOCK belongs to the session, so it is taken before the transaction and given back after its commit. */
function* getLocks(stripes: readonly number[]): Script<void> {
    for (;;) {
        const calls = stripes.map(stripe => sql`GET_LOCK(${`flow:${stripe}`}, ${LOCK_WAIT_SEC})`);
        const { rows } = yield* send<Record<string, number | null>>(sql`SELECT ${join(calls, ' + ')} AS taken`);
        if (Number(rows[0]?.['taken']) === stripes.length) return;
        yield* send(unlock(stripes));
    }
}

const unlock = (stripes: readonly number[]) =>
    sql`SELECT ${join(stripes.map(stripe => sql`RELEASE_LOCK(${`flow:${stripe}`})`))}`;

async function releaseLocks(runner: QueryRunner, stripes: readonly number[]): Promise<void> {
    const { text, params } = render(unlock(stripes), mysql(true));
    try {
        await runner.query(text, params);
    } catch (error) {
        // A lost session has lost its locks too.
        if (databaseFault(error).code !== 'DATABASE_LOST') throw error;
    }
}

/** Runs a script on one connection, statement by statement. */
async function drive<T>(script: Script<T>, runner: QueryRunner, dialect: Dialect): Promise<T> {
    let step = script.next();
    while (!step.done) {
        let answer: Answer<unknown>;
        try {
            answer = await perform(step.value as Request, runner, dialect);
        } catch (error) {
            step = script.throw(databaseFault(error));
            continue;
        }
        step = script.next(answer);
    }
    return step.value;
}

const CONTROL = { savepoint: 'SAVEPOINT', release: 'RELEASE SAVEPOINT', rollback: 'ROLLBACK TO SAVEPOINT' } as const;

async function perform(request: Request, runner: QueryRunner, dialect: Dialect): Promise<Answer<unknown>> {
    if (request.type !== 'query') {
        await runner.query(`${CONTROL[request.type]} ${request.name}`);
        return { rows: [], affected: 0, insertId: undefined };
    }
    const { text, params } = render(request.sql, dialect);
    const result = await runner.query(text, params, true);
    const header = result.raw as { insertId?: number; affectedRows?: number } | undefined;
    return {
        rows: Array.isArray(result.records)
            ? (result.records as unknown[])
            : Array.isArray(result.raw)
              ? (result.raw as unknown[])
              : [],
        affected: result.affected ?? header?.affectedRows ?? 0,
        insertId: header?.insertId,
    };
}
