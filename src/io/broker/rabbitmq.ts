import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { type OpenRabbit, openRabbit, rabbitFailure, type RabbitDeps, type RabbitSettings } from './rabbit-connection';
import { type MessageQueue, type QueueMessage, unacknowledged } from './message-queue';

/** Where messages are sent, and with which properties. */
export interface RabbitRoute {
    /** The exchange. If it is empty, the default exchange is used, which leads to the queue of the routing key. */
    readonly exchange: string;
    readonly routingKey: string;
    readonly persistent: boolean;
    readonly priority?: number | undefined;
    readonly ttlMs?: number | undefined;
}

interface Parts extends RabbitDeps {
    /** The limit for one list of messages. A broker that is short of memory confirms nothing and reports nothing. */
    readonly deadlineMs?: number;
}

const DEADLINE_MS = 30_000;

/** Publishes to RabbitMQ, with a confirmation of each message. Connects when it is first needed, and again when that is lost. */
export class RabbitQueue implements MessageQueue {
    private readonly host: string;
    private current: OpenRabbit | undefined;

    constructor(
        private readonly settings: RabbitSettings,
        private readonly route: RabbitRoute,
        private readonly parts: Parts,
    ) {
        this.host = `${settings.host}:${settings.port}`;
    }

    async publish(messages: readonly QueueMessage[]): Promise<readonly Outcome[]> {
        const open = (this.current ??= await openRabbit(this.settings, this.parts));
        const outcomes: Array<Outcome | undefined> = messages.map(() => undefined);
        const deadlineMs = this.parts.deadlineMs ?? DEADLINE_MS;
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_, reject) => {
            const what = 'did not confirm its messages';
            const error = flowError('OUTBOUND_TIMEOUT', { host: this.host, what, timeoutMs: deadlineMs, attempts: 1 });
            timer = setTimeout(() => reject(error), deadlineMs);
        });
        try {
            await Promise.race([this.all(open, messages, outcomes), late, open.broken]);
        } catch (thrown) {
            this.drop(open);
            this.parts.signal.throwIfAborted();
            const error = rabbitFailure(this.host, thrown);
            if (!outcomes.some(outcome => outcome?.ok)) throw error;
            return outcomes.map(outcome => outcome ?? { ok: false, error });
        } finally {
            clearTimeout(timer);
        }
        if (messages.some(({ deliveryId }) => open.returned.has(deliveryId))) throw this.unrouted();
        return outcomes as Outcome[];
    }

    /** Sends all messages to the broker, as fast as it accepts them, and waits for its reply to each. */
    private async all(
        open: OpenRabbit,
        messages: readonly QueueMessage[],
        outcomes: Array<Outcome | undefined>,
    ): Promise<void> {
        const { exchange, routingKey, persistent, priority, ttlMs } = this.route;
        const { channel } = open;
        let waiting = messages.length;
        let done: () => void = () => undefined;
        const all = new Promise<void>(resolve => (done = resolve));
        for (let i = 0; i < messages.length; i++) {
            const { id, deliveryId, headers, payload } = messages[i]!;
            // Written out, since a spread would take as long as all other work for a message here.
            const options = {
                contentType: 'application/json',
                contentEncoding: 'utf-8',
                persistent,
                mandatory: true,
                priority,
                expiration: ttlMs,
                messageId: id,
                correlationId: deliveryId,
                headers,
            };
            const isRoom = channel.publish(exchange, routingKey, Buffer.from(payload), options, error => {
                // A lost channel reports this for each message; it is logged once for all of them.
                outcomes[i] = error ? unacknowledged(this.host, 'did not take a message', error) : TAKEN;
                if (--waiting === 0) done();
            });
            if (!isRoom) await new Promise<void>(resolve => void channel.once('drain', resolve));
        }
        if (messages.length > 0) await all;
    }

    private drop(open: OpenRabbit): void {
        if (this.current === open) this.current = undefined;
        open.close();
    }

    private unrouted(): Error {
        const { exchange, routingKey } = this.route;
        const where =
            exchange === ''
                ? `no queue "${routingKey}"`
                : `no queue is bound to the exchange "${exchange}" with the routing key "${routingKey}"`;
        return flowError('REMOTE_REFUSED', { host: this.host, problem: `has ${where}` });
    }
}
