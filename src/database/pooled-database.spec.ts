import { EventEmitter } from 'node:events';
import type { DataSource } from 'typeorm';
import type { ErrorCode } from '../core/errors/catalogue';
import { flowError, isFlowError } from '../core/errors/flow-error';
import type { StatementProgram } from '../core/adapter/loader';
import type { TransactionOptions } from './database';
import { limitsFor } from './limits';
import { PooledDatabase } from './pooled-database';
import { allCompleted, resultOf, post, send, sql } from './statement';

/** What a server answers to a statement; what it throws is the driver's error. */
type Server = (text: string, portalConnection: Wire, params?: unknown[]) => unknown;

class Wire extends EventEmitter {
    readonly processID = 1;
    readonly threadId = 1;
    /** As pg's since 8.22. */
    declare pipeline?: boolean;
    isClosed = false;
    /** What it was when it was closed. */
    closedAs: boolean | undefined;
    end(): Promise<void> {
        this.isClosed = true;
        this.closedAs = this.pipeline;
        return Promise.resolve();
    }
}

/** A pool whose connections a server of the test's own answers; `sent` has the beginning of each statement. */
function pool(
    type: 'postgres' | 'mysql' | 'mariadb',
    server: Server,
    limits = limitsFor(30_000),
    { pipeline }: { readonly pipeline?: boolean } = {},
) {
    const sent: string[] = [];
    const portalConnections: Wire[] = [];
    let released = 0;
    const createQueryRunner = () => {
        const portalConnection = new Wire();
        if (pipeline !== undefined) portalConnection.pipeline = pipeline;
        portalConnection.on('error', () => undefined);
        portalConnections.push(portalConnection);
        return {
            connect: () => Promise.resolve(portalConnection),
            query: async (text: string, params?: unknown[]) => {
                sent.push(text);
                const records = await server(text, portalConnection, params);
                return { records: records ?? [], raw: records ?? [] };
            },
            release: () => {
                released += 1;
                return Promise.resolve();
            },
        };
    };
    const dataSource = { options: { type }, createQueryRunner } as unknown as DataSource;
    const database = new PooledDatabase(dataSource, limits);
    const isReleased = () => released === portalConnections.length;
    return { database, sent, wires: portalConnections, isReleased };
}

const driverError = (more: object, message = 'x'): Error => Object.assign(new Error(message), more);
const versions = (text: string): unknown => (/version\(\)/.test(text) ? [{ version: '8.0.40' }] : undefined);
const taken = (text: string): unknown => (/GET_LOCK/.test(text) ? [{ taken: 1 }] : versions(text));
const failing =
    (pattern: RegExp, error: Error): Server =>
    text => {
        if (pattern.test(text)) throw error;
        return taken(text);
    };
const codeOf = async (work: Promise<unknown>): Promise<ErrorCode | 'none'> => {
    try {
        await work;
        return 'none';
    } catch (error) {
        if (isFlowError(error)) return error.code;
        throw error;
    }
};
function* one(): StatementProgram<void> {
    yield* send(sql`INSERT INTO a VALUES (1)`);
}

describe('a transaction whose connection breaks', () => {
    it('reports what broke it, not what later statements report', async () => {
        const broken = driverError({ code: '57P01' });
        const { database, isReleased } = pool('postgres', (text, wire) => {
            if (/INSERT/.test(text)) wire.emit('error', broken);
            return versions(text);
        });
        const work = database.transaction(function* () {
            yield* one();
            yield* one();
        });
        await expect(work).rejects.toMatchObject({ code: 'DATABASE_LOST', cause: broken });
        expect(isReleased()).toBe(true);
    });

    it.each(['ROLLBACK', 'SET @@SESSION'])(
        'keeps its first error when %s fails as well, and closes the connection',
        async text => {
            const refusing = failing(/INSERT/, driverError({ errno: 1062 }));
            const { database, wires, isReleased } = pool('mariadb', (statement, wire) => {
                if (statement.startsWith(text)) throw new Error('nothing works any more');
                return refusing(statement, wire);
            });
            expect(await codeOf(database.transaction(one))).toBe('RECORD_REFUSED');
            expect(wires.map(({ isClosed }) => isClosed)).toEqual([true]);
            expect(isReleased()).toBe(true);
        },
    );

    it('is committed, though its session could not be given back', async () => {
        const { database, wires } = pool('mariadb', failing(/RELEASE_LOCK/, new Error('gone')));
        expect(await codeOf(database.transaction(one, { locks: ['a'] }))).toBe('none');
        expect(wires.map(({ isClosed }) => isClosed)).toEqual([true]);
    });
});

