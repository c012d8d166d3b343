import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { SELF_SIGNED } from '../fixtures/self-signed';
import { findOnPath, freePort, launch, scratchFolder } from './process';

const UNPRIVILEGED = 'nobody';

/** A running ProFTPD: its files are below `root`, which is the users' first folder. */
export interface Proftpd {
    readonly port: number;
    readonly root: string;
    stop(): Promise<void>;
}

/** The program; undefined if it is not installed. */
export function proftpd(): string | undefined {
    return findOnPath('proftpd');
}

/** Starts it as user `shop` with the password `secret`, with TLS if required. As root it serves as `nobody`. */
export async function startProftpd(program: string): Promise<Proftpd> {
    const folder = scratchFolder();
    const root = join(folder, 'root');
    mkdirSync(root);
    const port = await freePort();
    const isRoot = process.getuid?.() === 0;
    const account = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;
    const { uid, gid } = account ?? { uid: process.getuid!(), gid: process.getgid!() };
    const hash = execFileSync('openssl', ['passwd', '-6', 'secret']).toString().trim();
    const write = (name: string, content: string): string => {
        const place = join(folder, name);
        writeFileSync(place, content);
        chmodSync(place, 0o600);
        if (isRoot) execFileSync('chown', [`${uid}:${gid}`, place]);
        return place;
    };
    const modules = process.env.FLOW_TEST_PROFTPD_MODULES ?? '/usr/lib/proftpd';
    const config = write(
        'proftpd.conf',
        `ModulePath ${modules}
LoadModule mod_tls.c
ServerType standalone
${isRoot ? `User ${UNPRIVILEGED}\nGroup nogroup\n` : ''}DefaultAddress 127.0.0.1
SocketBindTight on
Port ${port}
ControlsEngine off
ControlsSocket ${folder}/control.sock
PidFile ${folder}/pid
ScoreboardFile ${folder}/scoreboard
DelayTable none
WtmpLog off
SystemLog ${folder}/system.log
TransferLog none
UseIPv6 off
AuthOrder mod_auth_file.c
AuthUserFile ${write('passwd', `shop:${hash}:${uid}:${gid}::${root}:/bin/false\n`)}
AuthGroupFile ${write('group', `shop:x:${gid}:\n`)}
RequireValidShell off
UseFtpUsers off
AllowOverwrite on
AllowStoreRestart on
AllowRetrieveRestart on
TLSEngine on
TLSRSACertificateFile ${write('unused.pem', '')}
TLSECCertificateFile ${write('cert.pem', SELF_SIGNED.cert)}
TLSECCertificateKeyFile ${write('key.pem', SELF_SIGNED.key)}
TLSRequired off
TLSProtocol TLSv1.2 TLSv1.3
`.replace(/^TLSRSA.*\n/m, ''),
    );
    if (isRoot) execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
    const server = await launch(
        { command: program, args: ['-n', '-c', config], folder, ...(account && { account }) },
        async () => {
            const socket = connect(port, '127.0.0.1');
            await once(socket, 'data');
            socket.destroy();
        },
    );
    return { port, root, stop: () => server.stop() };
}
