import type { DataSource, QueryResult, QueryRunner } from 'typeorm';
import type { StatementProgram } from '../core/adapter/loader';
import { flowError, isFlowError, type FlowError } from '../core/errors/flow-error';
import { onAbort } from '../core/concurrency/abort';
import { type Dialect, render } from './dialect';
import { databaseError } from './database-errors';
import type { SessionLimits } from './limits';
import { type Ahead, type StatementResult, type Request, type Statement, waited } from './statement';
import { SILENCE_TIMEOUTS, withinTimeout } from './silence-timeouts';
import { PipelinedStatements } from './pipelined-statements';
import { canPipeline, closeConnection, type DatabaseConnection, pipelining } from './database-connection';

/** How long the server may take to report whether it executes a statement, and then to send the result. */
const ASK_MS = 1_000;
const DISCARDED: unique symbol = Symbol('closed here');
/** A server process that waits for its client is not working. */
const AT_WORK_ON_POSTGRES =
    "SELECT CASE WHEN state = 'active' AND wait_event IS DISTINCT FROM 'ClientWrite' THEN 1 ELSE 0 END AS busy FROM pg_stat_activity WHERE pid = $1";
const AT_WORK_ON_MYSQL =
    "SELECT CASE WHEN command <> 'Sleep' THEN 1 ELSE 0 END AS busy FROM information_schema.processlist WHERE id = ?";
const INTERRUPT_ON_POSTGRES = 'SELECT pg_cancel_backend($1)';
const INTERRUPT_ON_MYSQL = 'KILL QUERY ?';
const CONTROL = { savepoint: 'SAVEPOINT', release: 'RELEASE SAVEPOINT', rollback: 'ROLLBACK TO SAVEPOINT' } as const;

/** How a script is run. */
interface Driving {
    /** No transaction is open: it may wait for other things as well. */
    readonly mayWait?: boolean;
    /** What it posts is not waited for. */
    readonly mayGoAhead?: boolean;
}

interface SessionEnv {
    readonly dataSource: DataSource;
    readonly dialect: Dialect;
    readonly limits: Pick<SessionLimits, 'answerMs' | 'unknownMs'>;
}

/**
 * A connection of the pool while Flow uses it. It knows when the connection has broken, whatever the driver reports
 * afterwards. It also detects silence: a connection is lost if a statement has no result and the server does not
 * execute it.
 */
export class Session {
    private broken: Error | undefined;
    private isDiscarded = false;
    /** Drivers may never settle the statements of a connection that is closed here. */
    private signalDiscarded: () => void = () => undefined;
    private readonly discarded = new Promise<typeof DISCARDED>(resolve => {
        this.signalDiscarded = () => resolve(DISCARDED);
    });

    private readonly statements: PipelinedStatements;
    /** A sign for each statement without an answer, in the order in which they were sent. */
    private readonly unanswered: object[] = [];

    private constructor(
        readonly runner: QueryRunner,
        private readonly wire: DatabaseConnection,
        private readonly env: SessionEnv,
    ) {
        wire.on('error', this.noteError);
        this.statements = new PipelinedStatements(canPipeline(wire));
    }

    /** Waits for a connection of the pool. */
    static async take(env: SessionEnv): Promise<Session> {
        const runner = env.dataSource.createQueryRunner();
        try {
            return new Session(runner, (await runner.connect()) as DatabaseConnection, env);
        } catch (error) {
            await runner.release();
            throw databaseError(error);
        }
    }

    /** A connection that another component has taken, and continues to use afterwards. */
    static async borrow(runner: QueryRunner, env: SessionEnv): Promise<Session> {
        return new Session(runner, (await runner.connect()) as DatabaseConnection, env);
    }

    /**
     * Lets the driver send statements at once until the returned function is called; by then all of them have
     * results.
     */
    pipelined(): () => void {
        return pipelining(this.wire);
    }

