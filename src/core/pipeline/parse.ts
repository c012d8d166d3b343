import type { z } from 'zod';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../data/json';
import { show } from '../data/show';
import { type FlowError, flowError } from '../errors/flow-error';
import { type PipelineDefinition, STEP_KINDS, type StepDefinition } from './definition';
import { checkHooks } from './hook-check';
import { edgeFrame, MAX_STEPS, rootFrame, STEP_KEY, stepFrame } from './frames';
import { frameIssues, isFault, type Issue, issueAsJson, Issues, pathTo } from './issues';
import { readInput } from './read-input';
import { branchesOf } from './route-config';
import { capabilitiesSchema, errorHandlingSchema, throughputSchema } from './settings';
import { checkStepConfig, EXECUTABLE_KINDS } from './step-config';
import { type CheckedEdge, type CheckedStep, graphIssues } from './validate';

/** A checked definition, or why there is none. */
export interface CheckResult {
    /** Missing where one of the issues is a fault. */
    readonly definition?: PipelineDefinition;
    readonly issues: readonly Issue[];
    /** What was written, faults included, as plain JSON; missing where it is too large, too deep or no object. */
    readonly written?: JsonObject;
}

/**
 * Checks a definition, given as JSON text or as an object, against everything that is known at publication, and reports all
 * faults at once. The answer keeps what was written in the steps' configurations (aliases apart) and completes the settings.
 */
export function checkDefinition(input: unknown, registry: Registry): CheckResult {
    const { value, issues } = readInput(input);
    return value === undefined ? { issues } : { written: value, ...new DefinitionCheck(registry, issues).run(value) };
}

/** As `checkDefinition`; throws DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues in the details. */
export function parseDefinition(input: unknown, registry: Registry): PipelineDefinition {
    const { definition, issues } = checkDefinition(input, registry);
    if (definition) return definition;
    throw definitionFault(issues);
}

/** DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues in the details. */
export function definitionFault(issues: readonly Issue[]): FlowError {
    const details = { issues: issues.map(issueAsJson) };
    const malformed = issues.find(({ code }) => code === 'DEFINITION_MALFORMED');
    if (malformed) return flowError('DEFINITION_MALFORMED', { problem: malformed.message }, { details });
    const faults = issues.filter(isFault);
    return flowError('DEFINITION_INVALID', { count: faults.length, summary: summaryOf(faults) }, { details });
}

const TOLD = 5;

function summaryOf(issues: readonly Issue[]): string {
    const told = issues
        .slice(0, TOLD)
        .map(({ message }) => message)
        .join('; ');
    return issues.length > TOLD ? `${told}; and ${issues.length - TOLD} more` : told;
}

/** What an edge joins can be judged even where it has a field too many. */
const edgeEnds = edgeFrame.loose();

/** The steps for the definition, and for the graph also those that have a fault. */
interface Steps {
    readonly steps: readonly StepDefinition[];
    readonly checked: readonly CheckedStep[];
}

interface Place {
    readonly path: string;
    readonly stepKey?: string;
}

class DefinitionCheck {
    private readonly issues = new Issues();

    constructor(
        private readonly registry: Registry,
        before: readonly Issue[],
    ) {
        this.issues.add(...before);
    }

    run(input: JsonObject): CheckResult {
        this.frame(rootFrame, input, { path: '' });
        if (input.version !== 1) {
            const stated = input.version === undefined ? 'missing' : show(input.version);
            this.issues.add({
                code: 'VERSION_UNSUPPORTED',
                path: 'version',
                message: `version is ${stated}; allowed: 1`,
            });
        }
        const capabilities = this.settings(capabilitiesSchema, input, 'capabilities');
        const throughput = this.settings(throughputSchema, input, 'throughput');
        const errorHandling = this.settings(errorHandlingSchema, input, 'errorHandling');
        const hooks = checkHooks(input.hooks, this.registry, this.issues);
        const { steps, checked } = this.steps(listOf(input.steps));
        const edges = this.edges(listOf(input.edges));
        if (Array.isArray(input.steps) && input.steps.length <= MAX_STEPS)
            this.issues.add(...graphIssues(checked, edges));
        const issues = this.issues.list;
        if (this.issues.hasFaults || !capabilities || !throughput || !errorHandling) return { issues };
        const plain = edges.map(({ from, to, branch }) => ({ from, to, ...(branch !== undefined && { branch }) }));
        return {
            issues,
            definition: { version: 1, steps, edges: plain, capabilities, throughput, errorHandling, hooks },
        };
    }

    /** Reports where a value does not have the outer form that it must have. */
    private frame(schema: z.ZodObject, input: unknown, place: Place): void {
        const result = schema.safeParse(input);
        if (!result.success) this.issues.add(...frameIssues(result.error, { input, schema, ...place }));
    }

