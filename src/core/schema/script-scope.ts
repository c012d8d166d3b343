import type { JsonValue } from '../value/json';

/** A name that code of a definition finds, told to whoever writes it. */
export interface CodeName {
    readonly name: string;
    /** As TypeScript would write it. */
    readonly type: string;
    readonly about: string;
    /** What is known of its fields. */
    readonly fields?: readonly CodeName[];
    /** Whether its fields, or those of its elements, are a record's. */
    readonly holds?: 'record' | 'records';
}

/** What code finds where the fields beside it have these values; without `showIf` always. */
export interface CodeScope {
    readonly showIf?: Readonly<Record<string, readonly JsonValue[]>>;
    readonly names: readonly CodeName[];
}

/** How the function is called whose body the code is. */
export type ScriptMode = 'record' | 'batch';

const PARAMETERS = {
    record: { type: 'Record', about: 'The record, a copy: it may be changed and answered.', holds: 'record' },
    records: { type: 'Record[]', about: 'The records of the batch, copies.', holds: 'records' },
    index: { type: 'number', about: 'The number of the record at its source, from 0.' },
    context: { type: 'Context', about: 'What is told beside the records; it can only be read.' },
} as const satisfies Record<string, Omit<CodeName, 'name'>>;

/** What a script is called with, by its mode. */
export const SCRIPT_PARAMETERS = {
    record: ['record', 'index', 'context'],
    batch: ['records', 'context'],
} as const satisfies Record<ScriptMode, ReadonlyArray<keyof typeof PARAMETERS>>;

/** Every global name that a script finds: those of the language, and `console`. A test asks the engine itself. */
export const SCRIPT_GLOBALS: readonly string[] = [
    ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
    ...['InternalError', 'AggregateError', 'Array', 'Object', 'Function', 'Iterator', 'parseInt', 'parseFloat'],
    ...['isNaN', 'isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape'],
    ...['unescape', 'Infinity', 'NaN', 'undefined', 'eval', 'Number', 'Boolean', 'String', 'Math', 'Reflect'],
    ...['Symbol', 'globalThis', 'BigInt', 'Date', 'RegExp', 'JSON', 'Proxy', 'Map', 'Set', 'WeakMap', 'WeakSet'],
    ...['ArrayBuffer', 'SharedArrayBuffer', 'Uint8ClampedArray', 'Int8Array', 'Uint8Array', 'Int16Array'],
    ...['Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array'],
    ...['Float32Array', 'Float64Array', 'DataView', 'Promise', 'WeakRef', 'console'],
];

/** Fields of `context`, by their names. */
export type ContextFields<K extends string = string> = Readonly<Record<K, Omit<CodeName, 'name' | 'fields' | 'holds'>>>;

/** What a script of this mode finds by name, with these fields in `context`. */
export function scriptNames(mode: ScriptMode, context: ContextFields): readonly CodeName[] {
    const fields = Object.entries(context).map(([name, field]): CodeName => ({ name, ...field }));
    return SCRIPT_PARAMETERS[mode].map((name): CodeName => ({
        name,
        ...PARAMETERS[name],
        ...(name === 'context' && { fields }),
    }));
}
