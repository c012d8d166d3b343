import { PutObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import * as basicFtp from 'basic-ftp';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ssh2 from 'ssh2';
import { ftp, sftp } from '../../src/adapters/connections/ftp';
import { objectStorage } from '../../src/adapters/connections/object-storage';
import type { ConnectionType } from '../../src/core/adapter/connection';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST, secretTargetOf, allowedEntryOf } from '../../src/core/adapter/secret-hosts';
import { asFlowError } from '../../src/core/errors/flow-error';
import { parseWith } from '../../src/core/schema/issues';
import type { LogText } from '../../src/core/log/log-text';
import type { JsonObject } from '../../src/core/value/json';
import { OutboundGateway, type RunOutbound } from '../../src/io/outbound/gateway';
import { FtpFiles } from '../../src/io/remote/ftp';
import type { FtpServer as FtpTarget } from '../../src/io/remote/ftp-session';
import { LIST_BOUNDS } from '../../src/io/remote/remote-files';
import { S3Files } from '../../src/io/remote/s3';
import { CHUNK } from '../../src/io/remote/sftp-chunks';
import { SftpFiles } from '../../src/io/remote/sftp';
import type { SftpServer as SftpTarget } from '../../src/io/remote/sftp-session';
import { textNaming } from '../kit/naming';
import { SELF_SIGNED } from '../fixtures/self-signed';
import { codeOf, whole } from '../kit/blobs-contract';
import { listed, type RemoteServer, remoteFilesContract } from '../kit/remote-files-contract';
import { type FtpServerOptions, startFtp } from '../servers/ftp-server';
import { suiteNeeds } from '../servers/needs';
import { scratchFolder } from '../servers/process';
import { proftpd, startProftpd } from '../servers/proftpd';
import { CLOUD_KEYS, startCloud } from '../servers/s3-server';
import { opensshSftp, type SftpServerOptions, sshKeys, startSftp } from '../servers/sftp-server';

const BUCKET = 'flow-remote';
const { signal } = new AbortController();
const rules = { unknownHostKeys: false, cloudCredentials: false, maxFileBytes: 2 ** 31 };
const gateway = new OutboundGateway({
    allowedHostnames: ['svc.test', '127.0.0.1'],
    resolve: () => Promise.resolve(['127.0.0.1']),
    rules,
});
const strangers = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], rules: { ...rules, unknownHostKeys: true } });
const ending: Array<() => Promise<void>> = [];
const runs: RunOutbound[] = [];
afterAll(async () => {
    for (const run of runs) run.close();
    for (const end of ending) await end();
    await Promise.all([gateway.close(), strangers.close()]);
});

function outbound(of = gateway): RunOutbound {
    const run = of.forRun({ scope: 'remote', rateLimitRps: 0 });
    runs.push(run);
    return run;
}

const sftpAt = (server: Partial<SftpTarget> & { readonly port: number }, of = gateway): SftpFiles =>
    new SftpFiles(
        { host: '127.0.0.1', username: 'shop', password: 'secret', timeoutMs: 20_000, ...server },
        { ssh2, outbound: outbound(of), signal },
    );
const ftpAt = (server: Partial<FtpTarget> & { readonly port: number }): FtpFiles =>
    new FtpFiles(
        {
            host: 'svc.test',
            username: 'shop',
            password: 'secret',
            secure: false,
            passiveMode: true,
            timeoutMs: 20_000,
            ...server,
        },
        { basicFtp, outbound: outbound(), signal },
    );

/** Files in the file system of the server's machine. */
function onDisk(folder: string): Pick<RemoteServer, 'write' | 'read'> {
    return {
        write: async (path, content) => {
            mkdirSync(dirname(join(folder, path)), { recursive: true });
            writeFileSync(join(folder, path), content);
        },
        read: async path => readFileSync(join(folder, path)),
    };
}