    private settings<S extends z.ZodObject>(schema: S, root: JsonObject, path: string): z.output<S> | undefined {
        const input = root[path] === undefined ? {} : root[path];
        const result = schema.safeParse(input);
        if (result.success) return result.data;
        this.issues.add(...frameIssues(result.error, { input, schema, path }));
        return undefined;
    }

    private steps(list: readonly JsonValue[]): Steps {
        if (list.length > MAX_STEPS) {
            const message = `steps has ${list.length} elements; allowed: at most ${MAX_STEPS}`;
            this.issues.add({ code: 'STEPS_TOO_MANY', path: 'steps', message });
        }
        const steps: StepDefinition[] = [];
        const checked = new Map<string, CheckedStep>();
        list.slice(0, MAX_STEPS).forEach((input, index) => {
            const path = pathTo('steps', index);
            const key = isJsonObject(input) && typeof input.key === 'string' ? input.key : undefined;
            this.frame(stepFrame, input, { path, stepKey: key });
            if (!isJsonObject(input)) return;
            const kind = this.kind(input.kind, { path, stepKey: key });
            this.key(input.key, path, key === undefined ? undefined : checked.get(key));
            const given = isJsonObject(input.config) ? input.config : undefined;
            const config = given && checkStepConfig({ path, key, kind, config: given }, this.registry, this.issues);
            if (key === undefined) return;
            const type = typeof config?.type === 'string' ? config.type : undefined;
            const branches = kind === 'ROUTE' ? branchesOf(config) : undefined;
            const isDisabled = input.disabled === true;
            if (!checked.has(key))
                checked.set(key, {
                    key,
                    kind: kind ?? 'UNKNOWN',
                    path,
                    type,
                    ...(branches && { branches }),
                    isDisabled,
                });
            if (config && kind) steps.push({ ...withoutConfig(input), key, kind, config });
        });
        return { steps, checked: [...checked.values()] };
    }

    private key(input: JsonValue | undefined, stepPath: string, first: CheckedStep | undefined): void {
        const path = pathTo(stepPath, 'key');
        if (typeof input !== 'string' || !STEP_KEY.test(input)) {
            const stated = input === undefined ? 'missing' : show(input);
            const message = `${path} is ${stated}; allowed: 1 to 64 letters, digits, hyphens and underscores`;
            this.issues.add({ code: 'STEP_KEY_INVALID', path, message });
        } else if (Object.hasOwn(Object.prototype, input)) {
            const message = `${path} is ${show(input)}, a name that every JavaScript object has of its own; allowed: any other, such as ${show(`${input}-step`)}`;
            this.issues.add({ code: 'STEP_KEY_INVALID', path, stepKey: input, message });
        } else if (first) {
            const message = `${path} is ${show(input)}, which is the key of ${first.path} already; every step has a key of its own`;
            this.issues.add({ code: 'STEP_KEY_DUPLICATE', path, stepKey: input, message });
        }
    }

    private kind(input: JsonValue | undefined, step: Place): StepDefinition['kind'] | undefined {
        const path = pathTo(step.path, 'kind');
        const where = { path, ...(step.stepKey !== undefined && { stepKey: step.stepKey }) };
        if (!isStepKind(input)) {
            const stated = input === undefined ? 'missing' : show(input);
            const message = `${path} is ${stated}; known: ${STEP_KINDS.join(', ')}`;
            this.issues.add({ code: 'STEP_KIND_UNKNOWN', ...where, message });
            return undefined;
        }
        if (!(EXECUTABLE_KINDS as readonly string[]).includes(input)) {
            const available = EXECUTABLE_KINDS.join(', ');
            const message = `${path} is ${show(input)}; steps of this kind are not available yet, available: ${available}`;
            this.issues.add({ code: 'STEP_KIND_UNSUPPORTED', ...where, message });
        }
        return input;
    }

    private edges(list: readonly JsonValue[]): readonly CheckedEdge[] {
        return list.flatMap((input, index) => {
            if (this.issues.full) return [];
            const path = pathTo('edges', index);
            this.frame(edgeFrame, input, { path });
            const parsed = edgeEnds.safeParse(input);
            return parsed.success
                ? [{ from: parsed.data.from, to: parsed.data.to, branch: parsed.data.branch, path }]
                : [];
        });
    }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function isStepKind(value: unknown): value is StepDefinition['kind'] {
    return (STEP_KINDS as readonly unknown[]).includes(value);
}

/** What a step has beside key, kind and configuration. */
function withoutConfig({ name, disabled }: JsonObject): Pick<StepDefinition, 'name' | 'disabled'> {
    return { ...(typeof name === 'string' && { name }), ...(typeof disabled === 'boolean' && { disabled }) };
}
