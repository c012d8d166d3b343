import type { z } from 'zod';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { Patterns } from '../data/regex/patterns';
import type { HostProblem } from '../schema/address-fields';
import { show } from '../value/show';
import { type FlowError, flowError } from '../errors/flow-error';
import { factText, type FactText } from '../errors/rendered';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../schema/issue-texts';
import { issueAt, type SchemaIssue, issueFacts } from '../schema/issues';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import { findStepKind, looksRecordsUp, startsRuns, STEP_KINDS } from '../steps/kinds';
import type { CheckedEdge, CheckedStep } from './checked-steps';
import type { PipelineDefinition, StepDefinition } from './definition';
import { edgeFrame, MAX_STEPS, rootFrame, STEP_KEY, stepFrame } from './definition-frames';
import { checkHooks } from './hook-check';
import { adviceIssues, isErrorIssue, type Issue, issueAsJson, Issues, pathTo } from './issues';
import { readingInput } from './read-input';
import { adviseRetry, type RetriedStep } from './retry-advice';
import { sinkBatchIssues } from './sink-batch-size';
import {
    capabilitiesSchema,
    type ErrorHandling,
    errorHandlingSchema,
    type StepRetry,
    throughputSchema,
} from '../schema/settings';
import { type CheckKit, checkStepConfig } from './step-config';
import { graphIssues } from './validate';
import { watchedSourceIssues } from './watched-sources';

/** A checked definition, or why there is none. */
export interface CheckResult {
    /** Missing if one of the issues is an error. */
    readonly definition?: PipelineDefinition;
    readonly issues: readonly Issue[];
    /** The input as plain JSON, including its errors; missing if it is too large, too deep or not an object. */
    readonly written?: JsonObject;
}

/** How much of a definition is checked; anything beyond is an error that names the limit. */
export interface CheckLimits {
    /** Of all kinds: each step, edge, operator and argument is at least one. */
    readonly maxValues: number;
    /** Of one adapter, operator or rule. */
    readonly maxConfigValues: number;
    /** Different regular expressions. */
    readonly maxPatterns: number;
}

/** The limits of a check, and its target. */
export interface CheckScope extends CheckLimits {
    /** The shop; definitions outside of a shop are checked without it. */
    readonly platform?: unknown;
    /** Without it, hosts are not checked. */
    readonly hostProblem?: HostProblem;
    /** The definition does not come from the shop's code, so fields that only the shop's code may set are rejected. */
    readonly isStored?: boolean;
    /** A user has sent it for a trial: fields that reach parts of the server and that only the shop's code may set are rejected as well. */
    readonly isSent?: boolean;
}

const UNLIMITED: CheckScope = { maxValues: Infinity, maxConfigValues: Infinity, maxPatterns: Infinity };

/**
 * Checks a definition, given as JSON text or as an object, against everything that is known at publication. Reports all errors at once, including
 * those that only the shop can reveal, if it is given. The result keeps the steps' configurations as written (except for aliases) and completes the
 * settings.
 */
export function checkDefinition(
    input: unknown,
    registry: Registry,
    shop: Pick<CheckScope, 'platform' | 'hostProblem'> = {},
): CheckResult {
    return runAtOnce(checkingDefinition(input, registry, { ...UNLIMITED, ...shop }));
}

/**
 * Like `checkDefinition`, but yields between the parts, for callers that must not block others: the definition may be large and have many patterns.
 */
export function* checkingDefinition(
    input: unknown,
    registry: Registry,
    { maxValues, maxPatterns, ...scope }: CheckScope = UNLIMITED,
): YieldingTask<CheckResult> {
    const { value, issues } = yield* readingInput(input, maxValues);
    if (value === undefined) return { issues };
    const kit = { ...scope, registry, issues: new Issues(), patterns: new Patterns(maxPatterns) };
    kit.issues.add(...issues);
    const checked = yield* new DefinitionCheck(kit).run(value);
    return { written: value, ...checked };
}

/** As `checkDefinition`; throws DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues in the details. */
export function parseDefinition(input: unknown, registry: Registry): PipelineDefinition {
    return runAtOnce(parsingDefinition(input, registry));
}

/** Like `parseDefinition`, for callers that must not block others. */
export function* parsingDefinition(
    input: unknown,
    registry: Registry,
    { isStored = false }: Pick<CheckScope, 'isStored'> = {},
): YieldingTask<PipelineDefinition> {
    const { definition, issues } = yield* checkingDefinition(input, registry, { ...UNLIMITED, isStored });
    if (definition) return definition;
    throw definitionIssue(issues);
}

/** DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues in the details. */
export function definitionIssue(issues: readonly Issue[]): FlowError {
    const details = { issues: issues.map(issueAsJson) };
    const malformed = issues.find(({ code }) => code === 'DEFINITION_MALFORMED');
    if (malformed) return flowError('DEFINITION_MALFORMED', { problem: issueFacts([malformed]) }, { details });
    const faults = issues.filter(isErrorIssue);
    const count = faults.reduce((sum, { more = 1 }) => sum + more, 0);
    return flowError('DEFINITION_INVALID', { count, summary: summaryOf(faults, count) }, { details });
}

const SHOWN = 5;

function summaryOf(issues: readonly Issue[], count: number): readonly FactText[] {
    const listed = issueFacts(issues.slice(0, SHOWN));
    return count > SHOWN ? [...listed, factText(ISSUE_WORDS.more, { more: count - SHOWN })] : listed;
}

/** The ends of an edge can be checked even if it has unknown fields. */
const edgeEnds = edgeFrame.loose();

/** The steps for the definition; the graph also gets those with an error. */
interface Steps {
    readonly steps: readonly StepDefinition[];
    readonly checked: readonly CheckedStep[];
}

interface Place {
    readonly path: string;
    readonly stepKey: string | undefined;
}

class DefinitionCheck {
    private readonly issues: Issues;
    private errorHandling: ErrorHandling | undefined;
    private batchSize = Infinity;

    constructor(private readonly kit: CheckKit) {
        this.issues = kit.issues;
    }

    *run(input: JsonObject): YieldingTask<CheckResult> {
        this.issues.frame(rootFrame, input, { path: '' });
        if (input.version !== 1) {
            this.issues.add({ code: 'VERSION_UNSUPPORTED', ...notAllowed('version', input.version, 1) });
        }
        yield;
        const capabilities = this.settings(capabilitiesSchema, input, 'capabilities');
        const throughput = this.settings(throughputSchema, input, 'throughput');
        if (throughput) this.batchSize = throughput.batchSize;
        const errorHandling = this.settings(errorHandlingSchema, input, 'errorHandling');
        this.errorHandling = errorHandling;
        const hooks = yield* checkHooks(input.hooks, this.kit);
        const { steps, checked } = yield* this.steps(listOf(input.steps));
        const edges = yield* this.edges(listOf(input.edges));
        if (Array.isArray(input.steps) && input.steps.length <= MAX_STEPS)
            yield* graphIssues({ steps: checked, edges }, this.issues);
        const paths = new Map(checked.map(({ key, path }) => [key, path]));
        yield* watchedSourceIssues({ steps, paths, edges }, this.kit);
        this.patterns();
        const issues = this.issues.list;
        if (this.issues.hasFaults || !capabilities || !throughput || !errorHandling) return { issues };
        const plain = edges.map(({ from, to, branch }) => ({ from, to, ...(branch !== undefined && { branch }) }));
        return {
            issues,
            definition: { version: 1, steps, edges: plain, capabilities, throughput, errorHandling, hooks },
        };
    }

    private settings<S extends z.ZodObject>(schema: S, root: JsonObject, path: string): z.output<S> | undefined {
        return this.issues.frame(schema, root[path] === undefined ? {} : root[path], { path });
    }

    private patterns(): void {
        const { beyond, most } = this.kit.patterns;
        if (beyond === 0) return;
        const text = issueAt('', ISSUE_TEXTS.tooManyPatterns, { count: most + beyond, most });
        this.issues.add({ code: 'DEFINITION_TOO_LARGE', ...text });
    }

    private *steps(list: readonly JsonValue[]): YieldingTask<Steps> {
        if (list.length > MAX_STEPS) {
            const text = issueAt('steps', ISSUE_TEXTS.tooMany, { count: list.length, most: MAX_STEPS });
            this.issues.add({ code: 'STEPS_TOO_MANY', ...text });
        }
        const steps: StepDefinition[] = [];
        const checked = new Map<string, CheckedStep>();
        for (const [index, input] of list.slice(0, MAX_STEPS).entries()) {
            const step = yield* this.step(input, pathTo('steps', index), checked);
            if (step) steps.push(step);
            yield;
        }
        return { steps, checked: [...checked.values()] };
    }

