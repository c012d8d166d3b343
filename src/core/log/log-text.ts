import { ERRORS } from '../errors/catalogue';
import { isFlowError } from '../errors/flow-error';
import { type ErrorTextFacts, rendered } from '../errors/rendered';
import { REDACTED, redactedMessage, redactedText } from '../errors/redacted-text';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { LOG_EVENTS, type LogCode, type LogEventSpec } from './log-events';

/** An event with its facts, and with its English text. The dashboard renders it in the user's language. */
export interface LogText extends JsonObject {
    readonly event: LogCode;
    readonly message: string;
    readonly facts: JsonObject;
}

/** An error, or another text, as a fact of an event. Its code is one of the error catalogue, or of a custom adapter. */
export interface LoggedError {
    readonly code?: string;
    readonly message: string;
    readonly facts?: ErrorTextFacts | undefined;
}

type LogFact = string | number | boolean | null | readonly string[] | readonly LogText[] | LogText | LoggedError;

type Names<T extends string> = T extends `${string}{${infer Mark}}${infer Rest}`
    ? (Mark extends `${infer Name}|${string}` ? Name : Mark) | Names<Rest>
    : never;

/** The facts of an event: one for each placeholder of its text, and more for machines. */
export type LogFacts<C extends LogCode> = {
    readonly [K in Names<(typeof LOG_EVENTS)[C]['text']>]: LogFact;
} & { readonly [more: string]: LogFact | undefined };

/** The level of an event, whether a line of it is about a single record, and which of its facts are values. */
export function logEventOf(event: string): LogEventSpec | undefined {
    return Object.hasOwn(LOG_EVENTS, event) ? LOG_EVENTS[event as LogCode] : undefined;
}

/** Renders an event in English. Facts that are undefined are left out. */
export function logText<C extends LogCode>(event: C, facts: LogFacts<C>): LogText {
    const kept: Record<string, JsonValue> = {};
    for (const [name, fact] of Object.entries(facts) as ReadonlyArray<[string, JsonValue | Error | undefined]>)
        if (isFlowError(fact)) kept[name] = loggedError(fact) as unknown as JsonValue;
        else if (fact !== undefined) kept[name] = fact as JsonValue;
    return textOf(event, kept);
}

function loggedError({ code, message, facts }: LoggedError): LoggedError {
    return { ...(code !== undefined && { code }), message, ...(facts && { facts }) };
}

function textOf(event: LogCode, facts: JsonObject): LogText {
    return { event, message: rendered(LOG_EVENTS[event].text, facts), facts };
}

/** The same event without values of records, for users who may not read them. */
export function redactedEvent(event: string, facts: JsonObject): Pick<LogText, 'message' | 'facts'> {
    const { values = [], quoted = [] } = logEventOf(event) ?? {};
    const redacted = Object.entries(facts).map(([name, fact]): [string, JsonValue] => {
        if (values.includes(name)) return [name, REDACTED];
        if (quoted.includes(name) && typeof fact === 'string') return [name, redactedText(fact)];
        return [name, isJsonObject(fact) ? redactedFact(fact) : fact];
    });
    const { message, facts: shown } = textOf(event as LogCode, Object.fromEntries(redacted));
    return { message, facts: shown };
}

function redactedFact(fact: JsonObject): JsonObject {
    const { event, code, message } = fact;
    if (typeof event === 'string') return { event, ...redactedEvent(event, fact['facts'] as JsonObject) };
    if (typeof code !== 'string' || typeof message !== 'string') return { message: REDACTED };
    // The code of a custom adapter is not in the catalogue; it quotes its values.
    const redacted = Object.hasOwn(ERRORS, code) ? redactedMessage({ code, message }) : redactedText(message);
    // Nothing had to be hidden, so the facts that the message consists of have nothing to hide either.
    return redacted === message ? fact : { code, message: redacted };
}