async function ownSftp(options: Partial<SftpServerOptions> = {}) {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'in'));
    const server = await startSftp({ folder, ...options });
    ending.push(() => server.close());
    return { folder, ...server };
}

async function ownFtp(options: Partial<FtpServerOptions> = {}) {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'in'));
    const server = await startFtp({ folder, ...options });
    ending.push(() => server.close());
    return { folder, ...server };
}

describe('files by SFTP', () => {
    remoteFilesContract(async () => {
        const { folder, port, fingerprint, cutAfter } = await ownSftp();
        return { ...onDisk(folder), open: () => sftpAt({ port, hostKeyFingerprint: fingerprint }), cutAfter };
    });
});

describe('a connection to a server', () => {
    const at = (server: { readonly port: number; readonly fingerprint: string }, more: Partial<SftpTarget> = {}) =>
        sftpAt({ port: server.port, hostKeyFingerprint: server.fingerprint, ...more });

    it('is reused by the next run, unless that has another login', async () => {
        const server = await ownSftp();
        writeFileSync(join(server.folder, 'in/a.csv'), 'x');
        for (let run = 0; run < 3; run++) {
            const files = at(server);
            const [file] = await listed(files, '/in');
            expect(await whole(files.open(file!, 0))).toHaveLength(1);
            files.close();
        }
        expect(server.connections()).toBe(1);
        const other = at(server, { password: 'wrong' });
        expect(await codeOf(other.stat('/in/a.csv'))).toBe('REMOTE_REFUSED');
        other.close();
        expect(server.connections()).toBe(2);
    });

    it('that was lost in the meantime is opened again, whatever is done first', async () => {
        const server = await ownSftp();
        writeFileSync(join(server.folder, 'in/a.csv'), 'x');
        for (const first of ['stat', 'list'] as const) {
            const before = at(server);
            await before.stat('/in/a.csv');
            // The answer to the next request never arrives.
            server.breakAtNext();
            before.close();
            const files = at(server);
            if (first === 'stat') expect(await files.stat('/in/a.csv')).toMatchObject({ size: 1 });
            else expect(await listed(files, '/in')).toHaveLength(1);
            files.close();
        }
    });

    it('is opened for each connection test, and is not reused', async () => {
        const server = await ownSftp();
        for (let time = 0; time < 2; time++) {
            const before = at(server);
            await before.stat('/in');
            before.close();
            const tried = at(server);
            expect(await tried.fingerprint()).toBe(server.fingerprint);
            tried.close();
        }
        expect(server.connections()).toBe(3);
    });

    it('of FTP is reused as well, encrypted or not, and opened again if the server has closed it', async () => {
        for (const tls of [false, true]) {
            const server = await ownFtp({ tls });
            writeFileSync(join(server.folder, 'in/a.csv'), 'x');
            const read = async (): Promise<number> => {
                const files = ftpAt({ port: server.port, secure: tls, ca: tls ? SELF_SIGNED.cert : undefined });
                const content = await whole(files.open({ path: '/in/a.csv' }, 0));
                files.close();
                return content.length;
            };
            const logins = (): number => server.commands.filter(command => command.startsWith('USER')).length;
            expect([await read(), await read(), await read(), logins()]).toEqual([1, 1, 1, 1]);
            server.hangUpAtNext();
            expect([await read(), logins()]).toEqual([1, 2]);
        }
    });

    it('sends one request for each piece of a file, and one more for its end', async () => {
        const server = await ownSftp();
        writeFileSync(join(server.folder, 'in/a.csv'), 'x');
        const files = at(server);
        const file = (await files.stat('/in/a.csv'))!;
        expect((await whole(files.open(file, 0))).toString()).toBe('x');
        expect(server.reads()).toBe(2);
        writeFileSync(join(server.folder, 'in/b.csv'), Buffer.alloc(10 * CHUNK));
        const large = (await files.stat('/in/b.csv'))!;
        expect(await whole(files.open(large, 0))).toHaveLength(10 * CHUNK);
        expect(server.reads()).toBe(2 + 11);
        files.close();
    });
});

