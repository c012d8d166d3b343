import type { z } from 'zod';
import { didYouMean } from '../data/similar-words';
import {
    type ErrorTextFact,
    type ErrorTextFacts,
    factText,
    type FactText,
    type Problem,
    type TextFacts,
    englishOf,
} from '../errors/rendered';
import { show } from '../value/show';
import { allowedBy, allowedByEither } from './allowed';
import type { Schema } from './definition';
import { ISSUE_TEXTS, ISSUE_WORDS } from './issue-texts';
import { alternativesOf, childSchema, knownKeys } from './walk';

/**
 * One issue of a definition or configuration: its path, and a sentence that names the field, its value and what is
 * allowed.
 */
export interface SchemaIssue {
    readonly path: string;
    readonly message: string;
    /** What the sentence consists of, so that the dashboard can show it in its language. */
    readonly facts?: ErrorTextFacts | undefined;
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
    return [sentence(issue, spot)];
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
    if (issue.message !== '') return [sentence(issue, spot)];
    const kinds = issue.errors
        .flat()
        .filter(isKindFault)
        .map(inner => allowedBy(inner, spot.schema));
    return [invalid(spot, allowedByEither(kinds))];
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

/** An issue with a text that may name its path, and with the other facts of that text. */
export function issueAt<T extends string>(path: string, text: T, facts: Omit<TextFacts<T>, 'path'>): SchemaIssue {
    return worded(path, factText(text, { path: nameOf(path), ...facts }));
}

/** An issue whose reason follows the path: `verb` for one that begins with a verb. */
export function issueBecause(path: string, reason: Problem, begins?: 'verb'): SchemaIssue {
    if (begins === 'verb') return issueAt(path, ISSUE_TEXTS.is, { reason });
    if (path !== '') return issueAt(path, ISSUE_TEXTS.reason, { reason });
    return worded(path, typeof reason === 'string' ? factText(reason) : reason);
}

function worded(path: string, { message, facts }: FactText): SchemaIssue {
    return { path, message, facts };
}

/** Issues as facts of an error. */
export function issueFacts(issues: readonly SchemaIssue[]): readonly FactText[] {
    return issues.map(({ message, facts }) => ({ message, ...(facts && { facts }) }));
}

/** Adds an issue of a schema's own check. */
export function addIssue(
    cx: z.core.$RefinementCtx,
    { message, facts }: FactText,
    path: readonly PropertyKey[] = [],
): void {
    cx.addIssue({ code: 'custom', path: [...path], message, params: { facts } });
}

/** The same issue at another path. */
export function issueMovedTo<T extends SchemaIssue>(issue: T, move: (path: string) => string): T {
    const { path, message, facts } = issue;
    const named = facts?.['path'];
    const old = typeof named === 'string' ? named : path;
    const name = move(old === ISSUE_WORDS.root ? path : old);
    return {
        ...issue,
        path: move(path),
        message: message.startsWith(old) ? name + message.slice(old.length) : message,
        ...(facts && named !== undefined && { facts: { ...facts, path: name } }),
    };
}

function keyIssue(issue: ZodIssue, spot: Spot): SchemaIssue {
    const path = nameOf(spot.path.slice(0, -1).join('.'));
    const key = show(spot.path.at(-1) ?? '');
    const given = givenProblem(issue);
    const allowed = given === undefined ? allowedBy(issue, undefined) : allowedOf(given);
    const text =
        allowed === undefined
            ? factText(ISSUE_TEXTS.keyReason, { path, key, reason: given! })
            : factText(ISSUE_TEXTS.key, { path, key, allowed });
    return worded(spot.path.join('.'), text);
}

function unknownKey(key: string, spot: Spot): SchemaIssue {
    const path = [...spot.path, key].join('.');
    const known = spot.schema && knownKeys(spot.schema, spot.value);
    if (known === undefined) return issueAt(path, ISSUE_TEXTS.unknown, {});
    return known.length === 0
        ? issueAt(path, ISSUE_TEXTS.unneeded, {})
        : issueAt(path, ISSUE_TEXTS.unknownAmong, { known: known.join(', ') });
}

function sentence(issue: ZodIssue, spot: Spot): SchemaIssue {
    const given = givenProblem(issue);
    if (given === undefined) return invalid(spot, allowedBy(issue, spot.schema), hintOf(issue, spot));
    const allowed = allowedOf(given);
    return allowed === undefined ? issueBecause(spot.path.join('.'), given) : invalid(spot, allowed);
}

/** The message of a schema's own check. */
function givenProblem(issue: ZodIssue): Problem | undefined {
    if (issue.message === '') return undefined;
    const facts = issue.code === 'custom' ? (issue.params?.['facts'] as ErrorTextFacts | undefined) : undefined;
    return facts ? { message: issue.message, facts } : issue.message;
}

/** For a message that says only what is allowed. */
function allowedOf(problem: Problem): Problem | undefined {
    const message = englishOf(problem);
    if (!message.startsWith(ALLOWED)) return undefined;
    const rest = message.slice(ALLOWED.length);
    if (typeof problem === 'string') return rest;
    const { facts } = problem;
    return { message: rest, facts: { ...facts, problem: String(facts?.['problem']).slice(ALLOWED.length) } };
}

function invalid({ path, value }: Spot, allowed: ErrorTextFact, hint?: FactText): SchemaIssue {
    const place = path.join('.');
    if (value === undefined) return issueAt(place, ISSUE_TEXTS.missing, { allowed });
    const facts = { value: shownValue(value), allowed };
    return hint ? issueAt(place, ISSUE_TEXTS.misspelt, { ...facts, hint }) : issueAt(place, ISSUE_TEXTS.invalid, facts);
}

function shownValue(value: unknown): Problem {
    if (Array.isArray(value) && value.length > 0) return factText(ISSUE_WORDS.list, { elements: value.length });
    return show(value);
}

/** Shorter words resemble others by chance, and longer texts are not a single word. */
const LEAST_TO_GUESS = 3;
const MOST_TO_GUESS = 100;

/** For a value out of a list of words: the word that may have been meant. */
function hintOf(issue: ZodIssue, { value }: Spot): FactText | undefined {
    if (issue.code !== 'invalid_value' || typeof value !== 'string' || value.length < LEAST_TO_GUESS) return undefined;
    const words = issue.values.filter(word => typeof word === 'string' && word.length >= LEAST_TO_GUESS) as string[];
    return issue.values.length > 1 ? didYouMean(value.slice(0, MOST_TO_GUESS), words) : undefined;
}

/** The path, or what a sentence calls the whole. */
function nameOf(path: string): string {
    return path === '' ? ISSUE_WORDS.root : path;
}
