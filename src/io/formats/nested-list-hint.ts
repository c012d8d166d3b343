import { pathOf } from '../../core/data/path';
import { type LogText, logText } from '../../core/log/log-text';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/** Lists deeper than this are hardly the records of a file. */
const MAX_DEPTH = 4;

/** A list that a record holds, by its path in it. */
interface ListWithin {
    readonly path: string;
    readonly length: number;
}

/**
 * For a file with a single record: which option to set if its records are a list inside that record, as in `{"shop":
 * "x", "products": […]}`. Undefined if it contains no such list, or several.
 */
export function nestedListHint(
    record: JsonObject,
    { option, root = '' }: { readonly option: string; readonly root?: string },
): LogText | undefined {
    const [list, ...others] = listsIn(record, '', MAX_DEPTH);
    if (!list || others.length > 0) return undefined;
    const path = `${root}${list.path}`;
    return logText('LIST_WITHIN', { list: list.path, count: list.length, option, path: JSON.stringify(path) });
}

function listsIn(value: JsonObject, prefix: string, depth: number): readonly ListWithin[] {
    return Object.entries(value).flatMap(([name, part]): readonly ListWithin[] => {
        const path = `${prefix}${pathOf(name)}`;
        if (isListOfObjects(part)) return [{ path, length: part.length }];
        return isJsonObject(part) && depth > 1 ? listsIn(part, `${path}.`, depth - 1) : [];
    });
}

function isListOfObjects(value: JsonValue): value is JsonObject[] {
    return Array.isArray(value) && value.length > 0 && (value as readonly JsonValue[]).every(isJsonObject);
}
