/** The texts of the server in another language. */
export interface ServerTexts {
    /** Of adapters, fields, choices and remedies: by the English text. */
    readonly texts: ReadonlyMap<string, string>;
    /** The templates of errors, by code. */
    readonly errors: ReadonlyMap<string, Translation>;
    /** What is put into messages of errors, by the English text. */
    readonly facts: ReadonlyMap<string, string>;
}

/** An English text and its translation, as the files in `server` have them by the place that declares the text. */
export interface Translation {
    readonly en: string;
    readonly de: string;
}

/** English, and any language that the texts of the server are not translated into. */
export const NO_SERVER_TEXTS: ServerTexts = { texts: new Map(), errors: new Map(), facts: new Map() };

/** The texts of files whose keys are places: `operator.trim.source.title`, `error.RUN_NOT_FOUND`. */
export function serverTextsOf(files: ReadonlyArray<Readonly<Record<string, Translation>>>): ServerTexts {
    const entries = files.flatMap(file => Object.entries(file));
    const errors = entries.filter(([key]) => key.startsWith(ERROR));
    const byText = (some: typeof entries): ReadonlyMap<string, string> =>
        new Map(some.map(([, { en, de }]) => [en, de]));
    return {
        texts: byText(entries.filter(([key]) => !key.startsWith(FACT))),
        facts: byText(entries),
        errors: new Map(errors.map(([key, translation]) => [key.slice(ERROR.length), translation])),
    };
}

const ERROR = 'error.';
const FACT = 'fact.';

/** The names of the texts that people read in descriptions of adapters and steps and in JSON Schemas. */
export const TEXT_NAMES: ReadonlySet<string> = new Set([
    'title',
    'description',
    'placeholder',
    'about',
    'summary',
    'category',
    'group',
    'remarks',
    'note',
]);

/** What is not read by people, although it may have fields with such names. */
export const DATA_NAMES: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'showIf']);

/** A description of adapters, steps or fields with its texts translated; a text without a translation stays English. */
export function translated<T>(value: T, { texts }: ServerTexts): T {
    if (texts.size === 0) return value;
    const textOf = (text: unknown): unknown => (typeof text === 'string' ? (texts.get(text) ?? text) : text);
    const visit = (one: unknown, name: string): unknown => {
        if (typeof one === 'string') return TEXT_NAMES.has(name) ? textOf(one) : one;
        if (typeof one !== 'object' || one === null || DATA_NAMES.has(name)) return one;
        if (Array.isArray(one)) {
            if (name === 'notes') return one.map(textOf);
            if (name === 'examples') return one.map(example => withNote(example, textOf));
            return one.map(element => visit(element, ''));
        }
        return Object.fromEntries(
            Object.entries(one).map(([key, field]: [string, unknown]) => [
                key,
                name === 'labels' ? textOf(field) : visit(field, key),
            ]),
        );
    };
    return visit(value, '') as T;
}

/** Of an example only its note is a text: the rest is data. */
function withNote(example: unknown, textOf: (text: unknown) => unknown): unknown {
    if (typeof example !== 'object' || example === null || !('note' in example)) return example;
    return { ...example, note: textOf(example.note) };
}

/** An error as the server reports it. */
export interface ServerError {
    readonly code?: string | null | undefined;
    readonly message: string;
    /** What fills the placeholders of the code's template; undefined for an error without them. */
    readonly facts?: unknown;
}

/**
 * The message of an error: the translated template of its code with its facts. English if the server's template is not the one that was
 * translated, as of another version of Flow.
 */
export function errorText({ code, message, facts }: ServerError, translations: ServerTexts): string {
    const { texts, errors, facts: words } = translations;
    const template = errors.get(code ?? '');
    if (template === undefined || typeof facts !== 'object' || facts === null) return texts.get(message) ?? message;
    const values = facts as Readonly<Record<string, unknown>>;
    if (filled(template.en, values) !== message) return message;
    const known = Object.entries(values).map(([name, fact]) => [name, words.get(String(fact)) ?? fact]);
    return filled(template.de, Object.fromEntries(known) as Readonly<Record<string, unknown>>);
}

function filled(template: string, facts: Readonly<Record<string, unknown>>): string {
    return template.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name]));
}
