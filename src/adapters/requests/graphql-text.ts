import { clause, type FactText } from '../../core/errors/rendered';
import { type DocumentNode, GraphQLError, Kind, parse, type TypeNode } from 'graphql';
import type { JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';

const MAX_TOKENS = 5_000;

/** Reads the text of a GraphQL document, or returns what is wrong with it, as the end of a sentence. */
export function readDocument(text: string): DocumentNode | { readonly problem: FactText } {
    try {
        return parse(text, { maxTokens: MAX_TOKENS, noLocation: true });
    } catch (thrown) {
        if (!(thrown instanceof GraphQLError)) return { problem: clause`is too deep` };
        const at = thrown.locations?.[0];
        const line = at ? ` (line ${at.line}, column ${at.column})` : '';
        const problem = thrown.message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
        return { problem: clause`is not a GraphQL document: ${problem}${line}` };
    }
}

/** The types that every schema has, and a check of their values. */
const SCALARS: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
    ['Int', (value: JsonValue) => Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31],
    ['Float', (value: JsonValue) => typeof value === 'number'],
    ['String', (value: JsonValue) => typeof value === 'string'],
    ['Boolean', (value: JsonValue) => typeof value === 'boolean'],
    ['ID', (value: JsonValue) => typeof value === 'string' || Number.isInteger(value)],
]);

/**
 * Why a value does not fit the type of a variable, as the end of a sentence; undefined if it fits, or if only the
 * server knows the type.
 */
export function variableProblem(value: JsonValue, type: TypeNode): FactText | undefined {
    if (type.kind === Kind.NON_NULL_TYPE)
        return value === null ? clause`is null; allowed: ${typeText(type)}` : variableProblem(value, type.type);
    if (value === null) return undefined;
    if (type.kind === Kind.LIST_TYPE) {
        // A single value is accepted as a list.
        const elements = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
        return elements.map(element => variableProblem(element, type.type)).find(problem => problem !== undefined);
    }
    const fits = SCALARS.get(type.name.value);
    return !fits || fits(value) ? undefined : clause`is ${show(value)}; allowed: ${type.name.value}`;
}

/** A type as it is written: `[String!]!`. */
export function typeText(type: TypeNode): string {
    if (type.kind === Kind.NON_NULL_TYPE) return `${typeText(type.type)}!`;
    return type.kind === Kind.LIST_TYPE ? `[${typeText(type.type)}]` : type.name.value;
}
