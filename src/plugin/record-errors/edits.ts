import { compilePath, pathProblem } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';

/** One change that many records are to get. */
export interface RecordEdit {
    readonly operation: 'SET' | 'REMOVE' | 'REPLACE';
    readonly path: string;
    /** SET: what stands at the path then; null where absent. */
    readonly value?: JsonValue;
    /** REPLACE: what is looked for in a text, as it stands; and what comes in the place of each. */
    readonly find?: string | null;
    readonly with?: string | null;
}

/** What makes of a record what the edits say, one after another. */
export type Edited = (record: JsonObject) => JsonObject;

const MOST_EDITS = 50;

/** Throws INPUT_INVALID for edits that cannot be; what it answers throws RECORD_INVALID where a record does not take one. */
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
                // What is no text has no text to be replaced in.
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
