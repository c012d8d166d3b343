import type { Change, LoadNote } from '../../core/adapter/loader';
import { type JsonObject, type JsonValue, canonicalJson } from '../../core/value/json';
import type { Columns } from './columns';

/** The fields of one record that differ, in the record's own words. */
export class Diff {
    private readonly before: Record<string, JsonValue> = {};
    private readonly after: Record<string, JsonValue> = {};
    private count = 0;
    /** What people are to be told of it. */
    note: LoadNote | undefined;

    add(path: string, before: JsonValue, after: JsonValue): void {
        this.before[path] = before;
        this.after[path] = after;
        this.count++;
    }

    /** Writes a value where it differs; answers whether it does. */
    set(
        columns: Columns,
        property: string,
        { path, value }: { readonly path: string; readonly value: JsonValue },
    ): boolean {
        const before = columns.get(property);
        if (before === value || isSame(before, value)) return false;
        columns.set(property, value);
        this.add(path, before, value);
        return true;
    }

    change(key: string, isNew: boolean): Change {
        const after = this.after as JsonObject;
        const note = this.note && { note: this.note };
        if (isNew) return { action: 'create', key, after, ...note };
        return this.count === 0
            ? { action: 'unchanged', key }
            : { action: 'update', key, before: this.before as JsonObject, after, ...note };
    }

    /** How many differences there are so far. */
    get size(): number {
        return this.count;
    }
}

function isSame(a: JsonValue, b: JsonValue): boolean {
    return (
        typeof a === 'object' &&
        typeof b === 'object' &&
        a !== null &&
        b !== null &&
        canonicalJson(a) === canonicalJson(b)
    );
}
