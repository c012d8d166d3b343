import { z } from 'zod';
import type { Advice, AdviceCode } from '../adapter/base';
import type { JsonObject } from '../data/json';
import { issuesOf } from '../schema/issues';

/** What can be wrong with a pipeline definition (spec 4, "errors": `issues: [{code, path, stepKey, message}]`). */
export type IssueCode =
    | 'DEFINITION_MALFORMED'
    | 'DEFINITION_TOO_LARGE'
    | 'DEFINITION_TOO_DEEP'
    | 'VERSION_UNSUPPORTED'
    | 'TOO_MANY_ISSUES'
    | 'KEY_FORBIDDEN'
    | 'KEY_UNKNOWN'
    | 'VALUE_INVALID'
    | 'VALUE_OUT_OF_RANGE'
    | 'STEPS_TOO_MANY'
    | 'STEP_KEY_INVALID'
    | 'STEP_KEY_DUPLICATE'
    | 'STEP_KIND_UNKNOWN'
    | 'STEP_KIND_UNSUPPORTED'
    | 'ADAPTER_NOT_FOUND'
    | 'CONFIG_INVALID'
    | 'SCRIPT_NOT_FOUND'
    | 'CONNECTION_NOT_FOUND'
    | 'CONNECTION_TYPE_MISMATCH'
    | 'SECRET_NOT_FOUND'
    | 'FILE_NOT_FOUND'
    | 'FILE_EXPIRED'
    | 'PERMISSION_UNKNOWN'
    | 'EDGE_UNKNOWN_STEP'
    | 'EDGE_DUPLICATE'
    | 'EDGE_FORBIDDEN'
    | 'BRANCH_MISSING'
    | 'BRANCH_UNKNOWN'
    | 'TRIGGER_MISSING'
    | 'EXTRACT_MISSING'
    | 'GRAPH_CYCLE'
    | 'GRAPH_UNREACHABLE'
    | AdviceCode;

/** One fault of a definition: which rule, where (`steps[2].config.operators[0].args.source`), and what is allowed. */
export interface Issue {
    readonly code: IssueCode;
    readonly path: string;
    readonly stepKey?: string;
    readonly message: string;
    /** A warning keeps nothing from being published; without it the issue is a fault. */
    readonly severity?: 'WARNING';
}

/** True for what keeps a definition from being published, false for a warning. */
export function isFault({ severity }: Issue): boolean {
    return severity !== 'WARNING';
}

/** More than anybody reads; what a hostile definition could make up is without end. */
const MAX_ISSUES = 1000;

/** Collects the faults of one definition in the order in which they are met. */
export class Issues {
    private readonly found: Issue[] = [];

    /** No more are taken: what a definition of this kind still holds need not be looked at. */
    get full(): boolean {
        return this.found.length > MAX_ISSUES;
    }

    get hasFaults(): boolean {
        return this.full || this.found.some(isFault);
    }

    get list(): readonly Issue[] {
        if (!this.full) return this.found;
        const message = `There are more faults than the ${MAX_ISSUES} that are listed`;
        return [...this.found.slice(0, MAX_ISSUES), { code: 'TOO_MANY_ISSUES', path: '', message }];
    }

    add(...issues: readonly Issue[]): void {
        // One over the limit is kept, as the sign that there are more.
        this.found.push(...issues.slice(0, MAX_ISSUES + 1 - this.found.length));
    }
}

/** A fault of a schema as ours: numbers and sizes out of range and unknown keys have codes of their own. */
export function frameIssues(error: z.ZodError, { input, ...place }: Checked): readonly Issue[] {
    return first(error).flatMap(fault => {
        const code =
            fault.code === 'unrecognized_keys'
                ? 'KEY_UNKNOWN'
                : fault.code === 'too_small' || fault.code === 'too_big'
                  ? 'VALUE_OUT_OF_RANGE'
                  : 'VALUE_INVALID';
        const worded = issuesOf(new z.ZodError([fault]), input, { basePath: place.path, schema: place.schema });
        return worded.map(issue => located(code, issue, place.stepKey));
    });
}

/** A fault of an adapter's own configuration. */
export function configIssues(error: z.ZodError, { input, path, schema, stepKey }: Checked): readonly Issue[] {
    const worded = issuesOf(new z.ZodError(first(error)), input, { basePath: path, schema });
    return worded.map(issue => located('CONFIG_INVALID', issue, stepKey));
}

/** What an adapter advises of its own configuration, as warnings. */
export function adviceIssues(
    advice: readonly Advice[],
    { path, stepKey }: Omit<Checked, 'input' | 'schema'>,
): readonly Issue[] {
    return advice.map(({ code, path: inner, problem }) => {
        const place = dotless(inner === '' ? path : pathTo(path, inner));
        return {
            code,
            path: place,
            ...(stepKey !== undefined && { stepKey }),
            message: `${place} ${problem}`,
            severity: 'WARNING',
        };
    });
}

/** A list of a hundred thousand wrong elements has a hundred thousand faults; putting them into words takes seconds. */
function first(error: z.ZodError): z.core.$ZodIssue[] {
    return error.issues.slice(0, MAX_ISSUES + 1);
}

interface Checked {
    readonly input: unknown;
    readonly schema: z.ZodType;
    readonly path: string;
    readonly stepKey?: string;
}

/** The schema writes `rules.0.type`; a definition's paths have their indexes in brackets: `rules[0].type`. */
function located(code: IssueCode, issue: { readonly path: string; readonly message: string }, stepKey?: string): Issue {
    const path = dotless(issue.path);
    const message = issue.message.startsWith(issue.path)
        ? path + issue.message.slice(issue.path.length)
        : issue.message;
    return { code, path, ...(stepKey !== undefined && { stepKey }), message };
}

function dotless(path: string): string {
    return path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}

/** An issue as the details of an error carry it. */
export function issueAsJson({ code, path, stepKey, message, severity }: Issue): JsonObject {
    return { code, path, ...(stepKey !== undefined && { stepKey }), message, ...(severity && { severity }) };
}

/** The path of a property or element: `a.b`, `a[0]`. */
export function pathTo(parent: string, key: string | number): string {
    if (typeof key === 'number') return `${parent}[${key}]`;
    return parent === '' ? key : `${parent}.${key}`;
}
