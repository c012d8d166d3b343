import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { openRabbit } from './rabbit-connection';

const SETTINGS = {
    host: 'mq.example.com',
    port: 5672,
    username: undefined,
    password: undefined,
    vhost: '/',
    ssl: false,
};

/** A broker's client whose socket reports the content of each packet. */
function clientWith(stream: Writable) {
    const model = Object.assign(new EventEmitter(), {
        connection: { stream, serverProperties: {} },
        createConfirmChannel: async () => new EventEmitter(),
    });
    return { connect: async () => model } as never;
}

it('sends what the client writes in one turn in one packet', async () => {
    const packets: string[] = [];
    const pack = (chunks: ReadonlyArray<{ readonly chunk: Buffer }>): number =>
        packets.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString());
    const stream = new Writable({
        write: (chunk: Buffer, _, done) => {
            pack([{ chunk }]);
            done();
        },
        writev: (chunks, done) => {
            pack(chunks as ReadonlyArray<{ readonly chunk: Buffer }>);
            done();
        },
    });
    const sockets = { pin: async () => ({ address: '127.0.0.1' }), hold: () => () => undefined } as never;
    const { signal } = new AbortController();
    const open = await openRabbit(SETTINGS, { amqplib: clientWith(stream), sockets, signal });
    for (const text of ['a', 'b', 'c']) stream.write(text);
    await new Promise(setImmediate);
    stream.write('d');
    await new Promise(setImmediate);
    expect(packets).toEqual(['abc', 'd']);
    open.close();
});
