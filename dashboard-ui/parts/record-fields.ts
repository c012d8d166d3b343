/** A field of a record: where it is, and what it holds. */
export interface RecordField {
    readonly path: string;
    readonly value: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a record as lines: those of objects by their paths, lists as they are. */
export function fieldsOf(record: unknown, prefix = ''): readonly RecordField[] {
    if (!isRecord(record)) return [];
    return Object.entries(record).flatMap(([name, value]) => {
        const path = prefix + escaped(name);
        return isRecord(value) && Object.keys(value).length > 0 ? fieldsOf(value, `${path}.`) : [{ path, value }];
    });
}

/** The names in a path, as the server writes them: `lines.2.sku`; a dot that belongs to a name is `\.` and a backslash `\\`. */
export function namesOf(path: string): readonly string[] {
    const names = [''];
    for (const [part] of path.matchAll(/\\?[^]/g)) {
        if (part === '.') names.push('');
        else names[names.length - 1] += part.length === 1 ? part : part.slice(1);
    }
    return names;
}

/** A path as people read it: with the dots of names as they are. */
export function shownPath(path: string): string {
    return namesOf(path).join('.');
}

/** The last name of a path, as a path. */
export function lastOf(path: string): string {
    return escaped(namesOf(path).at(-1) ?? path);
}

function escaped(name: string): string {
    return name.replace(/[.\\]/g, '\\$&');
}

/** The value at a path; undefined if there is none. */
export function valueAt(record: unknown, path: string): unknown {
    return namesOf(path).reduce<unknown>(
        (value, name) =>
            typeof value === 'object' && value !== null && Object.hasOwn(value, name)
                ? (value as Readonly<Record<string, unknown>>)[name]
                : undefined,
        record,
    );
}

/** The record with another value at a path; `undefined` takes the field away. The given record stays as it is. */
export function withValueAt(record: unknown, path: string, value: unknown): unknown {
    return changed(record, namesOf(path), value);
}

function changed(holder: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
    if (name === undefined) return value;
    const isLast = rest.length === 0;
    if (Array.isArray(holder)) {
        const list: unknown[] = [...(holder as readonly unknown[])];
        const index = Number(name);
        if (isLast && value === undefined) list.splice(index, 1);
        else list[index] = changed(list[index], rest, value);
        return list;
    }
    const entries = isRecord(holder) ? Object.entries(holder) : [];
    const old = entries.find(([own]) => own === name)?.[1];
    if (isLast && value === undefined) return Object.fromEntries(entries.filter(([own]) => own !== name));
    const next = [name, changed(old, rest, value)] as const;
    // A field keeps its place among the others.
    return Object.fromEntries(
        entries.some(([own]) => own === name)
            ? entries.map(entry => (entry[0] === name ? next : entry))
            : [...entries, next],
    );
}

/** A typed replacement of a value: numbers and booleans stay what they are if the text can be parsed as one; anything else is text. */
export function typedLike(before: unknown, text: string): unknown {
    if (typeof before === 'number' && /^\s*-?\d+(\.\d+)?\s*$/.test(text)) return Number(text);
    if (typeof before === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
    if (typeof before === 'object' && before !== null) return jsonOrText(text);
    return text;
}

/** Parses text as JSON if it is valid, otherwise keeps the text. Quotes keep text that looks like JSON. */
export function jsonOrText(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch (error) {
        if (error instanceof SyntaxError) return text;
        throw error;
    }
}

/** Formats a value so that its type is visible: a dash for a missing value, quotes around blank or padded text. */
export function shownText(value: unknown): string {
    if (value === undefined) return '–';
    if (typeof value === 'string' && value !== '' && value.trim() === value) return value;
    return JSON.stringify(value);
}

/** A value as shown in a cell. */
export function cellText(value: unknown): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
}
