/** The texts of the server in another language. */
export interface ServerTexts {
    /** Of adapters, fields, choices and remedies: by the English text. */
    readonly texts: ReadonlyMap<string, string>;
    /** The templates of errors, by code. */
    readonly errors: ReadonlyMap<string, Translation>;
    /** The templates of log events, by code. */
    readonly events: ReadonlyMap<string, Translation>;
    /** What is put into messages of errors, by the English text. */
    readonly facts: ReadonlyMap<string, string>;
}

/** An English text and its translation, as the files in `server` have them by the place that declares the text. */
export interface Translation {
    readonly en: string;
    readonly de: string;
}

/** English, and any language that the texts of the server are not translated into. */
export const NO_SERVER_TEXTS: ServerTexts = {
    texts: new Map(),
    errors: new Map(),
    events: new Map(),
    facts: new Map(),
};

/** The texts of files whose keys are places: `operator.trim.source.title`, `error.RUN_NOT_FOUND`. */
export function serverTextsOf(files: ReadonlyArray<Readonly<Record<string, Translation>>>): ServerTexts {
    const entries = files.flatMap(file => Object.entries(file));
    const byCode = (kind: string): ReadonlyMap<string, Translation> =>
        new Map(entries.flatMap(([key, text]) => (key.startsWith(kind) ? [[key.slice(kind.length), text]] : [])));
    const byText = (some: typeof entries): ReadonlyMap<string, string> =>
        new Map(some.map(([, { en, de }]) => [en, de]));
    return {
        texts: byText(entries.filter(([key]) => !key.startsWith(FACT) && !key.startsWith(ISSUE))),
        facts: byText(entries),
        errors: byCode(ERROR),
        events: byCode(EVENT),
    };
}

const ERROR = 'error.';
const EVENT = 'log.';
const ISSUE = 'issue.';
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
 * The message of an error: the translated template of its code with its facts. A text without a code, such as an issue of a definition, has its
 * template among the facts. English if the server's template is not the one that was translated, as of another version of Flow.
 */
export function errorText({ code, message, facts }: ServerError, translations: ServerTexts): string {
    return textOf({ message, facts }, translations.errors.get(code ?? ''), translations);
}

/** A line of a log, in the same way. A line without the code of an event stays as its author has written it. */
export function lineText({ code, message, facts }: ServerError, translations: ServerTexts): string {
    return textOf({ message, facts }, translations.events.get(code ?? ''), translations);
}

function textOf({ message, facts }: ServerError, template: Translation | undefined, translations: ServerTexts): string {
    if (!isFacts(facts)) return translations.texts.get(message) ?? message;
    const { en, de } = template ?? ownTemplate(facts, translations);
    if (de === undefined) return translations.texts.get(message) ?? message;
    if (filled(en, facts, factText(translations, 'en')(facts)) !== message) return message;
    return filled(de, facts, factText(translations, 'de')(facts));
}

/** The template of a text without a code. */
function ownTemplate(
    { problem }: Facts,
    { facts }: ServerTexts,
): { readonly en: string; readonly de?: string | undefined } {
    const en = String(problem);
    return { en, de: facts.get(en) };
}

type Facts = Readonly<Record<string, unknown>>;

function isFacts(value: unknown): value is Facts {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `{name}` becomes the fact of that name, and `{count|1 record|# records}` the form for that number. */
function filled(template: string, facts: Facts, wordOf: (fact: unknown) => string): string {
    return template.replace(
        /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
        (mark: string, name: string, one?: string, many = '') => {
            const fact = facts[name];
            if (fact === undefined) return mark;
            if (one === undefined) return Array.isArray(fact) ? fact.map(wordOf).join(separatorOf(fact)) : wordOf(fact);
            return fact === 1 ? one : many.replace('#', String(fact));
        },
    );
}

/** Between the elements of a list: events are sentences, and issues of definitions are clauses. */
function separatorOf(list: readonly unknown[]): string {
    if (!list.every(isFacts)) return ', ';
    return list.every(text => 'event' in text) ? ' ' : '; ';
}

/** How deep facts are put into facts. */
const DEPTH = 3;

/**
 * How facts are written: a fact that is a text of Flow may have placeholders for further facts, such as `has {count} rows; at most {most} are allowed`,
 * and a fact may be an error, or another event.
 */
function factText(translations: ServerTexts, language: keyof Translation, depth = DEPTH) {
    return (others: Facts) =>
        (fact: unknown): string => {
            if (!isFacts(fact)) {
                const word = depth > 0 && (language === 'de' ? translations.facts.get(String(fact)) : String(fact));
                if (!word || !translations.facts.has(String(fact))) return String(fact);
                return filled(word, others, factText(translations, language, depth - 1)(others));
            }
            const [code, message, facts] = [fact['code'], String(fact['message']), fact['facts']];
            if (language === 'en') return message;
            if ('event' in fact) return lineText({ code: String(fact['event']), message, facts }, translations);
            return errorText({ code: String(code), message, facts }, translations);
        };
}