describe('a transaction that has waited for a lock for too long', () => {
    const timeout = driverError({ code: '55P03' });
    const timesOf = async (options: TransactionOptions, pattern = /INSERT/): Promise<[string, number]> => {
        let left = 3;
        let scripts = 0;
        const { database } = pool('postgres', text => {
            if (pattern.test(text) && left-- > 0) throw timeout;
            return versions(text);
        });
        const work = database.transaction(function* () {
            scripts += 1;
            yield* one();
        }, options);
        return [await codeOf(work), scripts];
    };

    it('is repeated until it has the lock, if its script may run again', async () => {
        expect(await timesOf({ repeatedUntil: new AbortController().signal })).toEqual(['none', 4]);
    });

    it('says so where its script may not', async () => expect(await timesOf({})).toEqual(['DATABASE_BUSY', 1]));

    it('is repeated in any case if its script has not begun', async () => {
        expect(await timesOf({ locks: ['a'] }, /advisory/)).toEqual(['none', 1]);
    });

    it('ends with the reason of the abort signal', async () => {
        const stop = new AbortController();
        const { database } = pool('postgres', text => {
            if (!/INSERT/.test(text)) return versions(text);
            stop.abort(flowError('RUN_CANCELLED', {}));
            throw timeout;
        });
        expect(await codeOf(database.transaction(one, { repeatedUntil: stop.signal }))).toBe('RUN_CANCELLED');
    });

    it('is repeated when it was the victim of a deadlock, if its script may run again', async () => {
        const deadlock = driverError({ errno: 1213 });
        let left = 2;
        const { database } = pool('mariadb', text => {
            if (/INSERT/.test(text) && left-- > 0) throw deadlock;
            return taken(text);
        });
        expect(await codeOf(database.transaction(one))).toBe('DATABASE_BUSY');
        expect(await codeOf(database.transaction(one, { repeatedUntil: new AbortController().signal }))).toBe('none');
    });

    it('locks whole kinds where the server has no room for the keys', async () => {
        const locked: unknown[] = [];
        const { database } = pool('postgres', text => {
            if (!/advisory/.test(text)) return versions(text);
            locked.push(/'([^']*)'::bool/.exec(text)![1]);
            if (locked.length === 1) throw driverError({ code: '53200' });
            return undefined;
        });
        expect(await codeOf(database.transaction(one, { locks: ['sku:1', 'sku:2'] }))).toBe('none');
        expect(locked).toEqual(['{false,true,true}', '{true}']);
    });

    it('has given back the locks of its session, on MariaDB', async () => {
        const tries = [0, 1];
        const { database, sent } = pool('mariadb', text =>
            /[ (]GET_LOCK/.test(text) ? [{ taken: tries.shift() }] : undefined,
        );
        await database.transaction(one, { locks: ['a'] });
        const kinds = sent.map(text =>
            /^(SET @flow|SELECT \(GET_LOCK|SET @@SESSION.*RELEASE_LOCK|\w+)/.exec(text)![1]!.slice(0, 15),
        );
        expect(kinds).toEqual([
            'SET @flow',
            'SELECT (GET_LOC',
            'ROLLBACK',
            'SET @@SESSION.w',
            'SET @flow',
            'SELECT (GET_LOC',
            'START',
            'INSERT',
            'COMMIT',
            'SET @@SESSION.w',
        ]);
    });
});

describe('a statement without an answer', () => {
    const limits = { idleMs: 1_000, lockMs: 1_000, answerMs: 5, unknownMs: 50 };
    /** A statement that the server answers after this number of state queries. */
    const answeredAt = (count: number, state: unknown) => {
        let requested = 0;
        let answer = (): void => undefined;
        const server: Server = text => {
            if (/pg_stat_activity/.test(text)) {
                if (++requested === count) answer();
                return state;
            }
            return /INSERT/.test(text) ? new Promise<void>(resolve => (answer = resolve)) : taken(text);
        };
        const { database } = pool('postgres', server, { usual: limits, repeated: limits, brief: limits });
        return codeOf(database.transaction(one));
    };

    it('is waited for as long as the server is at work on it', async () =>
        expect(await answeredAt(3, [{ busy: 1 }])).toBe('none'));

    it('is waited for a while if the server does not know the connection, for example with a pooler', async () =>
        expect(await answeredAt(2, [])).toBe('none'));

    it('has lost its connection where the server is at nothing, or has said nothing for too long', async () => {
        expect(await answeredAt(Infinity, [{ busy: 0 }])).toBe('DATABASE_LOST');
        expect(await answeredAt(Infinity, [])).toBe('DATABASE_LOST');
    });
});

describe('the limits of a session', () => {
    const firstOf = async (type: 'postgres' | 'mysql' | 'mariadb', version: string, options: TransactionOptions) => {
        const { database, sent } = pool(type, text => (/version\(\)/.test(text) ? [{ version }] : undefined));
        await database.transaction(one, options);
        return sent.filter(text => !/version\(\)/.test(text))[0]!;
    };
    const LINUX = 'PostgreSQL 15.8 (Debian) on x86_64-pc-linux-gnu, compiled by gcc';
    const repeated = { repeatedUntil: new AbortController().signal };

    it('begin with the transaction, and end idle sessions before the lease of 30 seconds', async () => {
        expect(await firstOf('postgres', LINUX, repeated)).toBe(
            'START TRANSACTION; SET LOCAL idle_in_transaction_session_timeout = 20000; SET LOCAL lock_timeout = 5000; SET LOCAL tcp_user_timeout = 20000; SET LOCAL random_page_cost = 1.1; SET LOCAL jit = off',
        );
        expect(await firstOf('mariadb', '', repeated)).toMatch(
            /@@SESSION.wait_timeout = 20, .*@@SESSION.innodb_lock_wait_timeout = 5, @@SESSION.tx_isolation = 'READ-COMMITTED'$/,
        );
    });

    it('are narrow for those whom everybody waits for', async () => {
        expect(await firstOf('postgres', LINUX, { brief: true })).toMatch(
            /timeout = 2500; SET LOCAL lock_timeout = 800;/,
        );
        expect(await firstOf('mariadb', '', { brief: true })).toMatch(
            /wait_timeout = 3, .*innodb_lock_wait_timeout = 1,/,
        );
    });

    it('are only those that the server knows', async () => {
        const others = [
            'PostgreSQL 11.2-YB-2.18.1.0-b0 on x86_64-pc-linux-gnu',
            'PostgreSQL 16.1 on aarch64-apple-darwin',
        ];
        for (const version of others) expect(await firstOf('postgres', version, {})).not.toContain('tcp_user_timeout');
        expect(await firstOf('postgres', 'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)', {})).not.toContain('jit');
        expect(await firstOf('mysql', '8.0.40', {})).toContain('@@SESSION.transaction_isolation');
        expect(await firstOf('mysql', '10.11.6-MariaDB', {})).toContain('@@SESSION.tx_isolation');
    });
});

describe('what finds its rows by keys', () => {
    it('takes an index wherever PostgreSQL has one, as long as its transaction lasts', async () => {
        const ofTransaction = pool('postgres', () => undefined);
        await ofTransaction.database.transaction(one, { byKeys: true });
        const ofReads = pool('postgres', () => undefined);
        await ofReads.database.run(one, { byKeys: true });
        const elsewhere = pool('mariadb', () => undefined);
        await elsewhere.database.run(one, { byKeys: true });
        const plain = pool('postgres', () => undefined);
        await plain.database.transaction(one);
        const isAsked = ({ sent }: { readonly sent: readonly string[] }) =>
            sent.map(text => text.includes('SET LOCAL enable_seqscan = off'));
        expect(isAsked(ofTransaction)).toEqual([false, true, false, false]);
        expect(isAsked(ofReads)).toEqual([false, true, false, false]);
        expect(isAsked(elsewhere)).toEqual([false]);
        expect(isAsked(plain)).not.toContain(true);
    });
});

describe('statements that are posted', () => {
    const ahead = { goesAhead: true };
    /** Answers the INSERTs on demand. */
    const slow = (type: 'postgres' | 'mariadb', pipeline?: boolean) => {
        const waiting: Array<(error?: Error) => void> = [];
        const server: Server = text =>
            /INSERT/.test(text)
                ? new Promise<void>((resolve, reject) =>
                      waiting.push(error => (error ? reject(error) : resolve(undefined))),
                  )
                : taken(text);
        const { database, sent, wires } = pool(type, server, limitsFor(30_000), {
            ...(pipeline !== undefined && { pipeline }),
        });
        const inserts = () => sent.filter(text => /INSERT/.test(text)).length;
        return { database, sent, wires, waiting, inserts };
    };
    const turns = async (): Promise<void> => {
        for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
    };
    function* three(made: string[]): StatementProgram<void> {
        for (const what of ['a', 'b', 'c']) {
            made.push(what);
            yield* post(sql`INSERT INTO a VALUES (${what})`);
        }
        made.push('end');
    }

    it('are on their way while the script makes the next one, two at a time, and committed once all are answered', async () => {
        const { database, sent, waiting, inserts } = slow('postgres');
        const made: string[] = [];
        const done = database.transaction(() => three(made), ahead);
        await turns();
        expect([made, inserts()]).toEqual([['a', 'b', 'c'], 2]);
        waiting.shift()!();
        await turns();
        expect([made, inserts()]).toEqual([['a', 'b', 'c', 'end'], 3]);
        waiting.shift()!();
        await turns();
        expect(sent).not.toContain('COMMIT');
        waiting.shift()!();
        await done;
        expect(sent.at(-1)).toBe('COMMIT');
    });

    it('are all on their way at once where the driver sends them so, and committed once all are answered', async () => {
        const { database, sent, wires, waiting, inserts } = slow('postgres', false);
        const made: string[] = [];
        const done = database.transaction(() => three(made), ahead);
        await turns();
        expect([made, inserts(), wires.at(-1)!.pipeline]).toEqual([['a', 'b', 'c', 'end'], 3, true]);
        for (const answer of waiting.splice(0, 2)) answer();
        await turns();
        expect(sent).not.toContain('COMMIT');
        waiting.shift()!();
        await done;
        expect(sent.at(-1)).toBe('COMMIT');
    });

    it.each([false, true])(
        'have the driver send them at once until a transaction that goes ahead has ended, and then as before (%s)',
        async pipeline => {
            const seen: Array<readonly [string, boolean | undefined]> = [];
            const server: Server = (text, wire) => {
                if (/^(SELECT 1|START|COMMIT)/.test(text)) seen.push([text.split(';')[0]!, wire.pipeline]);
                return taken(text);
            };
            const { database, wires } = pool('postgres', server, limitsFor(30_000), { pipeline });
            function* look(): StatementProgram<void> {
                yield* send(sql`SELECT 1`);
            }
            await database.transaction(look, ahead);
            await database.transaction(look);
            expect(seen).toEqual([
                ['START TRANSACTION', true],
                ['SELECT 1', true],
                ['COMMIT', true],
                ['START TRANSACTION', pipeline],
                ['SELECT 1', pipeline],
                ['COMMIT', pipeline],
            ]);
            expect(wires.map(wire => wire.pipeline)).toEqual(wires.map(() => pipeline));
        },
    );

    it('have the server checked for activity once in a while, not once for each of them', async () => {
        const waiting: Array<() => void> = [];
        let requested = 0;
        const { database } = pool(
            'postgres',
            text => {
                if (/pg_stat_activity/.test(text)) {
                    if (++requested === 3) for (const answer of waiting.splice(0)) answer();
                    return [{ busy: 1 }];
                }
                return /INSERT/.test(text) ? new Promise<void>(resolve => waiting.push(resolve)) : versions(text);
            },
            { ...limitsFor(30_000), usual: { ...limitsFor(30_000).usual, answerMs: 30 } },
            { pipeline: false },
        );
        await database.transaction(() => three([]), ahead);
        expect(requested).toBe(3);
    });

    it('do not keep a connection open that is closed while they have no answer', async () => {
        const { database, wires } = pool(
            'postgres',
            text => (/INSERT|pg_stat_activity/.test(text) ? new Promise(() => undefined) : versions(text)),
            { ...limitsFor(30_000), usual: { ...limitsFor(30_000).usual, answerMs: 20, unknownMs: 1 } },
            { pipeline: false },
        );
        const work = database.transaction(() => three([]), ahead);
        expect(await codeOf(work)).toBe('DATABASE_LOST');
        expect(wires.filter(({ isClosed }) => isClosed).map(({ closedAs }) => closedAs)).toContain(false);
        expect(wires.some(({ closedAs }) => closedAs === true)).toBe(false);
    });

    it.each(['postgres', 'mariadb'] as const)(
        'are waited for, one by one, without the option, and on MariaDB (%s)',
        async type => {
            const { database, waiting, inserts } = slow(type);
            const made: string[] = [];
            const done = database.transaction(() => three(made), type === 'mariadb' ? ahead : {});
            await turns();
            expect([made, inserts()]).toEqual([['a'], 1]);
            for (let i = 0; i < 3; i++) {
                waiting.shift()!();
                await turns();
            }
            await done;
        },
    );

    const rejected = driverError({ code: '23505' });
    const aborted = driverError({ code: '25P02' });

    it('fail where something is waited for next, with what failed first', async () => {
        const { database, sent } = pool('postgres', text => {
            if (/INSERT/.test(text)) throw rejected;
            if (/SELECT 1/.test(text)) throw aborted;
            return versions(text);
        });
        const seen: unknown[] = [];
        const work = database.transaction(function* () {
            yield* post(sql`INSERT INTO a VALUES (1)`);
            try {
                yield* send(sql`SELECT 1`);
            } catch (error) {
                seen.push(isFlowError(error) && error.cause);
                throw error;
            }
        }, ahead);
        expect(await codeOf(work)).toBe('RECORD_REFUSED');
        expect(seen).toEqual([rejected]);
        expect(sent.at(-1)).toBe('ROLLBACK');
    });

    it('fail where the script settles them, and before a commit', async () => {
        const { database, sent } = pool('postgres', failing(/INSERT/, rejected));
        const settling = database.transaction(function* () {
            yield* post(sql`INSERT INTO a VALUES (1)`);
            yield* allCompleted();
            throw new Error('continued');
        }, ahead);
        expect(await codeOf(settling)).toBe('RECORD_REFUSED');
        const last = database.transaction(() => post(sql`INSERT INTO a VALUES (1)`), ahead);
        expect(await codeOf(last)).toBe('RECORD_REFUSED');
        expect(sent).not.toContain('COMMIT');
    });

    it('have nothing to say any more once they are undone', async () => {
        let left = 1;
        const { database, sent } = pool('postgres', text => {
            if (/INSERT/.test(text) && left-- > 0) throw rejected;
            return versions(text);
        });
        const control = (type: 'savepoint' | 'rollback' | 'release') => ({ type, name: 'part' });
        const work = database.transaction(function* () {
            yield control('savepoint');
            yield* post(sql`INSERT INTO a VALUES (1)`);
            yield control('rollback');
            yield control('release');
            yield* post(sql`INSERT INTO a VALUES (2)`);
        }, ahead);
        expect(await codeOf(work)).toBe('none');
        expect(sent.at(-1)).toBe('COMMIT');
    });

    it('give their results to code that requests them later', async () => {
        const { database } = pool('postgres', text => (/RETURNING/.test(text) ? [{ id: 7 }] : versions(text)));
        const answer = await database.transaction(function* () {
            const first = yield* post<{ id: number }>(sql`INSERT INTO a VALUES (1) RETURNING id`);
            yield* one();
            return (yield* resultOf(first)).rows;
        }, ahead);
        expect(answer).toEqual([{ id: 7 }]);
    });
});
