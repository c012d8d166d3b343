/** The class of a database error: the connection is lost, the database is busy, it rejects this record, or it rejects the statement itself. */
export type DatabaseErrorKind = 'lost' | 'busy' | 'record' | 'refused';

/** Errors of MySQL and MariaDB, by errno. A spec compares names and numbers with those of mysql2; an M marks MariaDB's own. */
export const MYSQL_ERRORS: Readonly<Record<string, readonly [number, DatabaseErrorKind]>> = {
    ER_CON_COUNT_ERROR: [1040, 'lost'],
    ER_SERVER_SHUTDOWN: [1053, 'lost'],
    ER_NORMAL_SHUTDOWN: [1077, 'lost'],
    ER_SHUTDOWN_COMPLETE: [1079, 'lost'],
    ER_ABORTING_CONNECTION: [1152, 'lost'],
    ER_NET_READ_ERROR_FROM_PIPE: [1154, 'lost'],
    ER_NET_PACKETS_OUT_OF_ORDER: [1156, 'lost'],
    ER_NET_READ_ERROR: [1158, 'lost'],
    ER_NET_READ_INTERRUPTED: [1159, 'lost'],
    ER_NET_ERROR_ON_WRITE: [1160, 'lost'],
    ER_NET_WRITE_INTERRUPTED: [1161, 'lost'],
    ER_NEW_ABORTING_CONNECTION: [1184, 'lost'],
    ER_TOO_MANY_USER_CONNECTIONS: [1203, 'lost'],
    M_ER_CONNECTION_KILLED: [1927, 'lost'],
    CR_SERVER_GONE_ERROR: [2006, 'lost'],
    CR_SERVER_LOST: [2013, 'lost'],
    ER_SESSION_WAS_KILLED: [3169, 'lost'],
    ER_CLIENT_INTERACTION_TIMEOUT: [4031, 'lost'],
    ER_CHECKREAD: [1020, 'busy'],
    ER_LOCK_WAIT_TIMEOUT: [1205, 'busy'],
    ER_LOCK_DEADLOCK: [1213, 'busy'],
    ER_QUERY_INTERRUPTED: [1317, 'busy'],
    M_ER_STATEMENT_TIMEOUT: [1969, 'busy'],
    ER_QUERY_TIMEOUT: [3024, 'busy'],
    ER_USER_LOCK_DEADLOCK: [3058, 'busy'],
    ER_LOCK_NOWAIT: [3572, 'busy'],
    ER_BAD_NULL_ERROR: [1048, 'record'],
    ER_DUP_ENTRY: [1062, 'record'],
    ER_NO_REFERENCED_ROW: [1216, 'record'],
    ER_ROW_IS_REFERENCED: [1217, 'record'],
    ER_WARN_DATA_OUT_OF_RANGE: [1264, 'record'],
    WARN_DATA_TRUNCATED: [1265, 'record'],
    ER_TRUNCATED_WRONG_VALUE: [1292, 'record'],
    ER_NO_DEFAULT_FOR_FIELD: [1364, 'record'],
    ER_TRUNCATED_WRONG_VALUE_FOR_FIELD: [1366, 'record'],
    ER_DATA_TOO_LONG: [1406, 'record'],
    ER_ROW_IS_REFERENCED_2: [1451, 'record'],
    ER_NO_REFERENCED_ROW_2: [1452, 'record'],
    ER_INVALID_JSON_TEXT: [3140, 'record'],
    ER_CHECK_CONSTRAINT_VIOLATED: [3819, 'record'],
    M_ER_CONSTRAINT_FAILED: [4025, 'record'],
};

/**
 * The beginnings of error messages of drivers that have no distinctive code. A spec reads all messages of the installed drivers, so that new ones
 * are classified before they occur.
 */
export const LOST_TEXTS: readonly string[] = [
    // pg and pg-pool
    'Connection terminated',
    'Client has encountered a connection error',
    'Client was closed',
    'Query read timeout',
    'Received unexpected',
    'There was an error establishing an SSL connection',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Cannot use a pool after calling end on the pool',
    'Called end on pool more than once',
    'received invalid response',
    // mysql2
    "Can't add new command when connection is in closed state",
    "Can't write in closed state",
    'Connection lost',
    'Pool is closed',
    'Pool does Not',
    'Unexpected packet',
    'Warning: got packets out of order',
    'Query inactivity timeout',
    'connect ETIMEDOUT',
    // TypeORM: its driver has been closed
    'Driver not Connected',
    'Connection is not established with',
    // better-sqlite3
    'The database connection is not open',
];

/** Messages of a pool without a waiting queue. */
export const BUSY_TEXTS: readonly string[] = ['No connections available', 'Queue limit reached'];

/** Codes of drivers, and of Node below them, for a connection that fails or breaks, in addition to every error of a system call. */
export const LOST_CODES = /^(PROTOCOL_|POOL_|ERR_STREAM_|ERR_SOCKET_|ER_SERVER_SHUTDOWN$|ER_CON_COUNT_ERROR$)/;

/** TypeORM's errors of a connection that has broken before the statement, or was closed; by class, since they have no code. */
export const LOST_NAMES: ReadonlySet<string> = new Set([
    'QueryRunnerAlreadyReleasedError',
    'QueryRunnerProviderAlreadyReleasedError',
    'ConnectionIsNotSetError',
    'CannotExecuteNotConnectedError',
]);
