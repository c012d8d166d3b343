import type { z } from 'zod';
import type { AdapterDefinition } from '../adapter/definition';
import type { Operator } from '../adapter/operator';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import type { Patterns } from '../data/regex/patterns';
import { show } from '../value/show';
import { blockedAddresses, findingAddresses, type HostProblem } from '../schema/address-fields';
import { firstIssues, type FieldVerdict } from '../schema/first-issues';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../schema/issue-texts';
import { issueAt, type SchemaIssue } from '../schema/issues';
import { codeFirstFieldsOf } from '../schema/code-fields';
import { fieldsOfCalls, puttingCalls } from '../schema/operator-calls';
import { findStepKind } from '../steps/kinds';
import type { AdapterCalls, OneAdapter, StepKindDeclaration } from '../steps/kinds/step-kind';
import type { YieldingTask } from '../concurrency/yielding-task';
import { puttingRealEnumValues } from './enum-aliases';
import { advisePaths } from '../adapter/path-advice';
import { adviceIssues, configIssues, type Issues, missingInShopIssues, pathTo } from './issues';
import { isSmallEnough } from './value-count';

/** A step whose key and kind have been read. */
interface ConfiguredStep {
    readonly path: string;
    readonly key: string | undefined;
    readonly kind: string | undefined;
    readonly config: JsonObject;
}

/** The maximum nesting depth of operators. */
const MAX_NESTING = 4;

/** What a definition is checked with and for. */
export interface CheckKit {
    readonly registry: Registry;
    readonly issues: Issues;
    readonly patterns: Patterns;
    /** The maximum number of values in one configuration: a schema checks all of them in one stretch. */
    readonly maxConfigValues: number;
    /** The context for `judge` of adapters; undefined if there is no shop. */
    readonly platform?: unknown;
    /** Without it, hosts are not checked. */
    readonly hostProblem?: HostProblem | undefined;
    /** The definition does not come from the shop's code. */
    readonly isStored?: boolean | undefined;
    /** A user has sent it. */
    readonly isSent?: boolean | undefined;
}

/**
 * Checks a step's configuration against its kind and adapters, and returns it with aliases replaced and without defaults. A configuration of an
 * unknown kind is not checked: the kind is an error of the step, which makes the definition unusable.
 */
export function* checkStepConfig(step: ConfiguredStep, kit: CheckKit): YieldingTask<JsonObject> {
    const kind = findStepKind(step.kind);
    if (!kind) return step.config;
    const check = new ConfigCheck(step, kit);
    switch (kind.adapters.form) {
        case 'one':
            return yield* check.adapter(kind.adapters);
        case 'calls':
            return yield* check.calls(kind, kind.adapters);
        case 'none':
            return yield* check.frame(kind);
    }
}

/** The path of calls, and the number of operators around them. */
interface Level {
    readonly path: string;
    readonly depth: number;
}

interface Unknown {
    readonly kind: AdapterDefinition['kind'];
    readonly code: string;
    readonly path: string;
}

/** What has a configuration: an adapter, or the frame of a step. */
interface Configured extends Pick<AdapterDefinition, 'config' | 'advise' | 'judge' | 'onlyInCode'> {
    /** Fields that are checked with the others, but whose values are neither counted nor normalised here. */
    readonly apart?: JsonObject;
}

/** How a call is written. */
type CallShape = Pick<AdapterCalls, 'kind' | 'code' | 'value' | 'absent'>;

/** The kinds of adapters that a whole step may belong to. */
const CODE_OF: Readonly<Partial<Record<OneAdapter['kind'], string>>> = {
    trigger: ISSUE_WORDS.codeOfTrigger,
    extractor: ISSUE_WORDS.codeOfExtractor,
    loader: ISSUE_WORDS.codeOfLoader,
    sink: ISSUE_WORDS.codeOfSink,
};

const OPERATOR_CALL: CallShape = { kind: 'operator', code: 'op', value: 'args', absent: {} };

class ConfigCheck {
    private readonly path: string;

