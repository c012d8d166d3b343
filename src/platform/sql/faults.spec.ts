import { flowError } from '../../core/errors/flow-error';
import { databaseFault } from './faults';

const fault = (message: string, more: object = {}) => databaseFault(Object.assign(new Error(message), more)).code;

describe('what a driver throws', () => {
    it.each([
        ['a refused connection', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' }],
        ['pg without a connection', 'Connection terminated unexpectedly', {}],
        ['a PostgreSQL that shuts down', 'terminating connection', { code: '57P01' }],
        ['a PostgreSQL with too many clients', 'sorry, too many clients', { code: '53300' }],
        ['mysql2 without a connection', "Can't add new command when connection is in closed state", {}],
        ['a killed MariaDB connection', 'Connection was killed', { code: 'ER_CONNECTION_KILLED', errno: 1927 }],
        ['a full disk under SQLite', 'database or disk is full', { code: 'SQLITE_FULL' }],
    ])('means that the database is lost: %s', (_, message, more) => expect(fault(message, more)).toBe('DATABASE_LOST'));

    it.each([
        ['PostgreSQL, deadlock', { code: '40P01' }],
        ['PostgreSQL, serialization', { code: '40001' }],
        ['PostgreSQL, lock timeout', { code: '55P03' }],
        ['MariaDB, deadlock', { code: 'ER_LOCK_DEADLOCK', errno: 1213 }],
        ['MariaDB, lock timeout', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205 }],
        ['SQLite', { code: 'SQLITE_BUSY' }],
    ])('means that the database is busy: %s', (_, more) => expect(fault('x', more)).toBe('DATABASE_BUSY'));

    it.each([
        ['PostgreSQL, duplicate key', { code: '23505' }],
        ['PostgreSQL, number out of range', { code: '22003' }],
        ['MariaDB, duplicate key', { code: 'ER_DUP_ENTRY', errno: 1062 }],
        ['MariaDB, too long', { code: 'ER_DATA_TOO_LONG', errno: 1406 }],
        ['SQLite, constraint', { code: 'SQLITE_CONSTRAINT_UNIQUE' }],
    ])('means that a record is refused: %s', (_, more) => expect(fault('x', more)).toBe('RECORD_REFUSED'));

    it('means that somebody must mend the statement or its rights, where it is none of these', () => {
        expect(fault('relation does not exist', { code: '42P01' })).toBe('DATABASE_REFUSED');
        expect(fault('no such table', { code: 'SQLITE_ERROR' })).toBe('DATABASE_REFUSED');
    });

    it("stays what it is when it is Flow's own error, or a mistake in the code", () => {
        const own = flowError('RUN_CANCELLED', {});
        expect(databaseFault(own)).toBe(own);
        expect(() => databaseFault(new TypeError('x is not a function'))).toThrow(TypeError);
    });
});
