import type { z } from 'zod';
import type { Advice, AdviceCode, MissingInShop } from '../adapter/base';
import type { JsonObject } from '../value/json';
import { firstIssues } from '../schema/first-issues';
import { ISSUE_TEXTS } from '../schema/issue-texts';
import { type FieldIssue, issueAt, issueBecause, issueMovedTo, issuesOf, type SchemaIssue } from '../schema/issues';

/** What can be wrong with a pipeline definition (`issues: [{code, path, stepKey, message, facts}]`). */
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
    | 'SECRET_HOST_NOT_ALLOWED'
    | 'FILE_NOT_FOUND'
    | 'FILE_EXPIRED'
    | 'FILE_EXPIRES'
    | 'FILE_TYPE_MISMATCH'
    | 'PIPELINE_NOT_FOUND'
    | 'PIPELINE_NOT_RUNNABLE'
    | 'PERMISSION_UNKNOWN'
    | 'EDGE_UNKNOWN_STEP'
    | 'EDGE_DUPLICATE'
    | 'EDGE_FORBIDDEN'
    | 'BRANCH_MISSING'
    | 'BRANCH_UNKNOWN'
    | 'TRIGGER_MISSING'
    | 'WEBHOOK_DUPLICATE'
    | 'EXTRACT_MISSING'
    | 'GRAPH_CYCLE'
    | 'GRAPH_UNREACHABLE'
    | AdviceCode;

/** One problem of a definition: the violated rule, its path (`steps[2].config.operators[0].args.source`), and the allowed values. */
export interface Issue extends SchemaIssue {
    readonly code: IssueCode;
    readonly stepKey?: string;
    /** A warning does not prevent publication; without it, the issue is an error. */
    readonly severity?: 'WARNING';
    /** Of TOO_MANY_ISSUES: how many it stands for. */
    readonly more?: number;
}

/** True for an issue that prevents publishing, false for a warning. */
export function isErrorIssue({ severity }: Issue): boolean {
    return severity !== 'WARNING';
}

/** The maximum number of issues that are listed. Further ones are counted. */
const MAX_ISSUES = 500;
/** The maximum size of all listed issues except the first: a hostile definition may have names as long as itself. */
const MAX_CHARACTERS = 200_000;
/** Exceeded limits prevent saving, so up to this number of them are listed after any number of other issues. */
const MAX_TOO_LARGE = 10;

/** Collects the issues of one definition in order. Issues that are no longer listed are counted. */
export class Issues {
    private readonly found: Issue[] = [];
    private readonly tooLarge: Issue[] = [];
    private characters = 0;
    private more = 0;
    private faulty = false;

    /** How many are still listed. */
    get room(): number {
        return this.characters > MAX_CHARACTERS ? 0 : MAX_ISSUES - this.found.length;
    }

    get hasFaults(): boolean {
        return this.faulty;
    }

    /** With one at the end that says how many more there are. */
    get list(): readonly Issue[] {
        const { more } = this;
        const listed = [...this.found, ...this.tooLarge];
        if (more === 0) return listed;
        const severity = this.faulty ? {} : ({ severity: 'WARNING' } as const);
        const text = issueAt('', ISSUE_TEXTS.moreIssues, { more, listed: listed.length });
        return [...listed, { code: 'TOO_MANY_ISSUES', ...text, more, ...severity }];
    }

    /** Adds the issues of another list, including its count of unlisted ones. */
    add(...issues: readonly Issue[]): void {
        for (const issue of issues) {
            if (isErrorIssue(issue)) this.faulty = true;
            if (issue.more !== undefined) this.more += issue.more;
            else if (this.room > 0) {
                this.found.push(issue);
                this.characters += issue.path.length + issue.message.length;
            } else if (issue.code === 'DEFINITION_TOO_LARGE' && this.tooLarge.length < MAX_TOO_LARGE)
                this.tooLarge.push(issue);
            else this.more++;
        }
    }

    /** An error whose message is built only if it is listed. */
    addLazily(issue: () => Issue): void {
        if (this.room > 0) return this.add(issue());
        this.count(1);
    }

    /** Counts this number of additional errors. */
    count(more: number): void {
        if (more === 0) return;
        this.faulty = true;
        this.more += more;
    }

    /**
     * Reports errors of the outer form: numbers and sizes out of range and unknown keys have separate codes. Returns the value if it has no error.
     */
    frame<S extends z.ZodType>(schema: S, input: unknown, location: IssueLocation): z.output<S> | undefined {
        const outcome = firstIssues(schema, input, this.room);
        if (outcome.ok) return outcome.value;
        this.add(...frameIssues(outcome.faults, { input, schema, ...location }));
        this.count(outcome.more);
        return undefined;
    }
}

function frameIssues(issues: readonly FieldIssue[], { input, ...place }: Checked): readonly Issue[] {
    return issues.flatMap(issue => {
        const code =
            issue.code === 'unrecognized_keys'
                ? 'KEY_UNKNOWN'
                : issue.code === 'too_small' || issue.code === 'too_big'
                  ? 'VALUE_OUT_OF_RANGE'
                  : 'VALUE_INVALID';
        const worded = issuesOf([issue], input, { basePath: place.path, schema: place.schema });
        return worded.map(issue => located(code, issue, place.stepKey));
    });
}

/** Errors of an adapter's own configuration. */
export function configIssues(
    issues: readonly FieldIssue[],
    { input, path, schema, stepKey }: Checked,
): readonly Issue[] {
    const worded = issuesOf(issues, input, { basePath: path, schema });
    return worded.map(issue => located('CONFIG_INVALID', issue, stepKey));
}

/** An adapter's advice on its own configuration, as warnings. */
export function adviceIssues(advice: readonly Advice[], { path, stepKey }: IssueLocation): readonly Issue[] {
    return advice.map(({ code, path: inner, problem }) => ({
        code,
        ...(stepKey !== undefined && { stepKey }),
        ...issueBecause(dotless(inner === '' ? path : pathTo(path, inner)), problem, 'verb'),
        severity: 'WARNING',
    }));
}

/** Resources in a configuration that the shop does not have. */
export function missingInShopIssues(
    gaps: readonly MissingInShop[],
    { path, stepKey }: IssueLocation,
): readonly Issue[] {
    return gaps.map(gap => ({
        code: 'CONFIG_INVALID',
        ...(stepKey !== undefined && { stepKey }),
        ...issueMovedTo(gap, inner => pathTo(path, inner)),
    }));
}

/** The path of an issue, and its step. */
export interface IssueLocation {
    readonly path: string;
    readonly stepKey?: string;
}

interface Checked extends IssueLocation {
    readonly input: unknown;
    readonly schema: z.ZodType;
}

/** The schema writes `rules.0.type`; a definition's paths have their indexes in brackets: `rules[0].type`. */
function located(code: IssueCode, issue: SchemaIssue, stepKey?: string): Issue {
    return { code, ...(stepKey !== undefined && { stepKey }), ...issueMovedTo(issue, dotless) };
}

function dotless(path: string): string {
    return path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}

/** An issue as the details of an error carry it. */
export function issueAsJson({ code, path, stepKey, message, facts, severity, more }: Issue): JsonObject {
    return {
        code,
        path,
        ...(stepKey !== undefined && { stepKey }),
        message,
        ...(facts && { facts: facts as JsonObject }),
        ...(severity && { severity }),
        ...(more !== undefined && { more }),
    };
}

/** The path of a property or element: `a.b`, `a[0]`. */
export function pathTo(parent: string, key: string | number): string {
    if (typeof key === 'number') return `${parent}[${key}]`;
    return parent === '' ? key : `${parent}.${key}`;
}
