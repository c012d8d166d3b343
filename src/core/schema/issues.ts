import type { z } from 'zod';
import { didYouMean } from '../data/similar-words';
import { show } from '../value/show';
import type { Schema } from './definition';
import { alternativesOf, childSchema, isWhole, knownKeys, rangeOf } from './walk';

/**
 * One issue of a definition or configuration: its path, and a sentence that names the field, its value and what is
 * allowed.
 */
export interface SchemaIssue {
    readonly path: string;
    readonly message: string;
}

type ZodIssue = z.core.$ZodIssue;

declare const OWN_TEXT: unique symbol;

/**
 * An issue that `tryParse` has found. Its message is that of the schema's own check, and empty if the check has none.
 */
export type FieldIssue = ZodIssue & { readonly [OWN_TEXT]: true };

/** Suppresses zod's own messages: they depend on its version and on the language that the shop has set. */
export const WITHOUT_TEXT = { error: (): string => '' };

/** Where the input is. With the schema, messages name whole ranges and the known keys. */
interface Place {
    readonly basePath?: string;
    readonly schema?: Schema;
}

/**
 * A schema may give a check its own message: one that begins with `allowed: ` completes "<path> is <value>; …", any
 * other message follows the path as it is.
 */
const ALLOWED = 'allowed: ';

/** Parses a value. Returns it with its defaults, or its issues for `issuesOf` to describe. */
export function tryParse<S extends z.ZodType>(
    schema: S,
    input: unknown,
): { readonly ok: true; readonly value: z.output<S> } | { readonly ok: false; readonly faults: readonly FieldIssue[] } {
    const result = schema.safeParse(input, WITHOUT_TEXT);
    return result.success
        ? { ok: true, value: result.data }
        : { ok: false, faults: result.error.issues as unknown as readonly FieldIssue[] };
}

/** Describes zod's issues in Flow's words: `throughput.batchSize is 0; allowed: 1 to 10000`. */
export function issuesOf(
    issues: readonly FieldIssue[],
    input: unknown,
    keysetPosition: string | Place = '',
): readonly SchemaIssue[] {
    // Without issues to describe, not even the path is read.
    if (issues.length === 0) return [];
    const { basePath = '', schema } =
        typeof keysetPosition === 'string' ? { basePath: keysetPosition } : keysetPosition;
    const spot: Spot = { value: input, schema, path: basePath === '' ? [] : basePath.split('.') };
    return issues.flatMap(issue => explain(issue, spot));
}

/** Parses a value. Returns it with its defaults, or described issues that name ranges and keys from the schema. */
export function parseWith<S extends z.ZodType>(
    schema: S,
    input: unknown,
    basePath = '',
):
    | { readonly ok: true; readonly value: z.output<S> }
    | { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
    const result = tryParse(schema, input);
    return result.ok ? result : { ok: false, issues: issuesOf(result.faults, input, { basePath, schema }) };
}

/** A position within the input: its value, its schema if known, and its full path. */
interface Spot {
    readonly value: unknown;
    readonly schema: Schema | undefined;
    readonly path: readonly string[];
}

function explain(issue: ZodIssue, root: Spot): SchemaIssue[] {
    const spot = issue.path.reduce<Spot>(
        (at, key) => ({
            value: childOf(at.value, key),
            schema: at.schema && childSchema(at.schema, key, at.value),
            path: [...at.path, String(key)],
        }),
        root,
    );
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return explainUnion(issue, spot);
    if (issue.code === 'invalid_key') return issue.issues.map(inner => keyIssue(inner, spot));
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(key, spot));
    return [{ path: spot.path.join('.'), message: sentence(issue, spot) }];
}

function childOf(value: unknown, key: PropertyKey): unknown {
    if (typeof value !== 'object' || value === null || !Object.prototype.hasOwnProperty.call(value, key))
        return undefined;
    return (value as Record<PropertyKey, unknown>)[key];
}

/**
 * Reports the issues of the alternative that fits best; if the value is of another type than all of them, reports what
 * all of them allow.
 */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion, spot: Spot): SchemaIssue[] {
    const costs = issue.errors.map(misfit);
    const best = costs.indexOf(Math.min(...costs));
    if (costs[best]! < KIND_MISFIT) {
        const schema = spot.schema && alternativesOf(spot.schema)[best];
        return issue.errors[best]!.flatMap(inner => explain(inner, { ...spot, schema }));
    }
    if (issue.message !== '') return [{ path: spot.path.join('.'), message: sentence(issue, spot) }];
    const kinds = issue.errors
        .flat()
        .filter(isKindFault)
        .map(inner => allowedBy(inner, spot));
    return [{ path: spot.path.join('.'), message: `${stated(spot)}; ${ALLOWED}${[...new Set(kinds)].join(' or ')}` }];
}

