import type { Duplex } from 'node:stream';
import { logText, type LogText } from '../../core/log/log-text';
import type { ClientConfig, Client as PgClient } from 'pg';
import type { OutboundSocket } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import { ResultGuard } from './result-guard';
import { sourceError, driver } from './source-errors';
import { volatileProblem } from './postgres-functions';
import { Portal, type Submitter, type TextRow } from './postgres-portal';
import { postgresColumn, postgresSent, unknownTypes, type UnknownType } from './postgres-types';
import { checkColumns } from './column-check';
import {
    type SessionGateway,
    type SqlColumn,
    type SqlLimits,
    type SqlSession,
    type SqlStatement,
    type SqlTarget,
    targetName,
} from './session';
import { withinLimits } from './session-deadline';

/** PostgreSQL's own port, and PgBouncer's. */
const USUAL_PORTS = [5432, 6432];
/** "Do you speak TLS?", version 1234.5679 of the protocol. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S'.charCodeAt(0);
/** From this version on, servers check now and then whether their client is still connected. */
const LOOKS_AFTER_CLIENTS = 140_000;

/** What a role may do that no reader needs. */
const RIGHTS = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS product, current_setting('TimeZone') AS zone, r.rolsuper AS super,
    (SELECT string_agg(m.rolname, ', ' ORDER BY m.rolname) FROM pg_roles m
        WHERE m.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
        AND pg_has_role(r.oid, m.oid, 'member')) AS files
    FROM pg_roles r WHERE r.rolname = current_user`;

interface Rights {
    readonly product: string;
    readonly version: number;
    readonly zone: string;
    readonly super: boolean;
    readonly files: string | null;
}

interface PostgresParts {
    readonly client: PgClient;
    readonly socket: OutboundSocket;
    readonly answers: ResultGuard;
}

/** A connection to PostgreSQL over a socket of the door. */
export class PostgresSession implements SqlSession {
    private readonly types = new Map<number, UnknownType>();
    private readonly client: PgClient;
    private readonly socket: OutboundSocket;
    private readonly answers: ResultGuard;
    private over = false;

    private constructor(
        private readonly target: SqlTarget,
        { client, socket, answers }: PostgresParts,
        private readonly rights: Rights,
    ) {
        this.client = client;
        this.socket = socket;
        this.answers = answers;
        // The caller of a query gets its error. Without a listener the event would end the process.
        client.on('error', () => (this.over = true)).on('end', () => (this.over = true));
    }

    static async open(target: SqlTarget, { outbound, timeoutMs, signal }: SessionGateway): Promise<PostgresSession> {
        const pg = await driver('pg', () => import('pg'));
        const { host, port, user, password } = target;
        if (user === undefined)
            throw flowError('REMOTE_REFUSED', {
                host: targetName(target),
                problem: 'wants a user name, and none is given',
            });
        const plain = await outbound.socket.open({ host, port, usualPorts: USUAL_PORTS, connectMs: timeoutMs, signal });
        try {
            const breakable = {
                host: targetName(target),
                what: 'did not let anybody in',
                end: () => void plain.destroy(),
            };
            return await withinLimits(
                async () => {
                    const socket = target.tls ? await encrypted(plain, target, outbound) : plain;
                    const answers = new ResultGuard(socket, targetName(target));
                    const config: ClientConfig = {
                        user,
                        // A function, since without a password pg would look for one in the environment and the home directory.
                        password: () => password ?? '',
                        host,
                        port,
                        database: target.database,
                        ssl: false,
                        application_name: 'vendure-plugin-flow',
                        stream: () => connected(socket, answers),
                    };
                    const client = new pg.Client(config);
                    // Until the session listens itself.
                    client.on('error', () => undefined);
                    await client.connect();
                    const { rows } = await client.query<Rights>(RIGHTS);
                    return new PostgresSession(target, { client, socket, answers }, rows[0]!);
                },
                { timeoutMs, signal },
                breakable,
            );
        } catch (error) {
            plain.destroy();
            throw signal.aborted ? error : sourceError(error, target, timeoutMs);
        }
    }

    get isOver(): boolean {
        return this.over || this.socket.destroyed;
    }

    get product(): string {
        return `PostgreSQL ${/^[\d.]+/.exec(this.rights.product)?.[0] ?? ''}`.trim();
    }

    get excess(): LogText | undefined {
        const { super: isSuperuser, files } = this.rights;
        if (isSuperuser) return logText('RIGHTS_SUPERUSER', {});
        return files === null ? undefined : logText('RIGHTS_FILES', { files });
    }

    get zone(): string {
        return this.rights.zone;
    }

    columns(statement: SqlStatement, limits: SqlLimits): Promise<readonly SqlColumn[]> {
        return this.within(limits, async () => {
            const portal = await this.begun(statement, limits, 0);
            const problem = await volatileProblem(this.client, statement.text);
            if (problem !== undefined) throw flowError('QUERY_REFUSED', { problem });
            await portal.next(this.submitter);
            await this.learn(portal.fields.map(({ dataTypeID }) => dataTypeID));
            await this.client.query('ROLLBACK');
            return portal.fields.map(field => postgresColumn(field, this.types));
        });
    }

    rows(statement: SqlStatement, limits: SqlLimits): Promise<readonly TextRow[]> {
        return this.within(limits, async () => {
            const portal = await this.begun(statement, limits, 0);
            const rows = await portal.next(this.submitter);
            checkColumns(statement.columns, portal.fields.map(postgresSent));
            await this.client.query('ROLLBACK');
            return rows;
        });
    }

    async *portions(
        statement: SqlStatement,
        limits: SqlLimits & { readonly size: number },
    ): AsyncGenerator<readonly TextRow[]> {
        const portal = await this.within(limits, () => this.begun(statement, limits, limits.size));
        try {
            for (;;) {
                const rows = await this.within(limits, () => portal.next(this.submitter));
                if (rows.length > 0) yield rows;
                if (rows.length < limits.size) return;
            }
        } finally {
            if (!this.isOver) await this.within(limits, () => this.client.query('ROLLBACK'));
        }
    }

    async clean(): Promise<void> {
        await this.client.query('ROLLBACK');
        await this.client.query('DISCARD ALL');
    }

    end(): void {
        this.over = true;
        this.socket.destroy();
    }

    /**
     * The settings end with the transaction, so that a pooler between Flow and the server, which then gives its
     * connection to others, passes none of them on.
     */
    private async begun(statement: SqlStatement, { timeoutMs }: SqlLimits, size: number): Promise<Portal> {
        const settings: ReadonlyArray<readonly [string, string]> = [
            ['statement_timeout', String(timeoutMs)],
            ['idle_in_transaction_session_timeout', '0'],
            ['datestyle', 'ISO, YMD'],
            ['intervalstyle', 'iso_8601'],
            ['timezone', 'UTC'],
            ['bytea_output', 'hex'],
            ['extra_float_digits', '1'],
            ['standard_conforming_strings', 'on'],
            ...(this.rights.version >= LOOKS_AFTER_CLIENTS
                ? [['client_connection_check_interval', '5s'] as const]
                : []),
        ];
        const local = settings.map(([name, value]) => `SET LOCAL ${name} = '${value}'`);
        await this.client.query(['BEGIN TRANSACTION READ ONLY', ...local].join('; '));
        return new Portal(statement, size);
    }

    /** pg accepts everything that has a `submit`. */
    private get submitter(): Submitter {
        return this.client as unknown as Submitter;
    }

    /** Types that users have defined: whether they are lists, and of what. */
    private async learn(oids: readonly number[]): Promise<void> {
        let desired = unknownTypes(oids).filter(oid => !this.types.has(oid));
        while (desired.length > 0) {
            const { rows } = await this.client.query<{ oid: number; element: number; delimiter: string }>({
                text: `SELECT t.oid::int8::int AS oid, CASE WHEN t.typcategory = 'A' THEN t.typelem::int8::int ELSE 0 END AS element, e.typdelim AS delimiter
                    FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem WHERE t.oid = ANY($1)`,
                values: [desired],
            });
            for (const oid of desired) this.types.set(oid, { element: 0, delimiter: ',' });
            for (const { oid, element, delimiter } of rows) this.types.set(oid, { element, delimiter });
            desired = unknownTypes(rows.map(({ element }) => element)).filter(oid => !this.types.has(oid));
        }
    }

    private async within<T>(limits: SqlLimits, work: () => Promise<T>): Promise<T> {
        const breakable = { host: targetName(this.target), what: 'did not end the query', end: () => this.end() };
        this.answers.renew();
        try {
            return await withinLimits(work, limits, breakable);
        } catch (error) {
            if (limits.signal.aborted) throw error;
            const issue = sourceError(error, this.target, limits.timeoutMs);
            // The server reports its own errors within the transaction. After any other error the state of the
            // connection is unknown.
            if (!this.isOver)
                await withinLimits(() => this.client.query('ROLLBACK'), limits, breakable).catch(() => this.end());
            throw issue;
        }
    }
}

/** Checks whether the server speaks TLS and does the handshake: pg does the same for sockets that it opens. */
async function encrypted(
    plain: OutboundSocket,
    target: SqlTarget,
    { socket }: SessionGateway['outbound'],
): Promise<OutboundSocket> {
    const answer = await new Promise<Buffer>((resolve, reject) => {
        const lost = (): void => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
        plain.once('data', (bytes: Buffer) => {
            plain.removeListener('close', lost).removeListener('error', reject);
            plain.pause();
            resolve(bytes);
        });
        plain.once('close', lost).once('error', reject);
        plain.write(TLS_REQUEST);
    });
    // More than the one byte may come from an attacker between us, who wants it to be read as a part of the encrypted
    // data.
    if (answer.length !== 1 || answer[0] !== YES)
        throw flowError('REMOTE_REFUSED', {
            host: targetName(target),
            problem: 'does not speak TLS; allowed: a server that does, or ssl.enabled false',
        });
    return socket.secure(plain, { servername: target.host, ...target.tls });
}

/** Pg connects the stream that it is given; this one is connected. The guard steps in when pg listens. */
function connected(socket: OutboundSocket, answers: ResultGuard): Duplex {
    const connect = (): OutboundSocket => {
        process.nextTick(() => {
            answers.stepIn();
            socket.emit('connect');
        });
        return socket;
    };
    return Object.assign(socket, { connect }) as unknown as Duplex;
}