    /** Undefined if too little of the step can be determined. */
    private *step(
        input: JsonValue,
        path: string,
        checked: Map<string, CheckedStep>,
    ): YieldingTask<StepDefinition | undefined> {
        const key = isJsonObject(input) && typeof input.key === 'string' ? input.key : undefined;
        const frame = this.issues.frame(stepFrame, input, { path, ...(key !== undefined && { stepKey: key }) });
        if (!isJsonObject(input)) return undefined;
        const kind = this.kind(input.kind, { path, stepKey: key });
        this.key(input.key, path, key === undefined ? undefined : checked.get(key));
        const given = isJsonObject(input.config) ? input.config : undefined;
        const config = given && (yield* checkStepConfig({ path, key, kind, config: given }, this.kit));
        if (config) this.issues.add(...sinkBatchIssues({ path, key, kind, config }, this.batchSize));
        if (frame?.retry) this.retry({ kind, config, retry: frame.retry }, { path, stepKey: key });
        if (key === undefined) return undefined;
        const type = typeof config?.type === 'string' ? config.type : undefined;
        const branches = findStepKind(kind)?.branches?.(config);
        const isDisabled = input.disabled === true || (startsRuns(kind) && config?.enabled === false);
        const looksUp = config !== undefined && looksRecordsUp(kind, config);
        if (!checked.has(key))
            checked.set(key, {
                key,
                kind: kind ?? 'UNKNOWN',
                path,
                type,
                ...(branches && { branches }),
                isDisabled,
                ...(looksUp && { looksUp }),
            });
        return config && kind && { ...withoutConfig(input), key, kind, config };
    }

    private retry(step: RetriedStep, { path, stepKey }: Place): void {
        const { registry } = this.kit;
        const advice = adviseRetry(step, { registry, maxRetries: this.errorHandling?.maxRetries });
        const at = { path: pathTo(path, 'retry'), ...(stepKey !== undefined && { stepKey }) };
        this.issues.add(...adviceIssues(advice, at));
    }

    private key(input: JsonValue | undefined, stepPath: string, first: CheckedStep | undefined): void {
        const path = pathTo(stepPath, 'key');
        if (typeof input !== 'string' || !STEP_KEY.test(input)) {
            this.issues.add({ code: 'STEP_KEY_INVALID', ...notAllowed(path, input, ISSUE_WORDS.stepKey) });
        } else if (Object.hasOwn(Object.prototype, input)) {
            const facts = { value: show(input), example: show(`${input}-step`) };
            const text = issueAt(path, ISSUE_TEXTS.inheritedKey, facts);
            this.issues.add({ code: 'STEP_KEY_INVALID', stepKey: input, ...text });
        } else if (first) {
            const text = issueAt(path, ISSUE_TEXTS.repeatedKey, { value: show(input), first: first.path });
            this.issues.add({ code: 'STEP_KEY_DUPLICATE', stepKey: input, ...text });
        }
    }

    private kind(input: JsonValue | undefined, step: Place): StepDefinition['kind'] | undefined {
        if (isStepKind(input)) return input;
        const path = pathTo(step.path, 'kind');
        const known = STEP_KINDS.join(', ');
        const text =
            input === undefined
                ? issueAt(path, ISSUE_TEXTS.missingKnown, { known })
                : issueAt(path, ISSUE_TEXTS.invalidKnown, { value: show(input), known });
        this.issues.add({
            code: 'STEP_KIND_UNKNOWN',
            ...(step.stepKey !== undefined && { stepKey: step.stepKey }),
            ...text,
        });
        return undefined;
    }

    private *edges(list: readonly JsonValue[]): YieldingTask<readonly CheckedEdge[]> {
        const edges: CheckedEdge[] = [];
        for (const [index, input] of list.entries()) {
            const path = pathTo('edges', index);
            const whole = this.issues.frame(edgeFrame, input, { path });
            const ends = whole ?? edgeEnds.safeParse(input).data;
            if (ends) edges.push({ from: ends.from, to: ends.to, branch: ends.branch, path });
            yield;
        }
        return edges;
    }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function notAllowed(path: string, value: JsonValue | undefined, allowed: string | number): SchemaIssue {
    if (value === undefined) return issueAt(path, ISSUE_TEXTS.missing, { allowed });
    return issueAt(path, ISSUE_TEXTS.invalid, { value: show(value), allowed });
}

function isStepKind(value: unknown): value is StepDefinition['kind'] {
    return findStepKind(value) !== undefined;
}

/** The fields of a step in addition to key, kind and configuration. */
function withoutConfig({ name, disabled, retry }: JsonObject): Pick<StepDefinition, 'name' | 'disabled' | 'retry'> {
    return {
        ...(typeof name === 'string' && { name }),
        ...(typeof disabled === 'boolean' && { disabled }),
        // Either it is a valid retry, or its error prevents the definition from being built.
        ...(isJsonObject(retry) && { retry: retry as StepRetry }),
    };
}