    private readonly registry: Registry;
    private readonly issues: Issues;

    constructor(
        private readonly step: ConfiguredStep,
        private readonly kit: CheckKit,
    ) {
        this.path = pathTo(step.path, 'config');
        this.registry = kit.registry;
        this.issues = kit.issues;
    }

    /** The step is one adapter's. */
    *adapter(named: OneAdapter): YieldingTask<JsonObject> {
        const { config } = this.step;
        const adapter = this.find(named, config[named.field]);
        if (!adapter) return config;
        const { [named.field]: _code, ...own } = config;
        return { [named.field]: adapter.code, ...(yield* this.parse(adapter, own, this.path)) };
    }

    /** The step calls adapters. Its own fields are checked without the content of the calls, which may be large. */
    *calls(kind: StepKindDeclaration, shape: AdapterCalls): YieldingTask<JsonObject> {
        const { [shape.list]: list, ...rest } = this.step.config;
        const apart = list === undefined ? {} : { [shape.list]: list };
        const real = yield* this.parse({ ...framed(kind), apart }, rest, this.path);
        if (!Array.isArray(list)) return this.step.config;
        const path = pathTo(this.path, shape.list);
        const checked: JsonValue[] = [];
        for (const [index, call] of (list as readonly JsonValue[]).entries()) {
            const at = pathTo(path, index);
            this.judge(shape.frame, call, at);
            checked.push(yield* this.call(call, shape, { path: at, depth: 0 }));
            yield;
        }
        return { ...real, [shape.list]: checked };
    }

    /** The step has only fields of its kind. */
    frame(kind: StepKindDeclaration): YieldingTask<JsonObject> {
        return this.parse(framed(kind), this.step.config, this.path);
    }

    /** A call with an error may still name an adapter whose part can be checked. */
    private *call(call: JsonValue, shape: CallShape, { path, depth }: Level): YieldingTask<JsonValue> {
        const code = isJsonObject(call) ? call[shape.code] : undefined;
        if (!isJsonObject(call) || typeof code !== 'string') return call;
        const value = call[shape.value] ?? shape.absent;
        const adapter = this.registry.find(shape.kind, code);
        if (!adapter) {
            this.unknown({ kind: shape.kind, code, path: pathTo(path, shape.code) });
            return call;
        }
        if (depth > 0 && adapter.kind === 'operator') this.checkDepth(adapter, pathTo(path, shape.code), depth);
        if (value === undefined || !isJsonObject(value) || depth > MAX_NESTING) return call;
        const at = pathTo(path, shape.value);
        const real = yield* this.parse(adapter, value, at);
        // The frames of the inner calls have been checked as parts of it.
        const whole = yield* puttingCalls(fieldsOfCalls(adapter.config), real, inner =>
            this.call(inner.call, OPERATOR_CALL, { path: pathTo(at, inner.path), depth: depth + 1 }),
        );
        return { [shape.code]: adapter.code, [shape.value]: whole };
    }

    private checkDepth(operator: Operator, path: string, depth: number): void {
        if (operator.form === 'record' && depth <= MAX_NESTING) return;
        this.issues.addLazily(() => ({
            code: 'CONFIG_INVALID',
            ...this.where(),
            ...this.innerIssue(operator, path, depth),
        }));
    }

    /** Why an operator is not allowed within another one. */
    private innerIssue({ code, form }: Operator, path: string, depth: number): SchemaIssue {
        const value = show(code);
        if (form === 'record') return issueAt(path, ISSUE_TEXTS.tooNested, { value, depth, most: MAX_NESTING });
        const allowed = this.registry.list('operator').filter(other => other.form === 'record');
        return issueAt(path, ISSUE_TEXTS.batchOperator, {
            value,
            allowed: allowed.map(other => other.code).join(', '),
        });
    }

    private judge(schema: z.ZodObject, call: JsonValue, path: string): void {
        this.faults(firstIssues(schema, call, this.issues.room), { input: call, schema, path });
    }

