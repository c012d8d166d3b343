import { valueInvalid } from '../errors/record-invalid';
import type { JsonObject } from '../value/json';
import type { SinkOperation } from './sink';

/** The field in which a record says what is to be done with it. */
export const OPERATION_FIELD = '__operation';

/** CREATE and UPDATE are what UPSERT is (spec 4, section 7). */
const OPERATIONS: Readonly<Record<string, SinkOperation>> = {
    CREATE: 'UPSERT',
    UPDATE: 'UPSERT',
    UPSERT: 'UPSERT',
    DELETE: 'DELETE',
};

/** What a record asks for, undefined where it says nothing, and the record without it. */
export interface AskedOperation {
    readonly operation: SinkOperation | undefined;
    readonly data: JsonObject;
}

/** Throws a record error for an operation that there is not. */
export function askedOperation(data: JsonObject): AskedOperation {
    // Asked of every record, and most say nothing.
    if (data[OPERATION_FIELD] === undefined) return { operation: undefined, data };
    const { [OPERATION_FIELD]: given, ...rest } = data;
    const operation = typeof given === 'string' && Object.hasOwn(OPERATIONS, given) ? OPERATIONS[given] : undefined;
    if (operation) return { operation, data: rest };
    throw valueInvalid(OPERATION_FIELD, given, `allowed: ${Object.keys(OPERATIONS).join(', ')}`);
}

/** A text or a number that another system knows a record by, as the text that it is; undefined for anything else. */
export function identityText(value: unknown): string | undefined {
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value !== '' ? value : undefined;
}
