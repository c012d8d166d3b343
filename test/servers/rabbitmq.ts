import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findOnPath, freePort, interruptible, type InterruptibleServer, launch, run, scratchFolder } from './process';
import type { ServerKind } from './server';

/** RabbitMQ. Suites share it, so each uses different queue names. */
export const rabbitmq: ServerKind = { usual: ['amqp://guest:guest@127.0.0.1:5672'], probe, start: privateRabbitMq };

/** A broker that is ready answers the greeting of AMQP 0-9-1 with the method frame Connection.Start. */
function probe(url: string): Promise<void> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
        const socket = connect({ host: hostname, port: Number(port || 5672), timeout: 3000 }, () =>
            socket.write('AMQP\x00\x00\x09\x01'),
        );
        const fail = (reason: string) => {
            socket.destroy();
            reject(new Error(reason));
        };
        socket.once('data', frame =>
            frame[0] === 1 ? (socket.destroy(), resolve()) : fail('the server does not speak AMQP 0-9-1'),
        );
        socket.once('timeout', () => fail('no answer in 3 s'));
        socket.once('close', () => fail('the server closed the connection'));
        socket.once('error', error => fail(error.message));
    });
}

/** Starts a RabbitMQ on scratch ports with a scratch folder. If it can be interrupted, it is killed and keeps confirmed messages. */
export async function privateRabbitMq({
    isMortal = false,
}: { readonly isMortal?: boolean } = {}): Promise<InterruptibleServer> {
    const server = serverScript();
    const folder = scratchFolder();
    const [port, distribution, mapper] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\n`);
    writeFileSync(join(folder, 'enabled_plugins'), '[].\n');
    const env = {
        HOME: folder,
        RABBITMQ_NODENAME: `flow${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_DIST_PORT: String(distribution),
        RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
        RABBITMQ_LOG_BASE: join(folder, 'log'),
        RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
        RABBITMQ_PID_FILE: join(folder, 'pid'),
        RABBITMQ_CONF_ENV_FILE: '/dev/null',
        ERL_EPMD_PORT: String(mapper),
        ERL_EPMD_ADDRESS: '127.0.0.1',
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    };
    const url = `amqp://guest:guest@127.0.0.1:${port}`;
    const how = isMortal ? { stopSignal: 'SIGKILL' as const } : {};
    const node = await interruptible(url, () =>
        launch({ command: server, args: [], folder, env, ...how }, () => probe(url)),
    );
    return {
        ...node,
        stop: async () => {
            await node.stop();
            await stopPortMapper(mapper);
        },
    };
}

/** Erlang leaves a daemon running. Its port distinguishes it from those of other nodes. */
async function stopPortMapper(port: number): Promise<void> {
    const epmd = findOnPath('epmd');
    if (epmd) await run({ command: epmd, args: ['-port', String(port), '-kill'], folder: '/' });
}

/** Debian's script in sbin changes to the user rabbitmq, who cannot write to this folder; the script that it calls does not. */
function serverScript(): string {
    const debian = '/usr/lib/rabbitmq/bin/rabbitmq-server';
    const found = existsSync(debian) ? debian : findOnPath('rabbitmq-server');
    if (!found) throw new Error('there is no rabbitmq-server on the PATH');
    return found;
}