suiteNeeds(
    {
        name: 'openssh-sftp-server',
        reason: opensshSftp() === undefined ? 'openssh-sftp-server is not installed' : undefined,
        bring: 'apt-get install -y openssh-sftp-server',
    },
    "files by OpenSSH's SFTP",
    () => {
        let folder = '';
        remoteFilesContract(async () => {
            ({ folder } = await ownSftp());
            const { port, fingerprint } = await ownSftp({ folder, program: opensshSftp() });
            return { ...onDisk(folder), open: () => sftpAt({ port, hostKeyFingerprint: fingerprint }) };
        }, 'in');
    },
);

describe.each<readonly [what: string, served: Partial<FtpServerOptions>, target: Partial<FtpTarget>]>([
    ['FTP', {}, {}],
    ['FTPS', { tls: true }, { secure: true, ca: SELF_SIGNED.cert }],
    ['FTP in active mode', {}, { passiveMode: false }],
    ['FTPS in active mode', { tls: true }, { secure: true, ca: SELF_SIGNED.cert, passiveMode: false }],
    ['FTP of an old server', { isOld: true }, {}],
    ['FTP of a server that names another host for its data', { passiveHost: '10,0,0,1' }, {}],
])('files by %s', (_, served, target) => {
    remoteFilesContract(async () => {
        const { folder, port, cutAfter } = await ownFtp(served);
        return { ...onDisk(folder), open: () => ftpAt({ port, ...target }), cutAfter };
    });
});

suiteNeeds(
    {
        name: 'proftpd',
        reason: proftpd() === undefined ? 'proftpd is not on the PATH' : undefined,
        bring: 'apt-get install -y proftpd-core proftpd-mod-crypto',
    },
    'files by ProFTPD',
    () => {
        describe.each([
            ['plain', {}],
            ['with TLS', { secure: true, ca: SELF_SIGNED.cert }],
            ['in active mode', { passiveMode: false }],
        ] as const)('%s', (_, target) => {
            remoteFilesContract(async () => {
                const server = await startProftpd(proftpd()!);
                ending.push(() => server.stop());
                const { root } = server;
                const folder = join(root, 'in');
                mkdirSync(folder);
                chmodSync(folder, 0o777);
                return { ...onDisk(root), open: () => ftpAt({ port: server.port, ...target }) };
            }, 'in');
        });
    },
);

