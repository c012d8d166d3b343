import { compilePath, pathProblem } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';

/** A change that is applied to many records. */
export interface RecordEdit {
    readonly operation: 'SET' | 'REMOVE' | 'REPLACE';
    readonly path: string;
    /** SET: the new value at the path. Default: null. */
    readonly value?: JsonValue;
    /** REPLACE: the text to find, taken literally, and its replacement. */
    readonly find?: string | null;
    readonly with?: string | null;
}

/** Applies the edits to a record, one after another. */
export type Edited = (record: JsonObject) => JsonObject;

const MOST_EDITS = 50;

/** Throws INPUT_INVALID for invalid edits. The returned function throws RECORD_INVALID if an edit cannot be applied to a record. */
export function editing(edits: readonly RecordEdit[]): Edited {
    if (edits.length > MOST_EDITS) throw rejected(`edits has ${edits.length} elements; allowed: at most ${MOST_EDITS}`);
    const all = edits.map(oneEdit);
    return record => all.reduce((edited, edit) => edit(edited), record);
}

function oneEdit({ operation, path, value, find, with: replacement }: RecordEdit, index: number): Edited {
    const where = `edits[${index}]`;
    const problem = pathProblem(path);
    if (problem !== undefined) throw rejected(`${where}.path ${problem}`);
    const compiled = compilePath(path);
    switch (operation) {
        case 'SET':
            return record => compiled.set(record, value ?? null);
        case 'REMOVE':
            return record => compiled.unset(record);
        case 'REPLACE': {
            if (find == null || find === '') throw rejected(`${where}.find is empty; allowed: the text to be replaced`);
            return record => {
                const now = compiled.get(record);
                // Only texts are replaced in.
                if (typeof now !== 'string' || !now.includes(find)) return record;
                return compiled.set(
                    record,
                    now.replaceAll(find, () => replacement ?? ''),
                );
            };
        }
    }
}

function rejected(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}
