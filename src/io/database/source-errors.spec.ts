import { driver, sourceError } from './source-errors';
import type { SqlTarget } from './session';

const target = (dialect: SqlTarget['dialect']): SqlTarget => ({
    dialect,
    host: 'erp.test',
    port: 5432,
    database: 'erp',
    user: 'shop',
    password: 'p',
    tls: undefined,
});

describe('what a database says', () => {
    it.each<[SqlTarget['dialect'], object, string]>([
        ['postgres', { code: '28P01', severity: 'FATAL' }, 'REMOTE_REFUSED'],
        ['postgres', { code: '3D000', severity: 'FATAL' }, 'REMOTE_REFUSED'],
        ['postgres', { code: '42501', severity: 'ERROR' }, 'REMOTE_REFUSED'],
        ['postgres', { code: '53300', severity: 'FATAL' }, 'REMOTE_BUSY'],
        ['postgres', { code: '40P01', severity: 'ERROR' }, 'REMOTE_BUSY'],
        ['postgres', { code: '57P03', severity: 'FATAL' }, 'REMOTE_BUSY'],
        ['postgres', { code: '57P01', severity: 'FATAL' }, 'REMOTE_BUSY'],
        ['postgres', { code: '57014', severity: 'ERROR' }, 'OUTBOUND_TIMEOUT'],
        ['postgres', { code: '42P01', severity: 'ERROR', message: 'relation "x" does not exist' }, 'QUERY_FAILED'],
        ['postgres', { code: 'ECONNRESET' }, 'REMOTE_BUSY'],
        ['postgres', { message: 'Connection terminated unexpectedly' }, 'REMOTE_BUSY'],
        ['mysql', { errno: 1045, code: 'ER_ACCESS_DENIED_ERROR' }, 'REMOTE_REFUSED'],
        ['mysql', { errno: 1049 }, 'REMOTE_REFUSED'],
        ['mysql', { errno: 1142 }, 'REMOTE_REFUSED'],
        ['mysql', { errno: 1040 }, 'REMOTE_BUSY'],
        ['mysql', { errno: 1213 }, 'REMOTE_BUSY'],
        // MariaDB's own limit has no code.
        ['mysql', { errno: 1969 }, 'OUTBOUND_TIMEOUT'],
        ['mysql', { errno: 3024 }, 'OUTBOUND_TIMEOUT'],
        ['mysql', { code: 'PROTOCOL_CONNECTION_LOST' }, 'REMOTE_BUSY'],
        ['mysql', { code: 'HANDSHAKE_NO_SSL_SUPPORT' }, 'REMOTE_REFUSED'],
        ['mysql', { code: 'HANDSHAKE_SSL_ERROR' }, 'REMOTE_REFUSED'],
        ['mysql', { errno: 1064, sqlMessage: 'You have an error' }, 'QUERY_FAILED'],
        ['sqlite', { code: 'SQLITE_BUSY' }, 'REMOTE_BUSY'],
        ['sqlite', { code: 'SQLITE_CANTOPEN' }, 'QUERY_FAILED'],
    ])('%s %j is %s', (dialect, thrown, code) => {
        expect(sourceError(thrown, target(dialect), 1_000)).toMatchObject({ code });
    });

    it('names what may not be read', () => {
        const denied = { code: '42501', severity: 'ERROR', message: 'permission denied for table secret_t' };
        const { problem } = sourceError(denied, target('postgres'), 1_000).facts!;
        expect(problem).toContain('permission denied for table secret_t');
        expect(problem).toMatch(/CONNECT.*SELECT/);
    });

    it('does not blame the query if another kind of server answers', () => {
        const thrown = new Error('Received unexpected copyData message from backend.');
        expect(sourceError(thrown, target('postgres'), 1_000)).toMatchObject({
            code: 'REMOTE_REFUSED',
            facts: { problem: expect.stringMatching(/protocol of PostgreSQL/) },
        });
    });

    it('is one line, and not endless', () => {
        const thrown = { code: '42601', severity: 'ERROR', message: `a\nb${'x'.repeat(5_000)}` };
        const { message } = sourceError(thrown, target('postgres'), 1_000);
        expect(message).not.toContain('\n');
        expect(message.length).toBeLessThan(700);
    });
});

it('reports a driver that is not installed by its code', async () => {
    const missing = driver('pg', () => Promise.reject(new Error('Cannot find module')));
    await expect(missing).rejects.toMatchObject({ code: 'CLIENT_MISSING', message: expect.stringContaining('pg@^8') });
});