    /** Returns it to its owner. */
    giveBack(): void {
        this.wire.removeListener('error', this.noteError);
    }

    /** Returns the connection to the pool. If it broke, or may still have state, it is closed instead. */
    async release(): Promise<void> {
        this.giveBack();
        await this.runner.release();
    }

    /** Never to be used again by anybody. */
    discard(): void {
        if (this.isDiscarded) return;
        this.isDiscarded = true;
        this.signalDiscarded();
        closeConnection(this.wire);
    }

    /**
     * The error for an exception during the use of this connection: the error that broke it, not the driver's later
     * ones.
     */
    fault(error: unknown): FlowError {
        if (isFlowError(error)) return error;
        const issue = databaseError(error);
        return this.lost ?? issue;
    }

    /**
     * The error of a service that used the connection. If the connection is lost, the service has continued on another one, outside of this
     * transaction, so its rejection is not about the record. Call this before any other use of the connection.
     */
    faultOfService(error: unknown): unknown {
        return isFlowError(error) && error.treat === 'record' ? (this.lost ?? error) : error;
    }

    /** Throws if the connection is lost, whatever has happened since. */
    throwIfLost(): void {
        if (this.lost) throw this.lost;
    }

    private get lost(): FlowError | undefined {
        const { broken } = this;
        return broken && flowError('DATABASE_LOST', { problem: broken.message }, { cause: broken });
    }

    /** Runs a script, statement by statement. */
    async drive<T>(statementProgram: StatementProgram<T>, way: Driving = {}): Promise<T> {
        try {
            let step = statementProgram.next();
            while (!step.done) {
                let answer: unknown;
                try {
                    answer = await this.answerOf(step.value as Request, way);
                } catch (error) {
                    step = statementProgram.throw(this.fault(error));
                    continue;
                }
                step = statementProgram.next(answer);
            }
            await this.statements.settled();
            return step.value;
        } finally {
            await this.statements.ended();
        }
    }

    private async answerOf(request: Request, { mayWait = false, mayGoAhead = false }: Driving): Promise<unknown> {
        if (request.type === 'wait') return waited(request, mayWait);
        if (request.type === 'settle') return this.statements.settled();
        if (request.type === 'answer') return this.answerAhead(request.to);
        if (request.type !== 'query') {
            // After a rollback, failed statements no longer matter.
            await (request.type === 'rollback' ? this.statements.ended() : this.statements.settled());
            return this.perform(request);
        }
        if (request.isAhead && !mayGoAhead) return { answer: await this.perform(request) };
        if (request.isAhead) return this.statements.post(() => this.perform(request));
        await this.statements.room();
        return this.answerAhead({ answer: this.perform(request) });
    }

    /** An earlier error takes precedence, because servers reject every later statement. */
    private async answerAhead({ answer }: Ahead<unknown>): Promise<StatementResult<unknown>> {
        try {
            return await answer;
        } catch (error) {
            await this.statements.settled();
            throw error;
        }
    }

    /** One statement, unchanged. */
    async query(text: string, params?: unknown[]): Promise<QueryResult> {
        if (this.broken) throw this.broken;
        return this.answered(this.runner.query(text, params, true));
    }

    /** Runs work that is one statement. When `stop` is aborted, the server is requested to end it, and the work fails. */
    async whileWanted<T>(stop: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
        if (!stop) return work();
        let interrupting: Promise<void> | undefined;
        const interrupt = (): void => void (interrupting = this.interrupt());
        stop.throwIfAborted();
        const leave = onAbort(stop, interrupt);
        try {
            return await work();
        } finally {
            leave();
            // It must not hit the next one who has this connection.
            await interrupting;
        }
    }

    private readonly noteError = (error: Error): void => {
        this.broken ??= error;
    };

