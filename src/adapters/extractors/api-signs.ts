import { compilePath, type Path } from '../../core/data/path';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { malformed } from './api-response';
import type { PagePosition } from './page-position';

/** A response in which a sign is looked for. */
interface Answered {
    readonly place: PagePosition;
    readonly host: string;
    readonly around: JsonValue | undefined;
}

/** The path of a sign of the end in a response, and the field that sets it: `pagination.totalPath`. */
export interface SignPath {
    readonly path: Path;
    readonly field: string;
    /** Pages after the first may lack it. */
    readonly isOptional?: boolean;
}

/** The sign at a path, if a path is given. */
export function signPath(path: string | undefined, field: string): SignPath | undefined {
    return path === undefined ? undefined : { path: compilePath(path), field };
}

/** The value of a sign; undefined if there is none. */
export function signOf<T>(
    sign: SignPath | undefined,
    page: Answered,
    read: (value: JsonValue | undefined) => T | undefined,
): T | undefined {
    if (!sign) return undefined;
    const { around, place } = page;
    const value = valueAt(sign.path, around);
    const said = read(value);
    if (said !== undefined) return said;
    // Some servers report the total once, or omit the link to a next page that does not exist.
    if (value === undefined && place.page > 1 && (place.total !== undefined || sign.isOptional)) return undefined;
    const { field, path } = sign;
    throw malformed(
        { ...page, page: place.page },
        `has ${value === undefined ? 'nothing' : show(value)} at "${path.text}", where ${field} looks`,
    );
}

/** Text is true or false as it is spelled. The address of a next page means that there is one. */
export function readFlag(value: JsonValue | undefined): boolean | undefined {
    if (value === null || value === 0 || value === '') return false;
    if (value === 1) return true;
    if (typeof value === 'string') {
        if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
        return /^\S*[/?]\S*$/.test(value) ? true : undefined;
    }
    return typeof value === 'boolean' ? value : undefined;
}

export function readCount(value: JsonValue | undefined): number | undefined {
    const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The outermost value may be a list, which paths also lead through. */
export function valueAt(path: Path, around: JsonValue | undefined): JsonValue | undefined {
    return typeof around === 'object' && around !== null ? path.get(around as JsonObject) : undefined;
}

/** A cursor as it is sent; undefined if there is none. Throws REMOTE_MALFORMED if the value cannot be a cursor. */
export function cursorOf(value: JsonValue | undefined, where: string, page: Answered): string | number | undefined {
    if (value === undefined || value === null || value === '' || value === false || value === 0) return undefined;
    if ((typeof value === 'string' && value.length <= MAX_CURSOR) || typeof value === 'number') return value;
    const what = typeof value === 'string' ? `a text of ${value.length} characters` : show(value);
    throw malformed({ ...page, page: page.place.page }, `has ${what} ${where}, which is not a cursor`);
}

const MAX_CURSOR = 8_192;
