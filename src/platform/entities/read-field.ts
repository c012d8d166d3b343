import { type JsonObject, type JsonValue, isJsonObject } from '../../core/value/json';
import { type ExplainedProblem, explained } from '../../core/errors/record-invalid';
import { unpadded } from '../../core/data/unpadded';
import { type RecordIssues, quoted } from './record-issues';

/** How much text a column takes. */
export interface TextLimit {
    readonly of: 'characters' | 'bytes';
    readonly max: number;
}

/** Which prices a field takes. */
export interface PriceRange {
    readonly max: number;
    readonly allowsNegative: boolean;
    /** Whether null and empty text count as no price. */
    readonly mayBeEmpty?: boolean;
}

// PostgreSQL rejects NUL; half a surrogate pair cannot be written as UTF-8 at all.
const UNSTORABLE = /[\0\ud800-\udfff]/u;

/** What is wrong with a text for a column; undefined if nothing is. */
export function textProblem(text: string, limit: TextLimit | undefined): string | undefined {
    return invalidLength(text, limit)?.problem;
}

function invalidLength(text: string, limit: TextLimit | undefined): ExplainedProblem | undefined {
    if (UNSTORABLE.test(text))
        return explained('contains a NUL or half a surrogate pair, which databases cannot store', {});
    if (limit === undefined || text.length * (limit.of === 'bytes' ? 3 : 1) <= limit.max) return undefined;
    const { max } = limit;
    const count = limit.of === 'bytes' ? Buffer.byteLength(text) : [...text].length;
    if (count <= max) return undefined;
    return limit.of === 'bytes'
        ? explained('has {count} bytes; the column takes {max}', { count, max })
        : explained('has {count} characters; the column takes {max}', { count, max });
}

/** What is wrong with an empty text where it has no meaning. */
export function emptyProblem(value: JsonValue | undefined): string {
    return emptyValue(value).problem;
}

function emptyValue(value: JsonValue | undefined): ExplainedProblem {
    return value === ''
        ? explained('is empty; leave the field out where nothing is to be loaded', {})
        : explained(
              'is empty; leave the field out where nothing is to be loaded (trim: true of a csv step does so with blank cells that have no quotes)',
              {},
          );
}

/** Whether a value is an empty text, which sources without types have for an empty cell. */
export function isBlank(value: JsonValue | undefined): boolean {
    return typeof value === 'string' && unpadded(value) === '';
}

/** Whether a value is an XML element with attributes or children in addition to its text. */
function hasText(value: JsonValue | undefined): boolean {
    return isJsonObject(value) && '#text' in value;
}

/** What is wrong with a value that is not allowed. */
export function invalidValue(value: JsonValue | undefined, allowed: string): ExplainedProblem {
    if (isBlank(value)) return emptyValue(value);
    const facts = { value: quoted(value) };
    return hasText(value)
        ? explained(
              'is {value}; {allowed} (of an XML element with attributes its text is the field #text in it)',
              facts,
              { allowed },
          )
        : explained('is {value}; {allowed}', facts, { allowed });
}

/** The same as a text. */
export function invalidText(value: JsonValue | undefined, allowed: string): string {
    return invalidValue(value, allowed).problem;
}

/**
 * What is wrong with a value in the place of true or false. For text, which sources without types have, it names the
 * operators that convert it.
 */
export function flagProblem(value: JsonValue | undefined, others = ''): string {
    const allowed = `allowed: true or false${others}`;
    if (typeof value !== 'string' || isBlank(value)) return invalidText(value, allowed);
    return `is the text ${quoted(value)}; ${allowed} (the operator parseJson makes them of "true" and "false", switch of other texts)`;
}

/** Reads the fields of one record. Each reader returns undefined for a missing field, and for an invalid one, after adding its error. */
export class FieldReader {
    constructor(
        readonly data: JsonObject,
        readonly faults: RecordIssues,
        private readonly prefix = '',
    ) {}

    path(field: string): string {
        return this.prefix + field;
    }

    has(field: string): boolean {
        return this.data[field] !== undefined;
    }

    wrong(field: string, problem: string | ExplainedProblem): undefined {
        this.faults.add(this.path(field), problem, this.data[field]);
        return undefined;
    }

    /** Reports a value that the field does not accept; `allowed` follows the value in the message. */
    refuse(field: string, allowed: string): undefined {
        return this.rejected(field, value => invalidValue(value, allowed));
    }

    /** Reports a value that is not true or false; `others` are also allowed. */
    refuseFlag(field: string, others?: string): undefined {
        return this.rejected(field, value => flagProblem(value, others));
    }

    private rejected(field: string, problem: (value: JsonValue | undefined) => string | ExplainedProblem): undefined {
        const value = this.data[field];
        return this.wrong(field, value === null ? 'cannot be emptied' : problem(value));
    }

    /** Text that must not be empty. */
    text(field: string, limit?: TextLimit): string | undefined {
        const text = this.given(field);
        return text === undefined ? undefined : this.checked(field, text, limit);
    }

