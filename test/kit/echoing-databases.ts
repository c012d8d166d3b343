import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * What a server does with the password that it receives: it rejects the password, says that the user has no rights, accepts the user and rejects all
 * queries, or answers each query with rows whose names and cells contain the password. The name of the database selects the behaviour.
 */
export const ECHOES = ['refuses', 'forbids', 'fails', 'answers'] as const;
type Echo = (typeof ECHOES)[number];

/** A server that learns the password of every client, and repeats it in each of its messages. Close it after the test. */
export class EchoingDatabase {
    /** The received passwords. */
    readonly heard = new Set<string>();
    private readonly open = new Set<Socket>();
    private server: Server | undefined;

    constructor(private readonly speak: (talk: Talk) => Promise<void>) {}

    async listen(): Promise<this> {
        const server = createServer(socket => {
            this.open.add(socket);
            socket.on('error', () => undefined);
            // Ends with the connection, in the middle of any message.
            this.speak(new Talk(socket, this.heard)).catch(() => socket.destroy());
        });
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        this.server = server;
        return this;
    }

    get port(): number {
        return (this.server!.address() as AddressInfo).port;
    }

    async close(): Promise<void> {
        for (const socket of this.open) socket.destroy();
        await new Promise(done => this.server?.close(done));
    }
}

class Talk {
    private readonly bytes: AsyncIterator<Buffer>;
    private kept = Buffer.alloc(0);

