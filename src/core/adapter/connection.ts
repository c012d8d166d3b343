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

/** Settings as they are saved. They run as a test and appear in the reference. */
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
     * The servers that it connects to, including those that issue tokens, in the format of `allowedHosts` of secrets. A definition that is not
     * approved yet reaches no other servers.
     */
    servers?(config: z.output<S>, secrets: { get(code: string): Secret }): readonly string[];
    /** Notifies the system, if its type supports notices. Throws the errors of the outbound request, and CONNECTION_INVALID. */
    notify?(connection: Connection, notice: Notice, cx: NoticeContext): Promise<void>;
    /**
     * Tests the connection, and returns a sentence about what it found. Throws the error that prevents it from working:
     * the name, the network, TLS, credentials, permissions.
     */
    tryOut?(connection: Connection, cx: TryOutContext): Promise<string | TriedOut>;
}

/** The result of a connection test, if it is more than a sentence. */
export interface TriedOut {
    readonly message: string;
    /** The code of the error that runs get; undefined if the connection works. */
    readonly code?: string;
    /** The host key that is not trusted yet, for a user to compare and save. */
    readonly hostKeyFingerprint?: string;
}

/** The input of a connection test. A user waits for the result. */
export interface TryOutContext {
    readonly outbound: Outbound;
    readonly secrets: { get(code: string): Secret };
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

/** The dependencies of a notice. */
interface NoticeContext {
    readonly http: OutboundHttp;
    readonly secrets: { get(code: string): Secret };
    readonly signal: AbortSignal;
}

/** The notice that a system receives, for example from a hook. */
export interface Notice {
    /** The path after the connection's base URL. */
    readonly path: string;
    /** Identifies the notice for the other system: a repeated notice has the same id. */
    readonly id: string;
    /** Is sent as JSON, which omits undefined fields. The records belong to the run and must not be changed. */
    readonly body: Readonly<Record<string, unknown>>;
    readonly timeoutMs: number;
}

export function defineConnection<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> &
        Pick<ConnectionType<C, S>, 'examples' | 'isCodeFirstOnly' | 'servers' | 'notify' | 'tryOut'>,
): ConnectionType<C, S> & ConnectionType {
    return erased<ConnectionType, ConnectionType<C, S>>({ ...definition, kind: 'connection' });
}
