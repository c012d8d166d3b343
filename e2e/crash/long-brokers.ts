import { rabbitQueue, redisStream, sqsQueue, type KillQueue } from '../../test/kit/killed-producers/brokers';
import { publishedWithKills } from '../../test/kit/killed-producers/kills';
import { provision } from '../../test/servers/provision';
import { SERVER_FACTS, type ServerName } from '../../test/servers/server';
import { startCloud } from '../../test/servers/s3-server';

/** One row of the table that `scripts/faults.mjs` prints: messages to each broker, whose producers are killed. */
const MESSAGES = 100_000;
const PART = 500;

async function urlOf(name: ServerName): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const server = await provision(name);
    if ('reason' in server) throw new Error(`${SERVER_FACTS[name].title} is missing: ${server.reason}`);
    return { url: server.url, stop: () => server.started?.stop() ?? Promise.resolve() };
}

const BROKERS: Readonly<Record<string, () => Promise<{ readonly queue: KillQueue; stop(): Promise<void> }>>> = {
    RabbitMQ: async () => {
        const { url, stop } = await urlOf('rabbitmq');
        return { queue: await rabbitQueue(url), stop };
    },
    'Redis streams': async () => {
        const { url, stop } = await urlOf('redis');
        return { queue: await redisStream(url), stop };
    },
    SQS: async () => {
        const { endpoint, stop } = await startCloud('unused');
        return { queue: await sqsQueue(endpoint), stop };
    },
};

async function main({ count: kills }: { readonly count: number }): Promise<void> {
    const [notes, repeats]: [string[], string[]] = [[], []];
    let equal = 0;
    for (const [name, open] of Object.entries(BROKERS)) {
        const { queue, stop } = await open();
        const { config, connection, arrived, drop } = queue;
        try {
            const order = { count: MESSAGES, batchSize: 1_000, config: { ...config, batchSize: PART }, connection };
            const told = await publishedWithKills(order, kills, arrived);
            const issues = [
                ...(told.lost.length > 0 ? [`${told.lost.length} of ${MESSAGES} lost`] : []),
                ...(told.confused.length > 0 ? [`${told.confused.length} were repeated under another id`] : []),
                ...(told.repeats > kills * PART ? [`${told.repeats} were repeated`] : []),
                ...(told.kills === kills ? [] : [`${told.kills} kills of ${kills}`]),
            ];
            if (issues.length === 0) equal++;
            notes.push(...issues.map(issue => `${name}: ${issue}`));
            repeats.push(
                `${name}: ${told.arrived} messages arrived, ${told.repeats} of them repeated with the same id`,
            );
            process.stdout.write(
                `ONE ${name}, ${told.kills} kills, ${told.repeats} again: ${issues.join('; ') || 'as expected'}\n`,
            );
        } catch (error) {
            notes.push(`${name}: stopped: ${String(error)}`);
        } finally {
            await drop();
            await stop();
        }
    }
    const all = Object.keys(BROKERS).length;
    const row = { times: kills * all, equal, failed: all - equal, rejected: 0, standstillsMs: [], answersMs: [] };
    process.stdout.write(`ROW ${JSON.stringify({ ...row, notes: [...notes, ...repeats], isGood: equal === all })}\n`);
}

main(JSON.parse(process.argv[2] ?? '{}') as { readonly count: number }).then(
    () => process.exit(0),
    error => {
        console.error(error);
        process.exit(1);
    },
);
