import { isRecord, type JsonSchema, labelOf } from '../../../form/json-schema';

const MAX_TEXT = 60;

/** What a call of an adapter does, in parts of a sentence: what it works on, what it is called, and how it is set. */
export interface Sentence {
    /** `price`, `price → cents`. */
    readonly subject: string;
    readonly title: string;
    /** `decimals 2, mode floor`. */
    readonly settings: string;
}

/** Summarizes a call in one line, using its schema: first the paths that it works on, then the other arguments. */
export function sentenceOf(title: string, schema: JsonSchema, args: unknown): Sentence {
    const values = isRecord(args) ? args : {};
    const paths: string[] = [];
    const settings: string[] = [];
    for (const [key, value] of Object.entries(values)) {
        const field = schema.properties?.[key];
        if (field?.widget === 'path') paths.push(...(Array.isArray(value) ? value.map(String) : [String(value)]));
        else if (field?.widget === 'mapping' && isRecord(value)) paths.push(...Object.keys(value));
        // Code says nothing in a line.
        else if (field?.widget !== 'code') settings.push(settingText(field ?? {}, field?.title ?? key, value));
    }
    const subjects = [...new Set(paths)];
    const isWay = subjects.length === 2 && Object.hasOwn(values, 'target');
    return {
        title,
        subject: cut(isWay ? subjects.join(' → ') : subjects.join(', ')),
        settings: cut(settings.join(', ')),
    };
}

function settingText(field: JsonSchema, name: string, value: unknown): string {
    const label = name.toLowerCase();
    if (value === true) return label;
    if (Array.isArray(value)) return `${label} (${value.length})`;
    if (isRecord(value)) return label;
    return `${label} ${typeof value === 'string' ? wordsOf(field, value) : String(value)}`;
}

function wordsOf(field: JsonSchema, value: string): string {
    return field.enum ? labelOf(field, value) : quoted(value);
}

/** A text as it was typed: a backslash of a pattern is one backslash. Only what a line cannot show is escaped. */
function quoted(text: string): string {
    return `"${text.replace(/\p{Cc}/gu, sign => JSON.stringify(sign).slice(1, -1))}"`;
}

function cut(text: string): string {
    return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