    private async perform(request: Statement): Promise<StatementResult<unknown>> {
        if (request.type !== 'query') {
            await this.query(`${CONTROL[request.type]} ${request.name}`);
            return { rows: [], affected: 0, insertId: undefined };
        }
        const { text, params } = render(request.sql, this.env.dialect);
        const result = await this.query(text, params);
        const header = result.raw as { insertId?: number; affectedRows?: number } | undefined;
        return {
            rows: rowsOf(result),
            affected: result.affected ?? header?.affectedRows ?? 0,
            insertId: header?.insertId,
        };
    }

    private async answered<T>(answer: Promise<T>): Promise<T> {
        const own = {};
        this.unanswered.push(own);
        try {
            return await this.watched(answer, own);
        } finally {
            this.unanswered.splice(this.unanswered.indexOf(own), 1);
        }
    }

    private async watched<T>(answer: Promise<T>, own: object): Promise<T> {
        const { answerMs, unknownMs } = this.env.limits;
        const askedAt = performance.now();
        for (;;) {
            const first = await withinTimeout(Promise.race([answer, this.discarded]), answerMs);
            if (first === DISCARDED) throw this.broken ?? new Error('the connection was closed');
            if (first !== SILENCE_TIMEOUTS) return first;
            // Later statements wait for the one that the server executes.
            if (this.unanswered[0] !== own) continue;
            const state = await this.state();
            if (state === 'atWork') continue;
            if (state === 'unknown' && performance.now() - askedAt < unknownMs) continue;
            const late = await withinTimeout(answer, ASK_MS);
            if (late !== SILENCE_TIMEOUTS) return late;
            this.broken ??= new Error(`no answer within ${Math.round(performance.now() - askedAt)} ms`);
            this.discard();
            throw this.broken;
        }
    }

    /**
     * The server's state of this connection. It is unknown if the server does not know the connection, for example with a pooler that hides the
     * server's process ids, or if the pool has no other connection. An unreachable server counts as idle.
     */
    private async state(): Promise<'atWork' | 'idle' | 'unknown'> {
        const rows = await this.aside(AT_WORK_ON_POSTGRES, AT_WORK_ON_MYSQL);
        if (rows === 'unreached') return 'idle';
        if (rows === 'noConnection') return 'unknown';
        const [row] = rowsOf(rows) as ReadonlyArray<{ readonly busy: unknown }>;
        if (!row) return 'unknown';
        return Number(row.busy) === 1 ? 'atWork' : 'idle';
    }

    /** If the server cannot be reached for that, this connection is discarded. */
    private async interrupt(): Promise<void> {
        if (typeof (await this.aside(INTERRUPT_ON_POSTGRES, INTERRUPT_ON_MYSQL)) !== 'string') return;
        this.broken ??= new Error('the statement is no longer wanted');
        this.discard();
    }

    /** Sends a statement about this connection on another one of the pool. */
    private async aside(onPostgres: string, onMysql: string): Promise<QueryResult | 'unreached' | 'noConnection'> {
        const { dataSource, dialect } = this.env;
        const [id, text] =
            dialect.kind === 'postgres' ? [this.wire.processID, onPostgres] : [this.wire.threadId, onMysql];
        const runner = dataSource.createQueryRunner();
        const found: { wire?: DatabaseConnection } = {};
        const requested = runner.connect().then((connection: DatabaseConnection) => {
            found.wire = connection;
            return runner.query(text, [id], true);
        });
        // Even if no caller waits any more: a connection that the pool provides too late must be returned to it.
        const answer = await withinTimeout(
            requested.finally(() => runner.release()),
            ASK_MS,
        ).catch(() => undefined);
        if (answer !== SILENCE_TIMEOUTS) return answer ?? 'unreached';
        if (!found.wire) return 'noConnection';
        closeConnection(found.wire);
        return 'unreached';
    }
}

function rowsOf({ records, raw }: QueryResult): unknown[] {
    if (Array.isArray(records)) return records as unknown[];
    return Array.isArray(raw) ? (raw as unknown[]) : [];
}