const KIND_MISFIT = 1000;

/** How badly an alternative fits: another type is worst, then unknown fields, then any other issue. */
function misfit(issues: readonly ZodIssue[]): number {
    const cost = (issue: ZodIssue): number => {
        if (isKindFault(issue)) return KIND_MISFIT;
        return issue.code === 'unrecognized_keys' ? 2 * issue.keys.length : 1;
    };
    return issues.reduce((sum, issue) => sum + cost(issue), 0);
}

function isKindFault(issue: ZodIssue): boolean {
    return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

function keyIssue(issue: ZodIssue, spot: Spot): SchemaIssue {
    const holder = spot.path.slice(0, -1).join('.') || 'The configuration';
    const key = spot.path.at(-1) ?? '';
    const text = issue.message === '' ? `${ALLOWED}${allowedBy(issue, { ...spot, schema: undefined })}` : issue.message;
    return { path: spot.path.join('.'), message: `${holder} has the key ${show(key)}; ${text}` };
}

function unknownKey(key: string, spot: Spot): SchemaIssue {
    const path = [...spot.path, key].join('.');
    const known = spot.schema && knownKeys(spot.schema, spot.value);
    const hint =
        known === undefined
            ? 'there is no field of this name'
            : known.length === 0
              ? 'no fields are allowed here'
              : `known: ${known.join(', ')}`;
    return { path, message: `${path} is an unknown field; ${hint}` };
}

function sentence(issue: ZodIssue, spot: Spot): string {
    if (issue.message.startsWith(ALLOWED)) return `${stated(spot)}; ${issue.message}`;
    if (issue.message === '') return `${stated(spot)}; ${ALLOWED}${allowedBy(issue, spot)}${guess(issue, spot)}`;
    return spot.path.length === 0 ? issue.message : `${spot.path.join('.')}: ${issue.message}`;
}

/** Shorter words resemble others by chance, and longer texts are not a single word. */
const LEAST_TO_GUESS = 3;
const MOST_TO_GUESS = 100;

/** For a value out of a list of words: the word that may have been meant. */
function guess(issue: ZodIssue, { value }: Spot): string {
    if (issue.code !== 'invalid_value' || typeof value !== 'string' || value.length < LEAST_TO_GUESS) return '';
    const words = issue.values.filter(word => typeof word === 'string' && word.length >= LEAST_TO_GUESS) as string[];
    const meant = issue.values.length > 1 ? didYouMean(value.slice(0, MOST_TO_GUESS), words) : undefined;
    return meant === undefined ? '' : `. ${meant}`;
}

function stated(spot: Spot): string {
    const name = spot.path.join('.') || 'The configuration';
    return spot.value === undefined ? `${name} is missing` : `${name} is ${show(spot.value)}`;
}

const KINDS: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
    null: 'null',
};

/** The text for a check that has no message and about which zod gives no facts. */
const ANOTHER = 'another value';

/** What is allowed at a position, as the end of a sentence. */
function allowedBy(issue: ZodIssue, spot: Spot): string {
    const range = spot.schema && rangeOf(spot.schema);
    switch (issue.code) {
        case 'invalid_type': {
            const whole = spot.schema !== undefined && isWhole(spot.schema);
            const kind = whole ? 'a whole number' : (KINDS[issue.expected] ?? issue.expected);
            return range?.of === 'number' ? `${kind}, ${range.text}` : kind;
        }
        case 'invalid_value':
            return issue.values.map(value => show(value)).join(', ');
        case 'invalid_union':
            return 'options' in issue && Array.isArray(issue.options) ? issue.options.map(show).join(', ') : ANOTHER;
        case 'too_small':
            return range?.text ?? bound(issue.origin, `at least ${issue.minimum}`);
        case 'too_big':
            return range?.text ?? bound(issue.origin, `at most ${issue.maximum}`);
        case 'not_multiple_of':
            return `a multiple of ${issue.divisor}`;
        case 'invalid_format':
            return issue.pattern === undefined
                ? `text in the format ${issue.format}`
                : `text that matches ${issue.pattern}`;
        default:
            return ANOTHER;
    }
}

function bound(origin: string, text: string): string {
    if (origin === 'string') return `${text} characters`;
    if (origin === 'array' || origin === 'set') return `${text} elements`;
    return text;
}