    /** Returns the value with actual enum values, and adds its errors to the issues. Omits what the schema would add. */
    private *parse(configured: Configured, value: JsonObject, path: string): YieldingTask<JsonObject> {
        const { config: schema, advise, judge, onlyInCode, apart } = configured;
        const { issues, kit } = this;
        const place = { path, ...this.where() };
        if (!(yield* isSmallEnough(value, place, kit))) return value;
        if (kit.isStored) this.refuseCodeFirst(schema, value, path);
        const real = (yield* puttingRealEnumValues(schema, value)) as JsonObject;
        yield;
        const input = { ...real, ...apart };
        const outcome = yield* kit.patterns.read(() => firstIssues(schema, input, issues.room));
        if (!outcome.ok) this.faults(outcome, { input, schema, path });
        else {
            issues.add(...adviceIssues(advisePaths(schema, real), place));
            if (advise) issues.add(...adviceIssues(advise(outcome.value), place));
            if (judge && kit.platform !== undefined)
                issues.add(...missingInShopIssues(judge(outcome.value, kit.platform), place));
            if (kit.hostProblem) {
                const gaps = blockedAddresses(yield* findingAddresses(schema, real), kit.hostProblem);
                issues.add(...missingInShopIssues(gaps, place));
            }
            if (onlyInCode && (kit.isStored || kit.isSent))
                issues.add(...missingInShopIssues(onlyInCode(outcome.value), place));
        }
        return real;
    }

    private refuseCodeFirst(schema: z.ZodObject, value: JsonObject, at: string): void {
        for (const name of codeFirstFieldsOf(schema)) {
            if (!Object.hasOwn(value, name)) continue;
            const text = issueAt(pathTo(at, name), ISSUE_TEXTS.onlyInCode, {});
            this.issues.add({ code: 'CONFIG_INVALID', ...this.where(), ...text });
        }
    }

    private faults(
        outcome: FieldVerdict<unknown>,
        checked: { readonly input: JsonValue; readonly schema: z.ZodObject; readonly path: string },
    ): void {
        if (outcome.ok) return;
        this.issues.add(...configIssues(outcome.faults, { ...checked, ...this.where() }));
        this.issues.count(outcome.more);
    }

    private find(
        { kind, field, planned = [] }: OneAdapter,
        code: JsonValue | undefined,
    ): AdapterDefinition | undefined {
        const path = pathTo(this.path, field);
        if (typeof code !== 'string') {
            const allowed = CODE_OF[kind] ?? kind;
            const text =
                code === undefined
                    ? issueAt(path, ISSUE_TEXTS.missing, { allowed })
                    : issueAt(path, ISSUE_TEXTS.invalid, { value: show(code), allowed });
            this.issues.add({ code: 'CONFIG_INVALID', ...this.where(), ...text });
            return undefined;
        }
        const adapter = this.registry.find(kind, code);
        if (!adapter && planned.includes(code)) {
            const known = this.registry.list(kind) as readonly AdapterDefinition[];
            const available = known.map(other => other.code).join(', ');
            const text = issueAt(path, ISSUE_TEXTS.planned, { value: show(code), kind, field, available });
            this.issues.add({ code: 'STEP_KIND_UNSUPPORTED', ...this.where(), ...text });
        } else if (!adapter) this.unknown({ kind, code, path });
        return adapter;
    }

    private unknown({ kind, code, path }: Unknown): void {
        this.issues.addLazily(() => {
            const facts = { kind, code: show(code), hint: this.registry.hint(kind, code.slice(0, 64)) };
            return { code: 'ADAPTER_NOT_FOUND', ...this.where(), ...issueAt(path, ISSUE_TEXTS.noSuchAdapter, facts) };
        });
    }

    private where(): { readonly stepKey?: string } {
        return this.step.key === undefined ? {} : { stepKey: this.step.key };
    }
}

function framed(kind: StepKindDeclaration): Configured {
    return { config: kind.frame, advise: config => kind.advise?.(config) ?? [] };
}
