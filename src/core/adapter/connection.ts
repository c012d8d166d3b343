import type { z } from 'zod';
import type { JsonObject } from '../data/json';
import { type AdapterBase, erased } from './base';

/** A saved connection as adapters get it: its settings have been checked by its type's schema, defaults filled in. */
export interface Connection {
    readonly code: string;
    /** The code of its type: HTTP, SFTP … */
    readonly type: string;
    readonly settings: JsonObject;
}

/** A kind of system that a connection leads to. `code` is the connection's `type` (HTTP, POSTGRES …), `config` the schema of its settings. */
export interface ConnectionType<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'connection';
    /** True for a type that only the shop's code may use (spec 1, "SQLite is code-first only"). */
    readonly isCodeFirstOnly?: boolean;
}

export function defineConnection<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> & Pick<ConnectionType<C, S>, 'isCodeFirstOnly'>,
): ConnectionType<C, S> & ConnectionType {
    return erased<ConnectionType, ConnectionType<C, S>>({ ...definition, kind: 'connection' });
}