describe('files in a bucket', () => {
    let endpoint: string;
    const open = (bucket = BUCKET, of = gateway): S3Files =>
        new S3Files(
            {
                bucket,
                region: 'us-east-1',
                endpoint,
                service: allowedEntryOf(secretTargetOf(endpoint)!)!,
                forcePathStyle: true,
                credentials: CLOUD_KEYS,
            },
            { outbound: outbound(of), signal },
        );
    beforeAll(async () => {
        const cloud = await startCloud(BUCKET);
        ending.push(() => cloud.stop());
        ({ endpoint } = cloud);
        clientOf = cloud.client;
    });
    let clientOf: Awaited<ReturnType<typeof startCloud>>['client'];

    remoteFilesContract(
        async () => ({
            open: () => open(),
            write: async (path, content) => {
                await clientOf.send(new PutObjectCommand({ Bucket: BUCKET, Key: path, Body: content }));
            },
            read: async path => {
                const { Body } = await clientOf.send(new GetObjectCommand({ Bucket: BUCKET, Key: path }));
                return Buffer.from(await Body!.transformToByteArray());
            },
        }),
        'in',
    );

    it('that is marked as compressed is read as it is stored', async () => {
        const content = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]);
        await clientOf.send(
            new PutObjectCommand({ Bucket: BUCKET, Key: 'zipped/a.csv', Body: content, ContentEncoding: 'gzip' }),
        );
        const files = open();
        expect(await whole(files.open({ path: 'zipped/a.csv' }, 0))).toEqual(content);
        files.close();
    });

    it('that is larger than the limit for answers can still be looked up and read', async () => {
        const strict = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], rules, maxResponseBytes: 10_000 });
        const content = Buffer.alloc(50_000, 'x');
        await clientOf.send(
            new PutObjectCommand({ Bucket: BUCKET, Key: 'large.csv', Body: content, ContentEncoding: 'gzip' }),
        );
        const files = open(BUCKET, strict);
        expect(await files.stat('large.csv')).toMatchObject({ size: content.length });
        expect(await whole(files.open({ path: 'large.csv' }, 0))).toEqual(content);
        files.close();
        await strict.close();
    });

    it('is distinguished from an empty one if it does not exist', async () => {
        const files = open('flow-nobody');
        const rejected = await listed(files, '').catch(asFlowError);
        expect(rejected).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        files.close();
    });

    it('is skipped if its key has a part "..", but not if many keys have the same beginning', async () => {
        for (const Key of ['odd/../etc/a.csv', 'odd/line\nend.csv', 'odd/folder/', 'odd/good.csv'])
            await clientOf.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'x' }));
        const files = open();
        const pages = [];
        for await (const page of files.list({ under: 'odd/', recursive: true, bounds: LIST_BOUNDS })) pages.push(page);
        expect(pages.flatMap(page => page.files.map(({ path }) => path))).toEqual(['odd/good.csv']);
        expect(pages.flatMap(({ notes }) => notes)).toHaveLength(2);
        files.close();
    });
});

describe('the test of a connection', () => {
    const user = { username: 'shop', passwordSecretCode: 'secret' };
    const tried = (type: ConnectionType, settings: JsonObject, of = gateway) => {
        const parsed = parseWith(type.config, settings);
        if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('; '));
        const values = new Map([
            ['ca', SELF_SIGNED.cert],
            ['vouched', vouched],
        ]);
        const secrets = { get: (code: string) => new Secret(code, values.get(code) ?? code, EVERY_HOST) };
        const cx = { outbound: outbound(of), secrets, timeoutMs: 5_000, signal };
        return type.tryOut!({ code: 'tried', type: type.code, settings: parsed.value as JsonObject }, cx);
    };
    let vouched = '';

    it('shows the unknown host key of an SFTP server', async () => {
        const { port, fingerprint, attempts } = await ownSftp();
        const server = { ...user, host: '127.0.0.1', port };
        expect(await tried(sftp, server, strangers)).toMatchObject({
            hostKeyFingerprint: fingerprint,
            message: expect.stringContaining(fingerprint),
        });
        // Runs do not connect: only the host key is requested, and no password is sent.
        const before = attempts();
        const untrusted = { hostKeyFingerprint: fingerprint, code: 'REMOTE_REFUSED' };
        expect(await tried(sftp, { ...server, passwordSecretCode: 'wrong' })).toMatchObject(untrusted);
        expect(attempts()).toBe(before);
        const saved = { ...server, hostKeyFingerprint: fingerprint };
        expect(await tried(sftp, saved)).toMatch(/host key.* trusted/);
        const after = attempts();
        const other = { ...server, hostKeyFingerprint: `SHA256:${'A'.repeat(43)}` };
        expect(await codeOf(tried(sftp, other))).toBe('REMOTE_REFUSED');
        expect(attempts()).toBe(after);
        expect(parseWith(sftp.config, { ...saved, hostKeyFingerprintSecretCode: 'vouched' }).ok).toBe(false);
        vouched = fingerprint;
        const trusted = { ...server, hostKeyFingerprintSecretCode: 'vouched' };
        expect(await tried(sftp, trusted)).toMatch(/host key.* trusted/);
        expect(await codeOf(tried(sftp, { ...trusted, passwordSecretCode: 'wrong' }))).toBe('REMOTE_REFUSED');
    });

    it('says whether an FTP server accepts the user, and whether the connection is encrypted', async () => {
        const { port } = await ownFtp({ tls: true });
        const server = { ...user, host: 'svc.test', port };
        expect(await tried(ftp, server)).toContain('not encrypted');
        const encrypted = { ...server, secure: true, caSecretCode: 'ca' };
        const accepted = await tried(ftp, encrypted);
        expect(accepted).toMatch(/user.* at \/\./);
        expect(accepted).not.toContain('encrypted');
        expect(await codeOf(tried(ftp, { ...server, passwordSecretCode: 'wrong' }))).toBe('REMOTE_REFUSED');
    });

    it("says whether a bucket exists, and uses the server's own credentials only if that is allowed", async () => {
        const cloud = await startCloud(BUCKET);
        ending.push(() => cloud.stop());
        const keys = { accessKeyIdSecretCode: 'test', secretAccessKeySecretCode: 'test' };
        const place = { endpoint: cloud.endpoint, forcePathStyle: true };
        const there = await tried(objectStorage, { ...place, ...keys, bucket: BUCKET });
        expect(there).toEqual(textNaming(` ${BUCKET} `, 'listed'));
        expect(await codeOf(tried(objectStorage, { ...place, ...keys, bucket: 'flow-nobody' }))).toBe('REMOTE_REFUSED');
        for (const settings of [{ ...place, bucket: BUCKET }, { bucket: BUCKET }])
            expect(await codeOf(tried(objectStorage, settings))).toBe('CONNECTION_INVALID');
    });
});

