import { getSystemErrorMap } from 'node:util';
import { type FlowError, flowError, isFlowError } from '../core/errors/flow-error';
import { BUSY_TEXTS, type DatabaseErrorKind, LOST_CODES, LOST_NAMES, LOST_TEXTS, MYSQL_ERRORS } from './error-table';

/** What drivers throw, in one shape: pg's SQLSTATE, mysql2's code and errno, better-sqlite3's SQLITE_… code. */
interface DriverFault {
    readonly name: string;
    readonly message: string;
    readonly code?: unknown;
    readonly errno?: unknown;
    readonly path?: unknown;
}

const BY_ERRNO = new Map(Object.values(MYSQL_ERRORS));
const SYSTEM_CODES = new Set([...getSystemErrorMap().values()].map(([name]) => name));
/** PostgreSQL's lock_timeout, and MySQL's and MariaDB's for locks of rows. */
const [PG_LOCK_TIMEOUT, MYSQL_LOCK_TIMEOUT] = ['55P03', 1205];
/** The victims of a deadlock: of rows, and of GET_LOCK. */
const DEADLOCKS: ReadonlySet<unknown> = new Set(['40P01', 1213, 3058]);
/** PostgreSQL keeps the locks of all sessions in a memory that is full. */
const PG_OUT_OF_MEMORY = '53200';

/**
 * Classifies an error of a driver: the connection is lost, the database is busy, it rejects this record, or it rejects the statement itself. This
 * is the only place that inspects database errors.
 */
export function databaseError(error: unknown): FlowError {
    if (isFlowError(error)) return error;
    if (!isDriverFault(error)) throw error;
    // Node's error for a host with several addresses has only a code.
    const problem = error.message || String(error.code);
    const options = { cause: error };
    switch (sort(error)) {
        case 'lost':
            return flowError('DATABASE_LOST', { problem }, options);
        case 'busy':
            return flowError('DATABASE_BUSY', { problem }, options);
        case 'record':
            return flowError('RECORD_REFUSED', { problem }, options);
        default:
            return flowError('DATABASE_REFUSED', { problem }, options);
    }
}

/**
 * Runs work that reads through TypeORM or one of Vendure's services, which throw what the driver threw. A run that is to survive a lost connection
 * reads in scripts or through this. Errors that are not the database's are thrown unchanged.
 */
export async function withDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw databaseErrorOrSame(error);
    }
}

/** Like `databaseError`, but returns an error unchanged if no driver is known to throw it. */
export function databaseErrorOrSame(error: unknown): unknown {
    if (!isDriverFault(error)) return error;
    const issue = databaseError(error);
    return issue.code === 'DATABASE_REFUSED' && error.name !== 'QueryFailedError' ? error : issue;
}

/** DATABASE_BUSY, as if the server itself had waited too long for a lock. */
export function lockTimeout(problem: string): FlowError {
    return flowError(
        'DATABASE_BUSY',
        { problem },
        { cause: Object.assign(new Error(problem), { errno: MYSQL_LOCK_TIMEOUT }) },
    );
}

/**
 * Whether an error means that another transaction held a lock for too long: a repeated attempt may succeed, even if
 * that takes long.
 */
export function isLockTimeout(error: unknown): boolean {
    if (!isFlowError(error) || error.code !== 'DATABASE_BUSY') return false;
    const { code, errno } = (error.cause ?? {}) as Partial<DriverFault>;
    return code === PG_LOCK_TIMEOUT || errno === MYSQL_LOCK_TIMEOUT;
}

/** Whether it failed because of a lock timeout or a deadlock: a repeated attempt may succeed. */
export function isLockConflict(error: unknown): boolean {
    if (isLockTimeout(error)) return true;
    if (!isFlowError(error) || error.code !== 'DATABASE_BUSY') return false;
    const { code, errno } = (error.cause ?? {}) as Partial<DriverFault>;
    return DEADLOCKS.has(code) || DEADLOCKS.has(errno);
}

/** Whether the server has no memory for more locks. */
export function isOutOfLocks(error: unknown): boolean {
    return isFlowError(error) && ((error.cause ?? {}) as Partial<DriverFault>).code === PG_OUT_OF_MEMORY;
}

/** JavaScript's own errors are bugs in Flow. They are recognised by name, because a driver's error may come from another realm. */
const OWN_MISTAKES = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

function isDriverFault(error: unknown): error is DriverFault {
    // Recognized by its shape: better-sqlite3's errors are not native ones, and a driver's Error may be from another
    // realm.
    if (typeof error !== 'object' || error === null || !('message' in error) || !('name' in error)) return false;
    const { name, message } = error;
    return typeof message === 'string' && (!OWN_MISTAKES.has(String(name)) || isSaid(LOST_TEXTS, message));
}

const isSaid = (texts: readonly string[], message: string): boolean => texts.some(text => message.startsWith(text));

/** `path`: of the file system. An unreachable API of a shop's own code has the same codes as an unreachable database, and its client's name. */
function sort({ name, code, errno, message, path }: DriverFault): DatabaseErrorKind {
    const isOfOthers = typeof path === 'string' || name === 'AxiosError';
    if (LOST_NAMES.has(name) || isSaid(LOST_TEXTS, message)) return 'lost';
    if (isSaid(BUSY_TEXTS, message)) return 'busy';
    if (typeof code === 'string') {
        if (LOST_CODES.test(code) || (SYSTEM_CODES.has(code) && !isOfOthers)) return 'lost';
        if (code.startsWith('SQLITE_')) return sortSqlite(code);
        if (/^[0-9A-Z]{5}$/.test(code)) return sortSqlState(code);
    }
    return (typeof errno === 'number' ? BY_ERRNO.get(errno) : undefined) ?? 'refused';
}

function sortSqlite(code: string): DatabaseErrorKind {
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
    if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_TOOBIG' || code === 'SQLITE_MISMATCH') return 'record';
    if (/^SQLITE_(IOERR|FULL|CANTOPEN)/.test(code)) return 'lost';
    return 'refused';
}

function sortSqlState(code: string): DatabaseErrorKind {
    const group = code.slice(0, 2);
    // 25P03 and 25P04: the session was idle in a transaction for too long, and has ended. 57014 is a statement that
    // took too long; the others of its class mean that the server shuts down.
    if (group === '08' || code.startsWith('57P') || code === '53300' || /^25P0[34]$/.test(code)) return 'lost';
    if (group === '40' || group === '53' || group === '57' || code === PG_LOCK_TIMEOUT) return 'busy';
    // 54000: a value too long for its index.
    return group === '22' || group === '23' || code === '54000' ? 'record' : 'refused';
}
