import type { InterruptibleServer } from '../../test/servers/process';
import { privateRabbitMq } from '../../test/servers/rabbitmq';
import { privateRedis } from '../../test/servers/redis';
import type { CrashBench } from './crash-bench';
import { type BrokerName, BROKERS, messagesTaken } from './messages';

/**
 * Brokers that are killed themselves, and keep what they have confirmed. That of SQS keeps everything in memory, so
 * only its connections are cut.
 */
const MORTAL: Partial<Record<BrokerName, () => Promise<InterruptibleServer>>> = {
    rabbitmq: () => privateRabbitMq({ isMortal: true }),
    redis: () => privateRedis({ isLasting: true }),
};

interface Order {
    /** For each broker. */
    readonly messages: number;
    readonly kills: number;
    readonly tell: (line: string) => void;
}

/**
 * Takes the messages of one broker after another, each with new messages. Returns the messages that were not loaded
 * exactly once.
 */
export async function messagesOfAll(bench: CrashBench, { tell, ...order }: Order): Promise<readonly string[]> {
    const differences: string[] = [];
    for (const broker of BROKERS) {
        const mortal = await MORTAL[broker]?.();
        const taken = await messagesTaken(bench, { broker, url: mortal?.url, mortal, ...order }).finally(() =>
            mortal?.stop(),
        );
        tell(`${broker}: ${order.messages} messages in ${taken.runs} runs`);
        differences.push(...taken.differences.map(difference => `${broker}: ${difference}`));
    }
    return differences;
}
