import { pathOf } from '../../core/data/path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/** Objects within objects that become columns; deeper ones are text. */
const MAX_DEPTH = 4;
/** Columns of a file; further fields are left out. */
const MAX_FIELDS = 1_000;

/** Makes rows of records: a column for each field, and for each field of an object within, by its path. */
export class RecordCells {
    private readonly places = new Map<string, number>();
    private readonly listed = new Set<string>();

    /** The paths of the columns so far. */
    get fields(): readonly string[] {
        return [...this.places.keys()];
    }

    /** The paths whose values are lists in some record. */
    get lists(): readonly string[] {
        return this.fields.filter(field => this.listed.has(field));
    }

    /** The cells of a record in the order of `fields`; later records may have more. */
    cellsOf(record: JsonObject): readonly string[] {
        const cells = Array<string>(this.places.size).fill('');
        this.put(record, '', { cells, depth: 1 });
        return cells;
    }

    private put(
        record: JsonObject,
        prefix: string,
        { cells, depth }: { readonly cells: string[]; readonly depth: number },
    ): void {
        for (const [name, value] of Object.entries(record)) {
            const path = `${prefix}${pathOf(name)}`;
            if (isJsonObject(value) && depth < MAX_DEPTH && Object.keys(value).length > 0) {
                this.put(value, `${path}.`, { cells, depth: depth + 1 });
                continue;
            }
            const place = this.placeOf(path);
            if (place === undefined) continue;
            while (cells.length <= place) cells.push('');
            if (Array.isArray(value)) this.listed.add(path);
            cells[place] = textOf(value);
        }
    }

    private placeOf(path: string): number | undefined {
        const known = this.places.get(path);
        if (known !== undefined || this.places.size === MAX_FIELDS) return known;
        this.places.set(path, this.places.size);
        return this.places.size - 1;
    }
}

/** Empty lists and objects are empty cells. */
function textOf(value: JsonValue): string {
    if (value === null) return '';
    if (typeof value !== 'object') return String(value);
    const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
    return isEmpty ? '' : JSON.stringify(value);
}
