import { chromium } from './chromium';
import { mariadb } from './mariadb';
import { postgres } from './postgres';
import type { StartedServer } from './process';
import { rabbitmq } from './rabbitmq';
import { redis } from './redis';
import { SERVER_FACTS, type ServerKind, type ServerName } from './server';

/** Every kind of server that the tests know. */
export const SERVERS: Record<ServerName, ServerKind> = { postgres, mariadb, redis, rabbitmq, chromium };

/** A server that is ready: how it was found, and how to stop it if the tests started it. */
export interface Provided {
    readonly name: ServerName;
    readonly url: string;
    readonly how: string;
    readonly started?: StartedServer;
}

/** A server that is not available, and why. */
export interface Missing {
    readonly name: ServerName;
    readonly reason: string;
}

/**
 * Uses the server of its environment variable, else the one on its usual port, else starts one. A variable that is set is binding: if its server does
 * not answer, no other one is used instead.
 */
export async function provision(name: ServerName): Promise<Provided | Missing> {
    const kind = SERVERS[name];
    const { variable } = SERVER_FACTS[name];
    const ordered = process.env[variable];
    if (ordered) {
        const problem = await problemWith(kind, ordered);
        return problem
            ? { name, reason: `${variable} is set, but ${problem}` }
            : { name, url: ordered, how: `from ${variable}` };
    }
    const problems: string[] = [];
    for (const url of kind.usual) {
        const problem = await problemWith(kind, url);
        if (!problem) return { name, url, how: `found on ${new URL(url).host}` };
        problems.push(`${new URL(url).host}: ${problem}`);
    }
    try {
        const started = await kind.start();
        return {
            name,
            url: started.url,
            how: started.url.startsWith('file:') ? 'found on the PATH' : `started on ${new URL(started.url).host}`,
            started,
        };
    } catch (error) {
        return { name, reason: [...problems, textOf(error)].join('; ') };
    }
}

async function problemWith(kind: ServerKind, url: string): Promise<string | undefined> {
    try {
        await kind.probe(url);
        return undefined;
    } catch (error) {
        return textOf(error);
    }
}

/** If all addresses of a host reject the connection, Node throws an AggregateError without a message. */
function textOf(error: unknown): string {
    if (error instanceof AggregateError) return error.errors.map(textOf).join(', ');
    return error instanceof Error ? error.message : String(error);
}
