import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';

/** What drivers throw, in one shape: pg's SQLSTATE, mysql2's code and errno, better-sqlite3's SQLITE_… code. */
interface DriverFault {
    readonly message: string;
    readonly code?: unknown;
    readonly errno?: unknown;
}

const LOST_CODES = new Set([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EAI_AGAIN',
    'PROTOCOL_CONNECTION_LOST',
    'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
    'POOL_CLOSED',
    'ER_SERVER_SHUTDOWN',
    'ER_CON_COUNT_ERROR',
]);
const MYSQL_BUSY = new Set([1205, 1213, 1020, 3572]);
/** Too many connections, shutdown, aborted, killed, gone away, lost in mid-query. */
const MYSQL_LOST = new Set([1040, 1053, 1152, 1184, 1203, 1927, 2006, 2013]);
/** Bad null, duplicate, foreign key, out of range, wrong or truncated value, too long, check, JSON. */
const MYSQL_RECORD = new Set([
    1048, 1062, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1451, 1452, 3140, 3819, 4025,
]);
/** pg and mysql2 say these in plain words, without a code, when their connection breaks. */
const LOST_TEXTS = [
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error',
    'Client was closed',
    'connection is in closed state',
    'Pool is closed',
    'Cannot use a pool after calling end on the pool',
];

/**
 * Sorts what a driver threw by what the engine should do: the database is gone, it is busy, it refuses this record, or it
 * refuses the statement as such. The one place where database errors are looked at.
 */
export function databaseFault(error: unknown): FlowError {
    if (isFlowError(error)) return error;
    if (!isDriverFault(error)) throw error;
    const problem = error.message;
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

/** JavaScript's own errors are mistakes of ours. Told by name, since a driver's error may come from another realm. */
const OWN_MISTAKES = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

function isDriverFault(error: unknown): error is DriverFault {
    // Told by shape: better-sqlite3's errors are no native ones, and a driver's Error may be another realm's.
    if (typeof error !== 'object' || error === null || !('message' in error) || !('name' in error)) return false;
    return typeof error.message === 'string' && !OWN_MISTAKES.has(String(error.name));
}

function sort({ code, errno, message }: DriverFault): 'lost' | 'busy' | 'record' | 'refused' {
    if (LOST_TEXTS.some(text => message.includes(text))) return 'lost';
    if (typeof code === 'string') {
        if (LOST_CODES.has(code)) return 'lost';
        if (code.startsWith('SQLITE_')) return sortSqlite(code);
        if (/^[0-9A-Z]{5}$/.test(code)) return sortSqlState(code);
    }
    if (typeof errno === 'number') {
        if (MYSQL_LOST.has(errno)) return 'lost';
        if (MYSQL_BUSY.has(errno)) return 'busy';
        if (MYSQL_RECORD.has(errno)) return 'record';
    }
    return 'refused';
}

function sortSqlite(code: string): 'lost' | 'busy' | 'record' | 'refused' {
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
    if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_TOOBIG' || code === 'SQLITE_MISMATCH') return 'record';
    if (/^SQLITE_(IOERR|FULL|CANTOPEN)/.test(code)) return 'lost';
    return 'refused';
}

function sortSqlState(code: string): 'lost' | 'busy' | 'record' | 'refused' {
    const group = code.slice(0, 2);
    // 57014 is a statement that took too long, the others of its class a server that goes down.
    if (group === '08' || code.startsWith('57P') || code === '53300') return 'lost';
    if (group === '40' || group === '53' || group === '57' || code === '55P03') return 'busy';
    // 54000: a value too long for its index.
    return group === '22' || group === '23' || code === '54000' ? 'record' : 'refused';
}
