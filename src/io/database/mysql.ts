import type { Connection, FieldPacket } from 'mysql2';
import { logText, type LogText } from '../../core/log/log-text';
import type { OutboundSocket } from '../../core/adapter/outbound';
import { ResultGuard } from './result-guard';
import { sourceError, driver } from './source-errors';
import { askText, optionsOf } from './mysql-connection';
import { mysqlColumn, type MysqlField, mysqlSent } from './mysql-types';
import { checkColumns } from './column-check';
import {
    type SessionGateway,
    type SqlColumn,
    type SqlLimits,
    type SqlRow,
    type SqlSession,
    type SqlStatement,
    type SqlTarget,
    targetName,
} from './session';
import { withinLimits } from './session-deadline';
import { withGreeting } from './silent-server';

const USUAL_PORTS = [3306, 33060];
const KILL_MS = 5_000;
/** Modes that change how texts and names are read, which the guard could not know. */
const READS_OTHERWISE = new Set([
    'ANSI',
    'ANSI_QUOTES',
    'NO_BACKSLASH_ESCAPES',
    'ORACLE',
    'MSSQL',
    'DB2',
    'POSTGRESQL',
    'MAXDB',
    'EMPTY_STRING_IS_NULL',
]);

const FACTS =
    'SELECT VERSION() AS version, @@SESSION.sql_mode AS mode, TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS minutes';
/** What an account may do that no reader needs. */
const RIGHTS = `SELECT PRIVILEGE_TYPE AS name FROM information_schema.USER_PRIVILEGES
    WHERE PRIVILEGE_TYPE IN ('FILE', 'SUPER') AND GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') ORDER BY 1`;

interface Facts {
    readonly version: string;
    readonly mode: string;
    readonly minutes: number;
}

/**
 * A connection to MySQL or MariaDB over a socket of the gateway. Queries are prepared statements, so the protocol
 * allows only one statement each.
 */
export class MysqlSession implements SqlSession {
    private over = false;
    private isEnded = false;

    private constructor(
        private readonly env: {
            readonly target: SqlTarget;
            readonly door: SessionGateway;
            readonly answers: ResultGuard;
        },
        private readonly connection: Connection,
        private readonly socket: OutboundSocket,
        private readonly facts: Facts & { readonly rights: readonly string[] },
    ) {
        connection.on('error', () => (this.over = true));
    }

    static async open(target: SqlTarget, gateway: SessionGateway): Promise<MysqlSession> {
        const { outbound, timeoutMs, signal } = gateway;
        const mysql = await driver('mysql2', () => import('mysql2'));
        const { host, port } = target;
        const connect = (): Promise<OutboundSocket> =>
            outbound.socket.open({ host, port, usualPorts: USUAL_PORTS, connectMs: timeoutMs, signal });
        const socket = await connect();
        const connection = mysql.createConnection(optionsOf(target, socket));
        const answers = new ResultGuard(socket, targetName(target));
        answers.stepIn();
        connection.on('error', () => undefined);
        const breakable = {
            host: targetName(target),
            get what() {
                return answers.isSilent ? 'sent no greeting, with which MySQL begins,' : 'did not let anybody in';
            },
            end: () => void socket.destroy(),
        };
        try {
            return await withinLimits(
                async () => {
                    const greeting = new Promise<void>((resolve, reject) =>
                        connection.connect(error => (error ? reject(error) : resolve())),
                    );
                    await withGreeting(greeting, answers, { host: targetName(target), connect });
                    // Where the driver encrypts, it listens elsewhere from then on.
                    const { stream } = connection as unknown as Working;
                    if (stream !== socket) answers.stepIn(stream);
                    const [facts] = await askText<Facts>(connection, FACTS);
                    const rights = (await askText<{ name: string }>(connection, RIGHTS)).map(({ name }) => name);
                    const session = new MysqlSession({ target, door: gateway, answers }, connection, socket, {
                        ...facts!,
                        rights,
                    });
                    await session.prepare();
                    return session;
                },
                { timeoutMs, signal },
                breakable,
            );
        } catch (error) {
            socket.destroy();
            throw signal.aborted ? error : sourceError(error, target, timeoutMs);
        }
    }

    get isOver(): boolean {
        return this.over || this.socket.destroyed;
    }

    get product(): string {
        const version = /\d+(\.\d+)+/.exec(this.facts.version.replace(/^5\.5\.5-/, ''))?.[0] ?? '';
        return `${this.isMariaDb ? 'MariaDB' : 'MySQL'} ${version}`.trim();
    }

    get excess(): LogText | undefined {
        const { rights } = this.facts;
        return rights.length === 0 ? undefined : logText('RIGHTS_PRIVILEGES', { rights });
    }

