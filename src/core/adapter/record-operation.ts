import { valueInvalid } from '../errors/record-invalid';
import type { JsonObject } from '../value/json';
import type { SinkOperation } from './sink';

/** The field with the operation that a record requests. */
export const OPERATION_FIELD = '__operation';

/** What makes or changes a record; all three mean UPSERT. */
export const UPSERT_OPERATIONS = ['CREATE', 'UPDATE', 'UPSERT'] as const;
/** Everything that `__operation` can be. */
export const RECORD_OPERATIONS = [...UPSERT_OPERATIONS, 'DELETE'] as const;
type RecordOperation = (typeof RECORD_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(RECORD_OPERATIONS);

/** The operation that a record requests (undefined if it does not name one), and the record without it. */
interface RequestedOperation {
    readonly operation: SinkOperation | undefined;
    readonly data: JsonObject;
}

/** Reads a value of `__operation`, in upper or lower case; undefined for anything that is not an operation. */
export function parseOperation(value: unknown): RecordOperation | undefined {
    if (typeof value !== 'string') return undefined;
    const operation = value.toUpperCase();
    return KNOWN.has(operation) ? (operation as RecordOperation) : undefined;
}

/** Throws a record error for an operation that there is not. */
export function requestedOperation(data: JsonObject): RequestedOperation {
    // This runs for every record, and most records do not name an operation.
    if (data[OPERATION_FIELD] === undefined) return { operation: undefined, data };
    const { [OPERATION_FIELD]: given, ...rest } = data;
    const operation = parseOperation(given);
    if (operation) return { operation: operation === 'DELETE' ? 'DELETE' : 'UPSERT', data: rest };
    throw valueInvalid(OPERATION_FIELD, given, `is not an operation; allowed: ${RECORD_OPERATIONS.join(', ')}`);
}

/** A text or a number that another system knows a record by, as the text that it is; undefined for anything else. */
export function identityText(value: unknown): string | undefined {
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value !== '' ? value : undefined;
}
