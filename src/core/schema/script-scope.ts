import type { JsonValue } from '../value/json';

/** A name that code in a definition can use, with its documentation for the editor. */
export interface CodeName {
    readonly name: string;
    /** In TypeScript syntax. */
    readonly type: string;
    readonly about: string;
    /** Its known fields. */
    readonly fields?: readonly CodeName[];
    /** Whether its fields, or those of its elements, are the fields of a record. */
    readonly holds?: 'record' | 'records';
}

/** The names in scope if sibling fields have the values in `showIf`; always, without `showIf`. */
export interface CodeScope {
    readonly showIf?: Readonly<Record<string, readonly JsonValue[]>>;
    readonly names: readonly CodeName[];
}

/** How the function is called whose body is the code. */
export type ScriptMode = 'record' | 'batch';

const PARAMETERS = {
    record: { type: 'Record', about: 'A copy of the record. You can change it and return it.', holds: 'record' },
    records: { type: 'Record[]', about: 'Copies of the records of the batch.', holds: 'records' },
    index: { type: 'number', about: 'The position of the record in its source, starting at 0.' },
    context: { type: 'Context', about: 'Information about the run. It is read-only.' },
} as const satisfies Record<string, Omit<CodeName, 'name'>>;

/** The parameters of a script, by its mode. */
export const SCRIPT_PARAMETERS = {
    record: ['record', 'index', 'context'],
    batch: ['records', 'context'],
} as const satisfies Record<ScriptMode, ReadonlyArray<keyof typeof PARAMETERS>>;

/** Every global name of a script: those of the language, and `console`. A test compares this list with the engine's. */
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

/** The fields of `context`, by name. */
export type ContextFields<K extends string = string> = Readonly<Record<K, Omit<CodeName, 'name' | 'fields' | 'holds'>>>;

/** The names that a script of this mode can use, with these fields in `context`. */
export function scriptNames(mode: ScriptMode, context: ContextFields): readonly CodeName[] {
    const fields = Object.entries(context).map(([name, field]): CodeName => ({ name, ...field }));
    return SCRIPT_PARAMETERS[mode].map((name): CodeName => ({
        name,
        ...PARAMETERS[name],
        ...(name === 'context' && { fields }),
    }));
}