    get zone(): string {
        const minutes = Math.abs(this.facts.minutes);
        const two = (number: number): string => String(number).padStart(2, '0');
        return `${this.facts.minutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    }

    columns(statement: SqlStatement, limits: SqlLimits): Promise<readonly SqlColumn[]> {
        return this.within(limits, async () => {
            await this.begin(limits.timeoutMs);
            const { fields } = await this.all(statement);
            await askText(this.connection, 'ROLLBACK');
            return fields.map(mysqlColumn);
        });
    }

    rows(statement: SqlStatement, limits: SqlLimits): Promise<readonly SqlRow[]> {
        return this.within(limits, async () => {
            await this.begin(limits.timeoutMs);
            const { rows, fields } = await this.all(statement);
            checkColumns(statement.columns, fields.map(mysqlSent));
            await askText(this.connection, 'ROLLBACK');
            return rows;
        });
    }

    /**
     * The server's own limit counts from the first row to the last, including the time that the reader takes: so each
     * wait has a limit here.
     */
    async *portions(
        statement: SqlStatement,
        { size, ...limits }: SqlLimits & { readonly size: number },
    ): AsyncGenerator<readonly SqlRow[]> {
        await this.within(limits, () => this.begin(0));
        const stream = this.connection
            .execute(this.command(statement))
            .stream({ highWaterMark: size, objectMode: true });
        const rows = stream[Symbol.asyncIterator]() as AsyncIterator<SqlRow>;
        let isRead = false;
        try {
            for (;;) {
                const portion = await this.within(limits, () => taken(rows, size));
                isRead = portion.length < size;
                if (portion.length > 0) yield portion;
                if (isRead) break;
            }
            await this.within(limits, () => askText(this.connection, 'ROLLBACK'));
        } finally {
            // Rows that were not read are still arriving, so this connection cannot run another query.
            if (!isRead) this.end();
        }
    }

    async clean(): Promise<void> {
        await askText(this.connection, 'ROLLBACK');
        await new Promise<void>((resolve, reject) =>
            (this.connection as unknown as Resettable).reset(error => (error ? reject(error) : resolve())),
        );
        await this.prepare();
    }

    end(): void {
        // The signal may have closed the socket before.
        const isAtWork = !this.isEnded && (this.connection as unknown as Working)._command != null;
        this.over = this.isEnded = true;
        this.socket.destroy();
        if (isAtWork) void this.kill();
    }

    /**
     * Ends the connection at the server, which may otherwise notice only after the query that no one reads any more. `KILL QUERY` would miss a statement that
     * the server has received and not begun.
     */
    private async kill(): Promise<void> {
        const { target, door: gateway } = this.env;
        const { threadId } = this.connection;
        const limits = { ...gateway, timeoutMs: KILL_MS, signal: AbortSignal.timeout(KILL_MS) };
        try {
            const other = await MysqlSession.open(target, limits);
            await askText(other.connection, `KILL CONNECTION ${Number(threadId)}`).catch(() => undefined); // It has already ended.
            other.over = other.isEnded = true;
            other.socket.destroy();
        } catch {
            // Either the server is unavailable or the run has ended: nothing can be done, and the caller of the query
            // already has its error.
        }
    }

    private get isMariaDb(): boolean {
        return /mariadb/i.test(this.facts.version);
    }

    private async prepare(): Promise<void> {
        const mode = this.facts.mode.split(',').filter(name => !READS_OTHERWISE.has(name));
        await askText(
            this.connection,
            `SET SESSION sql_mode = '${mode.join(',')}', SESSION time_zone = '+00:00', SESSION sql_select_limit = DEFAULT, SESSION autocommit = 1`,
        );
    }

    private async begin(timeoutMs: number): Promise<void> {
        const limit = this.isMariaDb
            ? `max_statement_time = ${timeoutMs / 1_000}`
            : `max_execution_time = ${timeoutMs}`;
        await askText(this.connection, `SET SESSION ${limit}`);
        await askText(this.connection, 'START TRANSACTION READ ONLY');
    }

    private all(
        statement: SqlStatement,
    ): Promise<{ readonly rows: readonly SqlRow[]; readonly fields: readonly MysqlField[] }> {
        return new Promise((resolve, reject) => {
            this.connection.execute(this.command(statement), (error: unknown, rows: unknown, fields: FieldPacket[]) => {
                if (error) reject(error as Error);
                else resolve({ rows: rows as readonly SqlRow[], fields: fields as unknown as readonly MysqlField[] });
            });
        });
    }

    private command({ text, values, raw }: SqlStatement) {
        const asBytes = (
            field: { readonly type: string; readonly name: string; buffer(): Buffer | null },
            next: () => unknown,
        ) => (field.type === 'GEOMETRY' ? field.buffer() : next());
        return {
            sql: text,
            values: [...values] as never[],
            rowsAsArray: true,
            // Costs a call for each cell, so it is left out if no column needs it.
            ...((raw?.size ?? 0) > 0 && { typeCast: asBytes as never }),
        };
    }

    private async within<T>(limits: SqlLimits, work: () => Promise<T>): Promise<T> {
        const { target, answers } = this.env;
        answers.renew();
        const breakable = { host: targetName(target), what: 'did not end the query', end: () => this.end() };
        try {
            return await withinLimits(work, limits, breakable);
        } catch (error) {
            if (limits.signal.aborted) throw error;
            const issue = sourceError(error, target, limits.timeoutMs);
            if (!this.isOver)
                await withinLimits(() => askText(this.connection, 'ROLLBACK'), limits, breakable).catch(() =>
                    this.end(),
                );
            throw issue;
        }
    }
}

/** What mysql2 has and does not declare. */
interface Resettable {
    reset(done: (error: Error | null) => void): void;
}
interface Working {
    readonly _command?: unknown;
    readonly stream: OutboundSocket;
}

async function taken(rows: AsyncIterator<SqlRow>, size: number): Promise<readonly SqlRow[]> {
    const portion: SqlRow[] = [];
    while (portion.length < size) {
        const next = await rows.next();
        if (next.done) break;
        portion.push(next.value);
    }
    return portion;
}