describe('servers that are not what they should be', () => {
    it('an SFTP server with another host key, or with one that is not trusted, gets no password', async () => {
        const { port, connections } = await ownSftp();
        const wrong = `SHA256:${'A'.repeat(43)}`;
        for (const server of [{ hostKeyFingerprint: wrong }, {}, { hostKeyFingerprint: 'SHA256:short' }]) {
            const files = sftpAt({ port, ...server });
            expect(await codeOf(files.stat('/in'))).toBe('REMOTE_REFUSED');
            files.close();
        }
        expect(connections()).toBe(1);
        const files = sftpAt({ port }, strangers);
        expect(await files.fingerprint()).toMatch(/^SHA256:/);
        files.close();
    });

    it('wrong passwords are a permanent error, and keys are accepted', async () => {
        const keys = sshKeys('pass phrase');
        const { port, fingerprint } = await ownSftp({ authorizedKey: keys.public });
        const at = (server: Partial<SftpTarget>): SftpFiles =>
            sftpAt({ port, hostKeyFingerprint: fingerprint, ...server });
        const key = { password: undefined, privateKey: keys.private };
        for (const server of [{ password: 'wrong' }, { ...key, passphrase: 'wrong' }, key]) {
            const files = at(server);
            expect(await files.stat('/in').catch(asFlowError)).toMatchObject({
                code: 'REMOTE_REFUSED',
                treat: 'config',
            });
            files.close();
        }
        const files = at({ ...key, passphrase: 'pass phrase' });
        expect(await listed(files, '/in')).toEqual([]);
        files.close();
        const ftp = ftpAt({ port: (await ownFtp()).port, password: 'wrong' });
        expect(await ftp.home().catch(asFlowError)).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        ftp.close();
    });

    it('a certificate that no authority has signed is rejected', async () => {
        const { port } = await ownFtp({ tls: true });
        const files = ftpAt({ port, secure: true });
        expect(await files.home().catch(asFlowError)).toMatchObject({ code: 'REMOTE_REFUSED' });
        files.close();
    });

    it('an FTP server that names the port of another service for its data is not followed there', async () => {
        const { port } = await ownFtp({ passiveHost: '127,0,0,1' });
        const public_ = new OutboundGateway({
            allowedHostnames: ['10.9.8.7'],
            resolve: () => Promise.resolve(['127.0.0.1']),
        });
        ending.push(() => public_.close());
        const files = new FtpFiles(
            { host: 'svc.test', port, secure: false, passiveMode: true, timeoutMs: 5_000 },
            { basicFtp, outbound: public_.forRun({ scope: 'x', rateLimitRps: 0 }), signal },
        );
        expect(await codeOf(files.home())).toBe('OUTBOUND_BLOCKED');
        files.close();
    });

    it('names that lead elsewhere, links and odd characters are skipped with a note', async () => {
        const attrs = { mode: 0o100644, size: 1, uid: 0, gid: 0, atime: 0, mtime: 0 };
        const names = ['..', '../etc/passwd', '/etc/passwd', 'a\nb.csv', 'a\\..\\b.csv', `${'x'.repeat(2_000)}.csv`];
        const sftp = await ownSftp({
            moreEntries: path =>
                path === '/in' ? [names.map(filename => ({ filename, longname: filename, attrs }))] : [],
        });
        symlinkSync('/etc/passwd', join(sftp.folder, 'in/link.csv'));
        symlinkSync('/', join(sftp.folder, 'in/root'));
        const ftp = await ownFtp({
            moreLines: () => names.map(name => `type=file;size=1;modify=20260101000000; ${name}`),
        });
        symlinkSync('/etc/passwd', join(ftp.folder, 'in/link.csv'));
        for (const server of [sftp, ftp]) writeFileSync(join(server.folder, 'in/good.csv'), 'x');
        const both = [sftpAt({ port: sftp.port, hostKeyFingerprint: sftp.fingerprint }), ftpAt({ port: ftp.port })];
        for (const files of both) {
            const paths: string[] = [];
            const notes: LogText[] = [];
            for await (const page of files.list({ under: '/in', recursive: true, bounds: LIST_BOUNDS })) {
                paths.push(...page.files.map(({ path }) => path));
                notes.push(...page.notes);
            }
            expect(paths.filter(path => path !== '/in/a')).toEqual(['/in/good.csv']);
            expect(notes).toContainEqual(
                expect.objectContaining({
                    event: 'ENTRY_SKIPPED',
                    facts: expect.objectContaining({ name: '"link.csv"' }) as object,
                }),
            );
            files.close();
        }
    });

    it('a link to its own folder, which the server lists as a folder, ends at the limits', async () => {
        const attrs = { mode: 0o040755, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 };
        const sftp = await ownSftp({ moreEntries: () => [[{ filename: 'loop', longname: 'loop', attrs }]] });
        const ftp = await ownFtp({ moreLines: () => ['type=dir;modify=20260101000000; loop'] });
        const both = [sftpAt({ port: sftp.port, hostKeyFingerprint: sftp.fingerprint }), ftpAt({ port: ftp.port })];
        for (const [i, { folder }] of [sftp, ftp].entries()) {
            symlinkSync('.', join(folder, 'in/loop'));
            writeFileSync(join(folder, 'in/good.csv'), 'x');
            const files = both[i]!;
            const paths: string[] = [];
            const notes: LogText[] = [];
            for await (const page of files.list({ under: '/in', recursive: true, bounds: LIST_BOUNDS })) {
                paths.push(...page.files.map(({ path }) => path));
                notes.push(...page.notes);
            }
            expect(paths).toHaveLength(LIST_BOUNDS.depth + 1);
            expect(notes).toContainEqual(
                expect.objectContaining({
                    event: 'FOLDER_TOO_DEEP',
                    facts: expect.objectContaining({ depth: LIST_BOUNDS.depth }) as object,
                }),
            );
            files.close();
        }
    });

    it.each<[string, Partial<FtpServerOptions>, (line: string) => string]>([
        ['with the marks of SELinux', { isOld: true }, line => line.replace(/^(.{10})/, '$1.')],
        ['with day before month', { isOld: true }, line => line.replace('Jan 01', '1. Jan')],
        ['with types in capitals', {}, line => line.replace('type=file', 'Type=File')],
        ['without times', {}, line => line.replace(/modify=\d+;/, '')],
    ])('files of an FTP server are listed %s', async (_, options, asListed) => {
        const { folder, port } = await ownFtp({ ...options, asListed });
        writeFileSync(join(folder, 'in/a.csv'), 'sku');
        const files = ftpAt({ port });
        const [file, ...others] = await listed(files, '/in');
        expect(others).toEqual([]);
        expect(file).toEqual(await files.stat('/in/a.csv'));
        files.close();
    });

    it('lines of an FTP server that cannot be parsed are counted with an example, and are an error if no line can be', async () => {
        for (const isOld of [true, false]) {
            const moreLines = (): readonly string[] => ['what is this', 'or that'];
            const { folder, port } = await ownFtp({ isOld, moreLines });
            const files = ftpAt({ port });
            if (isOld) expect(await codeOf(listed(files, '/in'))).toBe('REMOTE_MALFORMED');
            writeFileSync(join(folder, 'in/a.csv'), 'sku');
            const pages = [];
            for await (const page of files.list({ under: '/in', recursive: false, bounds: LIST_BOUNDS }))
                pages.push(page);
            expect(pages.flatMap(page => page.files.map(({ path }) => path))).toEqual(['/in/a.csv']);
            expect(pages.flatMap(({ notes }) => notes)).toMatchObject([
                { event: 'LISTING_UNCLEAR', facts: { lines: 2, example: expect.stringContaining(moreLines()[0]!) } },
            ]);
            expect(pages.some(({ isCut }) => isCut)).toBe(true);
            files.close();
        }
    });

    it('a name with control characters is skipped, and the others of its folder are read', async () => {
        const hostile = ['a\u0007b.csv', 'a\rDELE good.csv', `a${String.fromCharCode(0)}b.csv`];
        const moreLines = (): readonly string[] =>
            hostile.map(name => `-rw-r--r--   1 shop  shop  1 Jan 01 00:00 ${name}`);
        const { folder, port, commands } = await ownFtp({ isOld: true, moreLines });
        writeFileSync(join(folder, 'in/good.csv'), 'sku');
        const files = ftpAt({ port });
        const pages = [];
        for await (const page of files.list({ under: '/in', recursive: false, bounds: LIST_BOUNDS })) pages.push(page);
        expect(pages.flatMap(page => page.files.map(({ path }) => path))).toEqual(['/in/good.csv']);
        expect(pages.flatMap(({ notes }) => notes)).toHaveLength(hostile.length);
        expect(pages.some(({ isCut }) => isCut)).toBe(true);
        expect(commands.filter(command => /^(SIZE|MDTM|DELE)/.test(command))).toEqual([
            'SIZE /in/good.csv',
            'MDTM /in/good.csv',
        ]);
        files.close();
    });

    it('a folder of a million and one entries ends at the limit, and no more than necessary is read', async () => {
        const attrs = { mode: 0o100644, size: 1, uid: 0, gid: 0, atime: 0, mtime: 0 };
        let requested = 0;
        const sftp = await ownSftp({
            moreEntries: function* () {
                for (let i = 0; i < 1_000_001; i += 100) {
                    requested++;
                    yield Array.from({ length: 100 }, (_, j) => ({ filename: `${i + j}.csv`, longname: '', attrs }));
                }
            },
        });
        const ftp = await ownFtp({
            moreLines: function* () {
                for (let i = 0; i < 1_000_001; i++) yield `type=file;size=1;modify=20260101000000; ${i}.csv`;
            },
        });
        const both = [sftpAt({ port: sftp.port, hostKeyFingerprint: sftp.fingerprint }), ftpAt({ port: ftp.port })];
        for (const files of both) {
            expect(await listed(files, '/in')).toHaveLength(LIST_BOUNDS.entries);
            files.close();
        }
        expect(requested).toBeLessThan(150);
    });
});
