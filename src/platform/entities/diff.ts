import type { Change, LoadNote } from '../../core/adapter/loader';
import { type JsonValue, canonicalJson } from '../../core/value/json';
import type { Columns } from './columns';

/** The fields of one record that differ, in the record's own words. */
export class Diff {
    /** Path, before and after of each. */
    private differences: Array<readonly [string, JsonValue, JsonValue]> | undefined;
    /** The note for users. */
    note: LoadNote | undefined;
    /** The reported change of the record. */
    private told: Change | undefined;

    add(path: string, before: JsonValue, after: JsonValue): void {
        (this.differences ??= []).push([path, before, after]);
    }

    /** Writes a value if it differs; returns whether it does. */
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

    /** Changes the reported difference of a field. */
    amend(path: string, before: JsonValue, after: JsonValue): void {
        const { told } = this;
        if (!told) this.add(path, before, after);
        else if (told.action === 'unchanged')
            Object.assign(told, { action: 'update', before: { [path]: before }, after: { [path]: after } });
        else if (told.action !== 'reject' && 'after' in told) Object.assign(told.after, { [path]: after });
    }

    change(key: string, isNew: boolean): Change {
        this.told = this.tell(key, isNew);
        return this.told;
    }

    private tell(key: string, isNew: boolean): Change {
        const { differences = [] } = this;
        const note = this.note && { note: this.note };
        if (!isNew && differences.length === 0) return { action: 'unchanged', key, ...note };
        const before: Record<string, JsonValue> = {};
        const after: Record<string, JsonValue> = {};
        for (const [path, was, is] of differences) [before[path], after[path]] = [was, is];
        return isNew ? { action: 'create', key, after, ...note } : { action: 'update', key, before, after, ...note };
    }

    /** How many differences there are so far. */
    get size(): number {
        return this.differences?.length ?? 0;
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
