import type { Redis, RedisOptions } from 'ioredis';
import { flowError } from '../../core/errors/flow-error';

/** The address of the Redis of the option `redis`, and the prefix of all keys there. */
interface RedisSettings {
    readonly url: string;
    readonly keyPrefix: string;
}

interface Claim {
    readonly name: string;
    readonly holder: string;
    readonly leaseMs: number;
}

/** KEYS: holder, term. ARGV: the new holder, milliseconds. Returns the term if the lease is theirs now. */
const TAKE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return tonumber(redis.call('GET', KEYS[2]))
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('INCR', KEYS[2])
end
return false`;
/** KEYS: holder. ARGV: who gives it back. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** So long a command waits for its answer. */
const ANSWER_MS = 5_000;

/**
 * Leases in Redis, which expire by its clock. Holder and term are two keys, so that the term outlives the lease; each
 * step is one script and therefore atomic. Connects at the first use, and again whenever the connection is lost.
 */
export class RedisLeases {
    private client: Redis | undefined;

    private constructor(
        private readonly connect: () => Redis,
        private readonly keyPrefix: string,
    ) {}

    /** Throws OPTION_INVALID where ioredis, which a shop need not have, is not installed. */
    static async open({ url, keyPrefix }: RedisSettings): Promise<RedisLeases> {
        const ioredis = await import('ioredis').catch((error: unknown) => {
            const problem = '"redis" needs the package ioredis: npm install ioredis';
            throw flowError('OPTION_INVALID', { option: 'locking', problem }, { cause: error });
        });
        const options: RedisOptions = { commandTimeout: ANSWER_MS, connectTimeout: ANSWER_MS, maxRetriesPerRequest: 1 };
        return new RedisLeases(() => new ioredis.Redis(url, options), keyPrefix);
    }

    /** The term, undefined where another one has the lease. Throws LEASES_UNREACHABLE where Redis does not answer. */
    async take({ name, holder, leaseMs }: Claim): Promise<number | undefined> {
        const [held, term] = this.keys(name);
        const answer = await this.ask(client => client.eval(TAKE, 2, held, term, holder, leaseMs));
        return typeof answer === 'number' ? answer : undefined;
    }

    async release({ name, holder }: Pick<Claim, 'name' | 'holder'>): Promise<void> {
        const [held] = this.keys(name);
        await this.ask(client => client.eval(RELEASE, 1, held, holder));
    }

    close(): Promise<void> {
        this.client?.disconnect();
        return Promise.resolve();
    }

    /** The braces keep the two of them in one slot of a cluster. */
    private keys(name: string): readonly [string, string] {
        const base = `${this.keyPrefix}:{leader:${name}}`;
        return [`${base}:holder`, `${base}:term`];
    }

    private async ask<T>(command: (client: Redis) => Promise<T>): Promise<T> {
        if (!this.client) {
            this.client = this.connect();
            // Each command reports its own failure. Without a listener the event would end the process.
            this.client.on('error', () => undefined);
        }
        try {
            return await command(this.client);
        } catch (error) {
            const problem = error instanceof Error ? error.message : String(error);
            throw flowError('LEASES_UNREACHABLE', { problem }, { cause: error });
        }
    }
}
