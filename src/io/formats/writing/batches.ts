import { compilePath, isName } from '../../../core/data/path';
import type { JsonObject, JsonValue } from '../../../core/value/json';

/** Records as they are read from their temporary storage. */
export type RecordBatches = AsyncIterable<readonly JsonObject[]>;

/** A file as it is written, piece by piece. */
export type FileBytes = AsyncGenerator<Uint8Array, void, void>;

/** A format in which the text of some records does not depend on the records before and after them. */
export interface TextFormat {
    readonly before: string;
    of(batch: readonly JsonObject[]): string;
    readonly after: string;
}

/** A file of such a format, in UTF-8. */
export async function* textFile(batches: RecordBatches, format: TextFormat): FileBytes {
    if (format.before !== '') yield Buffer.from(format.before);
    for await (const batch of batches) yield Buffer.from(format.of(batch));
    if (format.after !== '') yield Buffer.from(format.after);
}

/** A column of a table, and its value in a record. */
export interface Column {
    readonly name: string;
    get(data: JsonObject): JsonValue | undefined;
}

/** A column of what is at a path, by the path's name without its backslashes. */
export function pathColumn(path: string): Column {
    const name = path.replace(/\\([.\\])/g, '$1');
    if (!isName(path)) {
        const compiled = compilePath(path);
        return { name, get: data => compiled.get(data) };
    }
    return fieldColumn(path);
}

/** A column for each field, of whatever name. */
export function fieldColumn(field: string): Column {
    // A name that no object inherits needs no asking whose it is.
    if (!(field in Object.prototype)) return { name: field, get: data => data[field] };
    return { name: field, get: data => (Object.hasOwn(data, field) ? data[field] : undefined) };
}

/** The text of a cell: texts as they are, other values as JSON, and nothing for null. */
export function cellText(value: JsonValue | undefined): string {
    switch (typeof value) {
        case 'string':
            return value;
        case 'number':
        case 'boolean':
            return String(value);
        default:
            return value === undefined || value === null ? '' : JSON.stringify(value);
    }
}
