import type { ExampleFile, ExtractorExample } from '../core/adapter/extractor';
import { isJsonObject, type JsonValue } from '../core/value/json';
import type { ExtractorReading } from './reading-checks';

/** More rows than extractors usually emit in two pages. */
const ROWS = 2_500;

/**
 * An example whose rows are repeated until they fill several pages: the lists and texts of its configuration and its files, and the number of
 * records if the configuration sets one. Undefined if it contains no rows, because it reads an external system.
 */
export function enlargedReading(
    { config, files = {}, out }: ExtractorExample<object>,
    name: string,
): ExtractorReading | undefined {
    const fields = Object.entries(config as Readonly<Record<string, JsonValue>>);
    const larger = {
        config: Object.fromEntries(
            fields.map(([field, value]) => [field, value === out.length ? ROWS : enlargedValue(value)] as const),
        ),
        files: Object.fromEntries(Object.entries(files).map(([id, file]) => [id, enlargedFile(file)] as const)),
    };
    return JSON.stringify(larger) === JSON.stringify({ config, files }) ? undefined : { name, ...larger };
}

function enlargedFile(file: ExampleFile): ExampleFile {
    if (typeof file === 'string') return enlargedText(file);
    return Object.fromEntries(Object.entries(file).map(([sheet, rows]) => [sheet, belowHeader(rows)] as const));
}

function enlargedValue(value: JsonValue): JsonValue {
    if (typeof value === 'string') return enlargedText(value);
    return Array.isArray(value) ? repeated(value as readonly JsonValue[]) : value;
}

/** The elements in an XML root, the lists of a JSON document, or the lines below a first one. */
function enlargedText(text: string): string {
    const [, start, inner, end] = /^\s*(<[^>?!]+>)(.+)(<\/[^>]+>)\s*$/s.exec(text) ?? [];
    if (inner !== undefined) return start! + inner.repeat(ROWS) + end!;
    const document = documentOf(text);
    if (document !== undefined) return JSON.stringify(enlargedDocument(document));
    const lines = text.trimEnd().split(/\r?\n/);
    return lines.length < 2 ? text : belowHeader(lines).join('\n');
}

function documentOf(text: string): JsonValue | undefined {
    try {
        const value = JSON.parse(text) as JsonValue;
        return typeof value === 'object' && value !== null ? value : undefined;
    } catch {
        return undefined;
    }
}

function enlargedDocument(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return repeated(value as readonly JsonValue[]);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, enlargedDocument(field)]));
}

function belowHeader<T>([header, ...rows]: readonly T[]): T[] {
    return header === undefined ? [] : [header, ...repeated(rows)];
}

function repeated<T>(rows: readonly T[]): T[] {
    return rows.length === 0 ? [] : Array.from({ length: ROWS }, (_, i) => rows[i % rows.length]!);
}
