import type { Redis } from 'ioredis';
import { readJsonText } from '../../core/data/json-text';
import { isJsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import {
    deathOf,
    type MessageSource,
    type ReceivedMessage,
    type MessageOutcome,
    type SourceSettings,
} from './message-source';
import { openRedis, redisFailure, type RedisDeps, redisRejection, type RedisServer } from './redis-connection';

/** The additional settings of a stream source. */
interface RedisSourceSettings extends SourceSettings {
    readonly group: string;
    /** Whose entries these are until they are acknowledged. The same for all that read for one purpose, one after the other. */
    readonly consumer: string;
    /** Entries that another consumer of the group has had for so long without acknowledging them are taken over. */
    readonly abandonedMs?: number;
}

/** One question to the server waits no longer, so that a stop is heard. */
const WAIT_MS = 1_000;
const ABANDONED_MS = 60_000;
/** The interval at which entries of other consumers are claimed. */
const CLAIM_MS = 30_000;

/** An entry: its id and its fields one after the other; null if it has been trimmed. */
type Entry = readonly [id: Buffer, fields: readonly Buffer[] | null];

/**
 * Takes entries of a stream of Redis as a consumer of a group. It begins with entries that were read and never
 * acknowledged, its own and those of other consumers; then it reads new ones.
 */
export class RedisSource implements MessageSource {
    private readonly host: string;
    private client: Redis | undefined;
    private readonly unsettled = new Map<string, readonly Buffer[]>();
    /** The id after which it continues with its pending entries; undefined when all of them are done. */
    private own: string | undefined = '0';
    private claimAt = 0;

    constructor(
        private readonly server: RedisServer,
        private readonly settings: RedisSourceSettings,
        private readonly deps: RedisDeps,
    ) {
        this.host = `${server.host}:${server.port}`;
    }

    async receive(stop: AbortSignal): Promise<readonly ReceivedMessage[]> {
        const client = this.client ?? (await this.join());
        const { batchSize, maxWaitMs } = this.settings;
        const earlier = (await this.ownEntries(client)) ?? (await this.claimed(client));
        if (earlier !== undefined) return this.taken(client, earlier);
        const found = [...(await this.read(client, batchSize, WAIT_MS))];
        const end = performance.now() + maxWaitMs;
        while (found.length > 0 && found.length < batchSize && !stop.aborted) {
            const left = Math.ceil(end - performance.now());
            if (left <= 0) break;
            found.push(...(await this.read(client, batchSize - found.length, Math.min(left, WAIT_MS))));
        }
        return this.taken(client, found);
    }

    async acknowledge(messages: readonly ReceivedMessage[]): Promise<void> {
        if (messages.length === 0) return;
        const ids = messages.map(({ handle }) => handle);
        await this.ask(() => this.client!.xack(this.settings.queueName, this.settings.group, ...ids));
        for (const id of ids) this.unsettled.delete(id);
    }

    async refuse(message: ReceivedMessage, reason: string): Promise<MessageOutcome> {
        const { deadLetterQueue } = this.settings;
        const { handle: id } = message;
        if (deadLetterQueue === undefined) {
            await this.acknowledge([message]);
            return 'dropped';
        }
        const told = Object.entries({ ...deathOf(reason, this.settings), 'x-flow-id': id }).flat();
        // The two commands run one after another, because a transaction of Redis would acknowledge a message that it could not add.
        await this.ask(() => this.client!.xadd(deadLetterQueue, '*', ...this.unsettled.get(id)!, ...told));
        await this.acknowledge([message]);
        return 'dead-lettered';
    }

    async peek(count: number): Promise<readonly ReceivedMessage[]> {
        const client = await this.connected();
        const { queueName } = this.settings;
        const last = await this.lastRead(client);
        const from = last === undefined ? '-' : `(${last}`;
        const entries = await this.ask(() => client.xrangeBuffer(queueName, from, '+', 'COUNT', count));
        return (entries as unknown as readonly Entry[]).map(entry => shown(entry));
    }

    /** Unacknowledged messages stay with this consumer, which continues with them later. */
    close(): Promise<void> {
        this.client?.disconnect();
        this.unsettled.clear();
        return Promise.resolve();
    }

    private async connected(): Promise<Redis> {
        return (this.client = await openRedis(this.server, this.deps));
    }

    /** Connects, and creates the group if it is missing. */
    private async join(): Promise<Redis> {
        const client = await this.connected();
        const { queueName, group } = this.settings;
        try {
            await client.xgroup('CREATE', queueName, group, '0');
        } catch (thrown) {
            const { message } = thrown as Error;
            if (/requires the key to exist/i.test(message))
                throw flowError('REMOTE_REFUSED', { host: this.host, problem: `has no stream "${queueName}" yet` });
            if (!/^BUSYGROUP/.test(message)) throw this.failure(thrown);
        }
        return client;
    }

    /** What this consumer has read and not acknowledged, before the connection was lost or its process died. */
    private async ownEntries(client: Redis): Promise<readonly Entry[] | undefined> {
        if (this.own === undefined) return undefined;
        const { queueName, group, consumer, batchSize } = this.settings;
        const read = await this.ask(() =>
            client.callBuffer(
                'XREADGROUP',
                'GROUP',
                group,
                consumer,
                'COUNT',
                batchSize,
                'STREAMS',
                queueName,
                this.own!,
            ),
        );
        const entries = entriesOf(read);
        this.own = entries.at(-1)?.[0].toString();
        return entries.length === 0 ? undefined : entries;
    }

    private async claimed(client: Redis): Promise<readonly Entry[] | undefined> {
        if (performance.now() < this.claimAt) return undefined;
        const { queueName, group, consumer, batchSize, abandonedMs = ABANDONED_MS } = this.settings;
        const answer = await this.ask(() =>
            client.callBuffer('XAUTOCLAIM', queueName, group, consumer, abandonedMs, '0-0', 'COUNT', batchSize),
        );
        const entries = (answer as unknown as readonly [Buffer, readonly Entry[]])[1].filter(entry => entry !== null);
        // There may be more entries.
        if (entries.length > 0) return entries;
        this.claimAt = performance.now() + CLAIM_MS;
        return undefined;
    }

    private async read(client: Redis, count: number, waitMs: number): Promise<readonly Entry[]> {
        const { queueName, group, consumer } = this.settings;
        const read = await this.ask(() =>
            client.callBuffer(
                ...([
                    'XREADGROUP',
                    'GROUP',
                    group,
                    consumer,
                    'COUNT',
                    count,
                    'BLOCK',
                    waitMs,
                    'STREAMS',
                    queueName,
                    '>',
                ] as const),
            ),
        );
        return entriesOf(read);
    }

    /** Entries that were trimmed before they were settled are acknowledged, since nothing can be done with them. */
    private async taken(client: Redis, entries: readonly Entry[]): Promise<readonly ReceivedMessage[]> {
        const { queueName, group } = this.settings;
        const gone = entries.filter(([, fields]) => fields === null).map(([id]) => id.toString());
        if (gone.length > 0) await this.ask(() => client.xack(queueName, group, ...gone));
        const there = entries.filter(([, fields]) => fields !== null);
        for (const [id, fields] of there) this.unsettled.set(id.toString(), fields!);
        return there.map(shown);
    }

    /** The last entry that the group has read; undefined if there is no such group. */
    private async lastRead(client: Redis): Promise<string | undefined> {
        const { queueName, group } = this.settings;
        try {
            const groups = (await client.xinfo('GROUPS', queueName)) as ReadonlyArray<readonly unknown[]>;
            const found = groups.find(fields => fields[fields.indexOf('name') + 1] === group);
            return found && String(found[found.indexOf('last-delivered-id') + 1]);
        } catch (thrown) {
            if (/no such key/i.test((thrown as Error).message))
                throw flowError('REMOTE_REFUSED', { host: this.host, problem: `has no stream "${queueName}"` });
            throw this.failure(thrown);
        }
    }

    private async ask<T>(work: () => Promise<T>): Promise<T> {
        try {
            return await work();
        } catch (thrown) {
            throw this.failure(thrown);
        }
    }

    private failure(thrown: unknown): Error {
        // An error that the server reports for a command, as opposed to one of the network.
        const isAnswer = thrown instanceof Error && thrown.name === 'ReplyError';
        return isAnswer && !/^(LOADING|CLUSTERDOWN|TRYAGAIN|BUSY|MASTERDOWN)/.test(thrown.message)
            ? redisRejection(this.host, thrown)
            : redisFailure(this.host, thrown);
    }
}

function entriesOf(answer: unknown): readonly Entry[] {
    return (answer as ReadonlyArray<readonly [Buffer, readonly Entry[]]> | null)?.[0]?.[1] ?? [];
}

/** What an entry brings is its field `payload`; without one it is a message without a body. */
function shown([id, fields]: Entry): ReceivedMessage {
    const value = (name: string): Buffer | undefined => {
        const at = (fields ?? []).findIndex((field, i) => i % 2 === 0 && field.toString() === name);
        return at < 0 ? undefined : fields![at + 1];
    };
    const text = id.toString();
    return {
        handle: text,
        id: text,
        identity: text,
        body: value('payload') ?? Buffer.alloc(0),
        headers: headersOf(value('headers')),
    };
}

function headersOf(field: Buffer | undefined): Readonly<Record<string, string>> {
    const read = field && readJsonText(field.toString());
    const value = read && 'value' in read && isJsonObject(read.value) ? read.value : {};
    return Object.fromEntries(
        Object.entries(value).filter((header): header is [string, string] => typeof header[1] === 'string'),
    );
}
