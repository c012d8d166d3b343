import { recordInvalid, valueInvalid } from '../../../core/errors/record-invalid';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { gtinProblem } from './gtin';

/** The value of an attribute as the feed has it. Throws a record error that names the attribute. */
export type AttributeReader = (name: string, value: JsonValue) => JsonValue;

/** A text with a maximum number of characters. Numbers are texts here. */
export function textAttribute(
    max: number,
    pattern?: { readonly is: RegExp; readonly allowed: string },
): AttributeReader {
    return (name, value) => {
        const found = typeof value === 'number' ? String(value) : value;
        if (typeof found !== 'string') throw valueInvalid(name, value, 'is not text');
        const length = [...found].length;
        if (length > max) throw recordInvalid(name, `has ${length} characters; allowed: at most ${max}`);
        if (pattern && !pattern.is.test(found))
            throw valueInvalid(name, found, `is invalid; allowed: ${pattern.allowed}`);
        return found;
    };
}

/** One of a set of words. Other spellings are converted to that of the feed. */
export function choiceAttribute(
    words: readonly string[],
    also: Readonly<Record<string, string>> = {},
): AttributeReader {
    return (name, value) => {
        const key = typeof value === 'string' ? value.trim().toLowerCase().replaceAll(' ', '_') : '';
        const found = also[key] ?? words.find(word => word.replaceAll(' ', '_') === key);
        if (found === undefined) throw valueInvalid(name, value, `is unknown; allowed: ${words.join(', ')}`);
        return found;
    };
}

/** The address of a page or a picture. */
export const addressAttribute: AttributeReader = (name, value) => {
    const text = typeof value === 'string' ? value.trim() : '';
    const url = text.length <= 2_000 && URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
        throw valueInvalid(
            name,
            value,
            'is not an address; allowed: one that begins with https:// or http://, of at most 2000 characters',
        );
    // Table formats separate lists by commas.
    return url.href.replaceAll(',', '%2C');
};

/** A list of values for another reader. A single value is a list of one. */
export function listAttribute(
    read: AttributeReader,
    { most, chars = Infinity }: { readonly most: number; readonly chars?: number },
): AttributeReader {
    return (name, value) => {
        const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
        if (list.length > most) throw recordInvalid(name, `has ${list.length} values; allowed: at most ${most}`);
        const all = list.map((one, i) => read(`${name}.${i}`, one));
        if (all.join(',').length > chars) throw recordInvalid(name, `has more than ${chars} characters together`);
        return all;
    };
}

/** A trade item number, which may contain blanks and hyphens. */
export const gtinAttribute: AttributeReader = (name, value) => {
    const digits =
        typeof value === 'number' ? String(value) : typeof value === 'string' ? value.replace(/[\s-]/g, '') : '';
    const problem = gtinProblem(digits);
    if (problem !== undefined) throw recordInvalid(name, problem);
    return digits;
};

/** A word for "yes" or "no", or a boolean. */
export const yesNoAttribute: AttributeReader = (name, value) =>
    typeof value === 'boolean'
        ? value
            ? 'yes'
            : 'no'
        : choiceAttribute(['yes', 'no'], { true: 'yes', false: 'no' })(name, value);

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2}))?$/;

/** How a feed spells the time zone of a moment: `-0800` or `-08:00`. */
type ZoneSpelling = '-0800' | '-08:00';

/** A moment to the minute, with its time zone. */
export function timestampAttribute(zone: ZoneSpelling): AttributeReader {
    return (name, value) => momentOf(name, value, zone).text;
}

/** Two moments with a slash between them, the earlier one first. */
export function periodAttribute(zone: ZoneSpelling): AttributeReader {
    return (name, value) => {
        const ends = typeof value === 'string' ? value.split('/') : [];
        if (ends.length !== 2)
            throw valueInvalid(name, value, 'is not a period; allowed: two times with a slash between them');
        const [from, to] = ends.map(end => momentOf(name, end.trim(), zone)) as [Moment, Moment];
        if (from.at >= to.at) throw valueInvalid(name, value, 'ends before it begins');
        return `${from.text}/${to.text}`;
    };
}

interface Moment {
    readonly at: number;
    readonly text: string;
}

function momentOf(name: string, value: JsonValue, zone: ZoneSpelling): Moment {
    const found = typeof value === 'string' ? MOMENT.exec(value.trim()) : null;
    const at = found
        ? Date.parse(found[2] === undefined ? `${found[1]}T00:00Z` : `${found[1]}T${found[2]}${withColon(found[3]!)}`)
        : NaN;
    if (!found || Number.isNaN(at))
        throw valueInvalid(
            name,
            value,
            'is not a time; allowed: a time with its time zone, such as 2026-02-24T13:00-08:00',
        );
    const [, day, time = '00:00', offset = 'Z'] = found;
    const spelled = withColon(offset);
    return { at, text: `${day}T${time}${zone === '-08:00' ? spelled : spelled.replace(':', '')}` };
}

function withColon(offset: string): string {
    if (offset === 'Z') return '+00:00';
    return offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

/** An empty text counts as missing. */
export function valueOrMissing(data: JsonObject, name: string): JsonValue | undefined {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
    return typeof value === 'string' && value.trim() === '' ? undefined : value;
}

/** Throws a record error for a missing attribute. */
export function missing(name: string, why: string): Error {
    return recordInvalid(name, `is missing; ${why}`);
}
