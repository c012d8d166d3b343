import type { JsonObject } from '../value/json';

/** What fills a placeholder. */
export type ErrorTextFact = string | number | FactText | ReadonlyArray<string | FactText>;

/** The facts that fill the placeholders of a text. */
export type ErrorTextFacts = JsonObject;

/** A text that is a fact of another one, such as an issue of a definition, with what it consists of. */
export type FactText = JsonObject & {
    /** Of an error. */
    readonly code?: string;
    readonly message: string;
    /** With the text itself as `problem`, if it has no code. */
    readonly facts?: ErrorTextFacts;
};

type Placeholders<T extends string> = T extends `${string}{${infer Mark}}${infer Rest}`
    ? (Mark extends `${infer Name}|${string}` ? Name : Mark) | Placeholders<Rest>
    : never;

/** The facts that a text needs: one for each placeholder. */
export type TextFacts<T extends string> = { readonly [K in Placeholders<T>]: ErrorTextFact };

type Facts = Readonly<Record<string, unknown>>;

/**
 * Fills a text: `{name}` becomes the fact of that name, and `{count|1 record|# records}` the form for that number. A fact may be an error or another
 * text with a message.
 */
export function rendered(text: string, facts: Facts): string {
    return text.replace(PLACEHOLDER, (mark: string, ...groups: readonly string[]) => {
        const [name = '', one, many = ''] = groups;
        const fact = facts[name];
        if (fact === undefined) return mark;
        if (one !== undefined) return fact === 1 ? one : many.replace('#', String(fact));
        return Array.isArray(fact) ? fact.map(textOf).join(separatorOf(fact)) : textOf(fact);
    });
}

/** Between the elements of a list: events are sentences, and issues of definitions are clauses. */
function separatorOf(list: readonly unknown[]): string {
    if (!list.every(isText)) return ', ';
    return list.every(text => 'event' in text) ? ' ' : '; ';
}

function isText(fact: unknown): fact is Facts {
    return typeof fact === 'object' && fact !== null;
}

function textOf(fact: unknown): string {
    return String(isText(fact) ? fact['message'] : fact);
}

const PLACEHOLDER = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;

/** A part of a sentence: the words themselves, or a text with its facts. */
export type Problem = string | FactText;

/** A text without a code. */
export function factText(text: string, facts: Readonly<Record<string, ErrorTextFact>> = {}): FactText {
    return { message: rendered(text, facts), facts: { ...facts, problem: text } };
}

/** A text without a code whose facts have no names but their positions: `clause\`is ${format}; allowed: ${allowed}\``. */
export function clause(parts: readonly string[], ...facts: readonly ErrorTextFact[]): FactText {
    const text = parts.reduce((before, part, i) => `${before}{${i - 1}}${part}`);
    return factText(text, Object.fromEntries(facts.entries()));
}

/** A part of a sentence in English. */
export function englishOf(problem: Problem): string {
    return typeof problem === 'string' ? problem : problem.message;
}