    private given(field: string): string | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        return typeof value === 'string' && !isBlank(value) ? value : this.refuse(field, 'allowed: text');
    }

    /** Text that null empties. */
    emptiableText(field: string, limit?: TextLimit): string | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        if (value === null) return '';
        if (typeof value !== 'string') return this.refuse(field, 'allowed: text');
        return this.checked(field, value, limit);
    }

    private checked(field: string, value: string, limit: TextLimit | undefined): string | undefined {
        const problem = invalidLength(value, limit);
        return problem ? this.wrong(field, problem) : value;
    }

    /**
     * The key of something: text without the blanks around it, or a whole number, which sources without types make of
     * codes that have no leading zeros.
     */
    key(field: string, limit?: TextLimit): string | undefined {
        return this.digits(field) ?? this.unpadded(field, limit);
    }

    /** A whole number as text; undefined for any other value, without an error. */
    digits(field: string): string | undefined {
        const value = this.data[field];
        return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
    }

    /** Text without the blanks and invisible characters around it. */
    unpadded(field: string, limit?: TextLimit): string | undefined {
        const text = this.given(field);
        if (text === undefined) return undefined;
        const key = unpadded(text);
        if (key !== text) this.faults.trimmed ??= { path: this.path(field), value: text };
        return this.checked(field, key, limit);
    }

    flag(field: string): boolean | undefined {
        const value = this.data[field];
        if (value === undefined || typeof value === 'boolean') return value;
        return this.refuseFlag(field);
    }

    /** Money: whole minor units. */
    money(field: string, { max, allowsNegative, mayBeEmpty = false }: PriceRange): number | undefined {
        const value = this.data[field];
        if (value === undefined || (mayBeEmpty && (value === null || isBlank(value)))) return undefined;
        if (typeof value !== 'number' || !Number.isInteger(value))
            return this.refuse(field, 'allowed: whole minor units (1999 = 19.99), the operator toCents makes them');
        if (value < 0 && !allowsNegative)
            return this.refuse(field, 'allowed: 0 or more; with allowNegativePrices: true negative prices too');
        return this.inRange(field, value, max);
    }

    whole(field: string, max: number): number | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        if (typeof value !== 'number' || !Number.isInteger(value))
            return this.refuse(
                field,
                typeof value === 'string'
                    ? 'allowed: a whole number (the operator toNumber makes numbers of text)'
                    : 'allowed: a whole number',
            );
        return this.inRange(field, value, max);
    }

    private inRange(field: string, value: number, max: number): number | undefined {
        return Math.abs(value) <= max
            ? value
            : this.wrong(field, explained('is {value}; the database takes at most {max}', { value, max }));
    }

    /** A list of different texts; null empties it. */
    texts(field: string): readonly string[] | undefined {
        const all = this.allTexts(field);
        return all && [...new Set(all)];
    }

    /** A list of texts, repeated ones included; null empties it. */
    allTexts(field: string): readonly string[] | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        if (value === null) return [];
        if (!Array.isArray(value))
            return this.refuse(
                field,
                typeof value === 'string'
                    ? 'allowed: a list of texts (the operator split makes one of a text)'
                    : 'allowed: a list of texts',
            );
        const found: string[] = [];
        for (const [i, entry] of (value as readonly JsonValue[]).entries()) {
            if (typeof entry !== 'string' || isBlank(entry)) {
                this.faults.add(`${this.path(field)}.${i}`, invalidValue(entry, 'allowed: text'), entry);
                return undefined;
            }
            const problem = textProblem(entry, undefined);
            if (problem !== undefined) {
                this.faults.add(`${this.path(field)}.${i}`, problem, entry);
                return undefined;
            }
            const text = unpadded(entry);
            if (text !== entry) this.faults.trimmed ??= { path: `${this.path(field)}.${i}`, value: entry };
            found.push(text);
        }
        return found;
    }

    /** A reader for each object of a list; null empties it. */
    objects(field: string): readonly FieldReader[] | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        if (value === null) return [];
        if (!Array.isArray(value)) return this.refuse(field, 'allowed: a list of objects');
        const list = value as readonly JsonValue[];
        const wrong = list.findIndex(one => !isJsonObject(one));
        if (wrong < 0)
            return list.map((one, i) => new FieldReader(one as JsonObject, this.faults, `${this.path(field)}.${i}.`));
        this.faults.add(`${this.path(field)}.${wrong}`, invalidValue(list[wrong], 'allowed: an object'), list[wrong]!);
        return undefined;
    }

    object(field: string): JsonObject | undefined {
        const value = this.data[field];
        if (value === undefined) return undefined;
        if (isJsonObject(value)) return value;
        return this.refuse(field, 'allowed: an object');
    }

    /** A reader for a field that holds an object. */
    inside(field: string): FieldReader | undefined {
        const value = this.object(field);
        return value === undefined ? undefined : new FieldReader(value, this.faults, `${this.path(field)}.`);
    }
}