    constructor(
        private readonly socket: Socket,
        private readonly heard: Set<string>,
    ) {
        this.bytes = (socket as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    }

    async take(length: number): Promise<Buffer> {
        while (this.kept.length < length) {
            const { done, value } = await this.bytes.next();
            if (done) throw new Error('The client has disconnected.');
            this.kept = Buffer.concat([this.kept, value]);
        }
        const taken = this.kept.subarray(0, length);
        this.kept = this.kept.subarray(length);
        return taken;
    }

    say(bytes: Buffer): void {
        this.socket.write(bytes);
    }

    hear(password: string): string {
        this.heard.add(password);
        return password;
    }
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const u16be = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const u32be = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
};
const echoOf = (name: string | undefined): Echo => ECHOES.find(echo => echo === name) ?? 'refuses';

/** PostgreSQL, which requests the password in clear text. */
export function echoingPostgres(): EchoingDatabase {
    const message = (type: string, ...parts: Buffer[]): Buffer => {
        const body = Buffer.concat(parts);
        return Buffer.concat([Buffer.from(type), u32be(body.length + 4), body]);
    };
    const issue = (code: string, said: string): Buffer =>
        message('E', text('SERROR'), text('VERROR'), text(`C${code}`), text(`M${said}`), Buffer.from([0]));
    const ready = message('Z', Buffer.from('I'));
    return new EchoingDatabase(async talk => {
        const start = await talk.take((await talk.take(4)).readInt32BE() - 4);
        const words = start.subarray(4).toString().split('\0');
        const echo = echoOf(words[words.indexOf('database') + 1]);
        talk.say(message('R', u32be(3)));
        const next = async (): Promise<{ type: string; body: Buffer }> => {
            const type = (await talk.take(1)).toString();
            return { type, body: await talk.take((await talk.take(4)).readInt32BE() - 4) };
        };
        const password = talk.hear((await next()).body.subarray(0, -1).toString());
        const said = `no such password: ${password} of ${words[words.indexOf('user') + 1]}`;
        if (echo === 'refuses') return talk.say(issue('XX000', said));
        if (echo === 'forbids') return talk.say(issue('42501', said));
        talk.say(Buffer.concat([message('R', u32be(0)), message('S', text('server_version'), text(said)), ready]));
        const cells = [password, '150000', said];
        const fields = ['files', 'version', password].map(name =>
            Buffer.concat([text(name), u32be(0), u16be(0), u32be(25), u16be(8), u32be(-1), u16be(0)]),
        );
        const row = cells.map(cell => Buffer.concat([u32be(Buffer.byteLength(cell)), Buffer.from(cell)]));
        const described = message('T', u16be(fields.length), ...fields);
        const rows = Buffer.concat([message('D', u16be(row.length), ...row), message('C', text('SELECT 1'))]);
        const noted = message(
            'N',
            text('SWARNING'),
            text('VWARNING'),
            text('C01000'),
            text(`M${said}`),
            Buffer.from([0]),
        );
        let isFirst = true;
        for (;;) {
            const { type } = await next();
            // The first query reads the rights of the account.
            if (echo === 'fails' && !isFirst && 'QP'.includes(type)) talk.say(issue('22012', said));
            else if (type === 'Q') talk.say(Buffer.concat([noted, described, rows]));
            else if (type === 'P') talk.say(message('1'));
            else if (type === 'B') talk.say(message('2'));
            else if (type === 'D') talk.say(described);
            else if (type === 'E') talk.say(rows);
            if (type === 'X') return;
            if (type === 'Q' || type === 'S') talk.say(ready);
            if (type === 'Q') isFirst = false;
        }
    });
}

const SCRAMBLE = Buffer.from('abcdefghijklmnopqrst');
const CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000;

/** MySQL, which has the password encrypted with its own key, as it may if the connection is not encrypted. */
export function echoingMysql(): EchoingDatabase {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
    const opened = (sent: Buffer): string => {
        const padding = constants.RSA_PKCS1_OAEP_PADDING;
        const mixed = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, sent);
        return Buffer.from(mixed.map((byte, i) => byte ^ SCRAMBLE[i % SCRAMBLE.length]!))
            .subarray(0, -1)
            .toString();
    };
    const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
    const u32 = (value: number): Buffer => Buffer.concat([u16(value & 0xffff), u16(value >>> 16)]);
    const counted = (value: string): Buffer => {
        const bytes = Buffer.from(value);
        return Buffer.concat([
            bytes.length < 251 ? Buffer.from([bytes.length]) : Buffer.concat([Buffer.from([252]), u16(bytes.length)]),
            bytes,
        ]);
    };
    const issue = (code: number, said: string): Buffer =>
        Buffer.concat([Buffer.from([255]), u16(code), Buffer.from(`#HY000${said}`)]);
    const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
    const END = Buffer.from([254, 0, 0, 2, 0]);
    return new EchoingDatabase(async talk => {
        let number = 0;
        const say = (...packets: Buffer[]): void => {
            for (const packet of packets) {
                const head = Buffer.from([
                    packet.length & 255,
                    (packet.length >> 8) & 255,
                    packet.length >> 16,
                    number++,
                ]);
                talk.say(Buffer.concat([head, packet]));
            }
        };
        const next = async (): Promise<Buffer> => {
            const head = await talk.take(4);
            number = head[3]! + 1;
            return talk.take(head.readUIntLE(0, 3));
        };
        say(
            Buffer.concat([
                Buffer.from([10]),
                text('8.0.36'),
                u32(7),
                SCRAMBLE.subarray(0, 8),
                Buffer.from([0]),
                u16(CAPABILITIES & 0xffff),
                Buffer.from([45, 2, 0]),
                u16(CAPABILITIES >>> 16),
                Buffer.from([21]),
                Buffer.alloc(10),
                SCRAMBLE.subarray(8),
                Buffer.from([0]),
                text('caching_sha2_password'),
            ]),
        );
        const login = (await next()).subarray(32);
        const user = login.subarray(0, login.indexOf(0)).toString();
        const proof = login.subarray(user.length + 1);
        const echo = echoOf(
            proof
                .subarray(1 + proof[0]!)
                .toString()
                .split('\0')[0],
        );
        // It has no cached entry for the user, so it requests the full password.
        say(Buffer.from([1, 4]));
        await next();
        say(Buffer.concat([Buffer.from([1]), key]));
        const password = talk.hear(opened(await next()));
        const said = `no such password: ${password} of ${user}`;
        if (echo === 'refuses') return say(issue(1105, said));
        if (echo === 'forbids') return say(issue(1142, said));
        say(OK);
        const cells = [said, password, '0', password, said];
        const columns = ['version', 'mode', 'minutes', 'name', password].map(name =>
            Buffer.concat([
                ...['def', '', '', '', name, name].map(counted),
                Buffer.from([12]),
                u16(45),
                u32(1024),
                Buffer.from([253, 0, 0, 0, 0, 0]),
            ]),
        );
        const row = Buffer.concat(cells.map(counted));
        const count = Buffer.from([columns.length]);
        let requested = 0;
        for (;;) {
            const [command] = await next();
            if (command === 1) return;
            // The first queries read which server it is, and the rights of the account.
            if (echo === 'fails' && (command === 22 || requested > 2)) say(issue(1365, said));
            else if (command === 3) say(count, ...columns, END, row, END);
            else if (command === 22)
                say(
                    Buffer.concat([Buffer.from([0]), u32(1), u16(columns.length), u16(0), Buffer.from([0, 0, 0])]),
                    ...columns,
                    END,
                );
            else if (command === 23) say(count, ...columns, END, Buffer.concat([Buffer.from([0, 0]), row]), END);
            else if (command !== 25) say(OK);
            requested++;
        }
    });
}
