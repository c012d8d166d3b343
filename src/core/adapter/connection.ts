import type { z } from 'zod';
import type { JsonObject } from '../value/json';
import { type AdapterBase, erased } from './base';
import type { OutboundHttp } from './http';
import type { Outbound } from './outbound';
import type { Secret } from './secret';

/** A saved connection as adapters get it: its settings have been checked by its type's schema, defaults filled in. */
export interface Connection {
    readonly code: string;
    /** The code of its type: HTTP, SFTP … */
    readonly type: string;
    readonly settings: JsonObject;
}

/** Settings as they are saved. Run as a test and stand in the reference. */
export interface ConnectionExample<A> {
    readonly settings: A;
    readonly note?: string;
}

/** A kind of system that a connection leads to. `code` is the connection's `type` (HTTP, POSTGRES …), `config` the schema of its settings. */
export interface ConnectionType<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<
    C,
    S
> {
    readonly kind: 'connection';
    readonly examples?: ReadonlyArray<ConnectionExample<z.input<S>>>;
    /** True for a type that only the shop's code may use. */
    readonly isCodeFirstOnly?: boolean;
    /**
     * The servers that it leads to, those that give tokens included, written as in `allowedHosts` of secrets. A definition that nobody has approved yet reaches
     * no others.
     */
    servers?(config: z.output<S>, secrets: { get(code: string): Secret }): readonly string[];
    /** Tells the system of something, where it is of a kind that can be told. Throws what the door throws, and CONNECTION_INVALID. */
    notify?(connection: Connection, notice: Notice, cx: NoticeContext): Promise<void>;
    /**
     * Finds out whether it leads anywhere, and answers in a sentence what is there. Throws what keeps it from working: the name, the network, TLS,
     * credentials, rights.
     */
    tryOut?(connection: Connection, cx: TryOutContext): Promise<string | TriedOut>;
}

/** What came of trying a connection, where a sentence does not say all of it. */
export interface TriedOut {
    readonly message: string;
    /** The code of the error that runs get; undefined where the connection works. */
    readonly code?: string;
    /** Of a host key that is not trusted yet, for somebody to compare and save. */
    readonly hostKeyFingerprint?: string;
}

/** What trying a connection takes. Somebody waits for the answer. */
export interface TryOutContext {
    readonly outbound: Outbound;
    readonly secrets: { get(code: string): Secret };
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

/** What telling a system takes. */
export interface NoticeContext {
    readonly http: OutboundHttp;
    readonly secrets: { get(code: string): Secret };
    readonly signal: AbortSignal;
}

/** What a system is told: of a hook, say. */
export interface Notice {
    /** Behind the connection's base URL. */
    readonly path: string;
    /** Known again by the other side: the same when it is told a second time. */
    readonly id: string;
    /** Becomes JSON, in which what is undefined here is left out. The records in it are the run's own and must not be changed. */
    readonly body: Readonly<Record<string, unknown>>;
    readonly timeoutMs: number;
}

export function defineConnection<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> &
        Pick<ConnectionType<C, S>, 'examples' | 'isCodeFirstOnly' | 'servers' | 'notify' | 'tryOut'>,
): ConnectionType<C, S> & ConnectionType {
    return erased<ConnectionType, ConnectionType<C, S>>({ ...definition, kind: 'connection' });
}
