import type { ConsumeMessage, GetMessage, Message } from 'amqplib';
import { flowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import {
    deathOf,
    type MessageSource,
    type ReceivedMessage,
    type MessageOutcome,
    type SourceSettings,
} from './message-source';
import { type OpenRabbit, openRabbit, rabbitFailure, type RabbitDeps, type RabbitSettings } from './rabbit-connection';

/** The additional settings of a RabbitMQ source. */
interface RabbitSourceSettings extends SourceSettings {
    /** The number of messages that the broker sends ahead of the settled ones. */
    readonly prefetch: number;
}

/** For the first message. */
const IDLE_MS = 5_000;
/**
 * The limit for the confirmation of a dead letter: a broker that is short of memory confirms nothing and reports
 * nothing.
 */
const CONFIRM_MS = 30_000;
const FAREWELL_MS = 2_000;

/** Takes messages from a queue of RabbitMQ, which sends them ahead. */
export class RabbitSource implements MessageSource {
    private readonly host: string;
    private current: OpenRabbit | undefined;
    /** Received messages that were not returned yet. */
    private readonly arrived: Message[] = [];
    private readonly unsettled = new Map<string, Message>();
    private failure: unknown;
    private wake: () => void = () => undefined;

    constructor(
        private readonly server: RabbitSettings,
        private readonly settings: RabbitSourceSettings,
        private readonly deps: RabbitDeps,
    ) {
        this.host = `${server.host}:${server.port}`;
    }

    async receive(stop: AbortSignal): Promise<readonly ReceivedMessage[]> {
        if (!this.current) await this.consume();
        const { maxWaitMs, batchSize, prefetch } = this.settings;
        const full = Math.min(batchSize, prefetch);
        await this.until(() => this.arrived.length > 0, IDLE_MS, stop);
        if (this.arrived.length > 0) await this.until(() => this.arrived.length >= full, maxWaitMs, stop);
        return stop.aborted ? [] : this.arrived.splice(0, full).map(message => this.taken(message));
    }

    acknowledge(messages: readonly ReceivedMessage[]): Promise<void> {
        return this.settling(channel => {
            for (const { handle } of messages) {
                channel.ack(this.unsettled.get(handle)!);
                this.unsettled.delete(handle);
            }
        });
    }

    async refuse(message: ReceivedMessage, reason: string): Promise<MessageOutcome> {
        const { deadLetterQueue } = this.settings;
        const letter = this.unsettled.get(message.handle)!;
        if (deadLetterQueue !== undefined) await this.bury(letter, deadLetterQueue, reason);
        await this.settling(channel =>
            deadLetterQueue === undefined ? channel.nack(letter, false, false) : channel.ack(letter),
        );
        this.unsettled.delete(message.handle);
        return deadLetterQueue === undefined ? 'rejected' : 'dead-lettered';
    }

    async peek(count: number): Promise<readonly ReceivedMessage[]> {
        const open = await this.open();
        const { channel, broken } = open;
        const found: GetMessage[] = [];
        try {
            while (found.length < count) {
                const message = await Promise.race([channel.get(this.settings.queueName), broken]);
                if (message === false) break;
                found.push(message);
            }
            channel.nackAll(true);
        } catch (thrown) {
            throw rabbitFailure(this.host, thrown);
        }
        // They are back where they were when the broker has read all.
        await farewell(open);
        return found.map(shown);
    }

    /** The broker returns unsettled messages to the queue by itself; the settlements must have reached it before. */
    async close(): Promise<void> {
        if (this.failure === undefined && this.current) await farewell(this.current);
        this.current?.close();
        this.arrived.length = 0;
        this.unsettled.clear();
    }

    private async consume(): Promise<void> {
        const open = await this.open();
        try {
            const { channel, broken } = open;
            await Promise.race([channel.prefetch(this.settings.prefetch), broken]);
            const begun = channel.consume(this.settings.queueName, message => this.arrive(message));
            await Promise.race([begun, broken]);
        } catch (thrown) {
            throw rabbitFailure(this.host, thrown);
        }
    }

    private async open(): Promise<OpenRabbit> {
        const open = await openRabbit(this.server, this.deps);
        this.current = open;
        open.broken.catch((error: unknown) => this.fail(error));
        return open;
    }

    private arrive(message: ConsumeMessage | null): void {
        if (message) this.arrived.push(message);
        else this.fail(new Error(`the queue "${this.settings.queueName}" was deleted`));
        this.wake();
    }

    private fail(error: unknown): void {
        this.failure ??= error ?? new Error('');
        this.wake();
    }

    private assertAlive(): void {
        if (this.failure !== undefined) throw rabbitFailure(this.host, this.failure);
    }

    private async until(isThere: () => boolean, ms: number, stop: AbortSignal): Promise<void> {
        const end = performance.now() + ms;
        for (;;) {
            this.assertAlive();
            const left = end - performance.now();
            if (isThere() || left <= 0 || stop.aborted) return;
            await new Promise<void>(resolve => {
                const done = (): void => {
                    clearTimeout(timer);
                    leave();
                    resolve();
                };
                const timer = setTimeout(done, left);
                const leave = onAbort(stop, done);
                this.wake = done;
            });
        }
    }

    private taken(message: Message): ReceivedMessage {
        const received = shown(message);
        this.unsettled.set(received.handle, message);
        return received;
    }

    /** Sends commands that the broker does not answer; throws if the channel is lost. */
    private async settling(tell: (channel: OpenRabbit['channel']) => void): Promise<void> {
        this.assertAlive();
        try {
            tell(this.current!.channel);
        } catch (thrown) {
            throw rabbitFailure(this.host, this.failure ?? thrown);
        }
        // Errors of the socket come in a later turn.
        await Promise.resolve();
    }

    private async bury({ content, properties }: Message, queue: string, reason: string): Promise<void> {
        const { channel, returned, broken } = this.current!;
        const correlationId = String(properties.correlationId ?? `flow-${performance.now()}`);
        const options = {
            ...properties,
            headers: { ...properties.headers, ...deathOf(reason, this.settings) },
            correlationId,
            // The message must neither expire nor be lost when the broker restarts.
            expiration: undefined,
            persistent: true,
            mandatory: true,
        };
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_, reject) => {
            const facts = {
                host: this.host,
                what: 'did not confirm a dead letter',
                timeoutMs: CONFIRM_MS,
                attempts: 1,
            };
            timer = setTimeout(() => reject(flowError('OUTBOUND_TIMEOUT', facts)), CONFIRM_MS);
        });
        const confirmed = new Promise<void>((resolve, reject) => {
            channel.publish('', queue, content, options, error => (error ? reject(error as Error) : resolve()));
        });
        try {
            await Promise.race([confirmed, late, broken]);
        } catch (thrown) {
            throw rabbitFailure(this.host, thrown);
        } finally {
            clearTimeout(timer);
        }
        if (returned.delete(correlationId))
            throw flowError('REMOTE_REFUSED', { host: this.host, problem: `has no queue "${queue}" for dead letters` });
    }
}

/** Waits a little for the broker to say that it has read all. */
async function farewell({ channel, broken }: OpenRabbit): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, FAREWELL_MS)));
    const closed = async (): Promise<void> => channel.close();
    // One that is closed already has read all.
    await Promise.race([closed(), broken, late]).catch(() => undefined);
    clearTimeout(timer);
}

/** Senders choose the ids, so messages with the same id are distinguished by their correlation id. */
function shown({ content, fields, properties }: Message): ReceivedMessage {
    const { messageId, correlationId, contentEncoding } = properties as {
        readonly messageId?: unknown;
        readonly contentEncoding?: unknown;
        readonly correlationId?: unknown;
    };
    const id = typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
    const headers = Object.entries(properties.headers ?? {}).filter(
        (header): header is [string, string] => typeof header[1] === 'string',
    );
    return {
        handle: String(fields.deliveryTag),
        id,
        identity: id === undefined ? undefined : JSON.stringify([id, correlationId ?? null]),
        body: content,
        headers: {
            ...(typeof contentEncoding === 'string' && { 'content-encoding': contentEncoding }),
            ...Object.fromEntries(headers),
        },
    };
}
