import type { z } from 'zod';
import type { AdapterDefinition } from '../adapter/definition';
import type { Operator } from '../adapter/operator';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import type { Patterns } from '../data/regex/patterns';
import { show } from '../value/show';
import { firstFaults, type Verdict } from '../schema/first-faults';
import { callFrame, fieldsOfCalls, puttingCalls, transformFrame } from '../schema/operator-calls';
import type { Work } from '../work/work';
import type { StepKind } from './definition';
import { puttingRealEnumValues } from './enum-aliases';
import { adviceIssues, configIssues, type Issues, pathTo } from './issues';
import { adviseRoute, routeConfig } from './route-config';
import { ruleFrame, validateFrame } from './validate-config';
import { isSmallEnough } from './value-count';

/** The trigger types of spec 1, rule 3, those that do not run yet included. */
export const TRIGGER_TYPES = ['MANUAL', 'SCHEDULE', 'WEBHOOK', 'EVENT', 'FILE', 'MESSAGE'] as const;

/** The kinds that can be executed; the others are STEP_KIND_UNSUPPORTED (spec 4, "step kinds that are not executable yet"). */
export const EXECUTABLE_KINDS = [
    'TRIGGER',
    'EXTRACT',
    'TRANSFORM',
    'VALIDATE',
    'ROUTE',
    'LOAD',
] as const satisfies readonly StepKind[];

/** A step whose key and kind have been read. */
export interface ConfiguredStep {
    readonly path: string;
    readonly key: string | undefined;
    readonly kind: string | undefined;
    readonly config: JsonObject;
}

/** So many operators may stand one within another. */
const MAX_NESTING = 4;

/** What a definition is checked with and for. */
export interface CheckKit {
    readonly registry: Registry;
    readonly issues: Issues;
    readonly patterns: Patterns;
    /** So many values may one configuration have: a schema looks at all of them in one stretch. */
    readonly maxConfigValues: number;
}

/** Checks a step's configuration against its adapter; answers it with aliases replaced and without defaults. */
export function* checkStepConfig(step: ConfiguredStep, kit: CheckKit): Work<JsonObject> {
    const check = new ConfigCheck(step, kit);
    switch (step.kind) {
        case 'TRIGGER':
            return yield* check.trigger();
        case 'EXTRACT':
            return yield* check.adapter('extractor');
        case 'LOAD':
            return yield* check.adapter('loader');
        case 'TRANSFORM':
            return yield* check.transform();
        case 'VALIDATE':
            return yield* check.validate();
        case 'ROUTE':
            return yield* check.route();
        default:
            return step.config;
    }
}

/** Where calls stand, and within how many operators. */
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
type Configured = Pick<AdapterDefinition, 'config' | 'advise'>;

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

    *trigger(): Work<JsonObject> {
        const { type, ...own } = this.step.config;
        if (
            typeof type === 'string' &&
            !this.registry.find('trigger', type) &&
            (TRIGGER_TYPES as readonly string[]).includes(type)
        ) {
            const path = pathTo(this.path, 'type');
            const available = this.registry
                .list('trigger')
                .map(({ code }) => code)
                .join(', ');
            const message = `${path} is ${show(type)}; triggers of this type are not available yet, available: ${available}`;
            this.issues.add({ code: 'STEP_KIND_UNSUPPORTED', path, ...this.where(), message });
            return this.step.config;
        }
        const trigger = this.find('trigger', 'type');
        if (!trigger) return this.step.config;
        return { type: trigger.code, ...(yield* this.parse(trigger, own, this.path)) };
    }

    *adapter(kind: 'extractor' | 'loader'): Work<JsonObject> {
        const adapter = this.find(kind, 'adapterCode');
        if (!adapter) return this.step.config;
        const { adapterCode: _code, ...own } = this.step.config;
        return { adapterCode: adapter.code, ...(yield* this.parse(adapter, own, this.path)) };
    }

    *transform(): Work<JsonObject> {
        const { config } = this.step;
        this.frame(transformFrame, config, this.path);
        return yield* puttingCalls(['operators'], config, ({ call, path }) => {
            const at = pathTo(this.path, path);
            this.frame(callFrame, call, at);
            return this.operator(call, { path: at, depth: 0 });
        });
    }

    *validate(): Work<JsonObject> {
        const { rules, ...rest } = yield* this.parse({ config: validateFrame }, this.step.config, this.path);
        if (!Array.isArray(rules)) return this.step.config;
        const path = pathTo(this.path, 'rules');
        const checked: JsonValue[] = [];
        for (const [index, call] of (rules as readonly JsonValue[]).entries()) {
            checked.push(yield* this.rule(call, pathTo(path, index)));
            yield;
        }
        return { ...rest, rules: checked };
    }

    route(): Work<JsonObject> {
        return this.parse({ config: routeConfig, advise: adviseRoute }, this.step.config, this.path);
    }

    private *rule(call: JsonValue, path: string): Work<JsonValue> {
        this.frame(ruleFrame, call, path);
        if (!isJsonObject(call) || typeof call.type !== 'string') return call;
        const rule = this.registry.find('rule', call.type);
        if (!rule) {
            this.unknown({ kind: 'rule', code: call.type, path: pathTo(path, 'type') });
            return call;
        }
        if (!isJsonObject(call.spec)) return call;
        return { type: rule.code, spec: yield* this.parse(rule, call.spec, pathTo(path, 'spec')) };
    }

    /** The calls that an operator's arguments hold; their frames have been judged as parts of them. */
    private calls(schema: z.ZodObject, args: JsonObject, { path, depth }: Level): Work<JsonObject> {
        return puttingCalls(fieldsOfCalls(schema), args, ({ call, path: at }) =>
            this.operator(call, { path: pathTo(path, at), depth }),
        );
    }

    private *operator(call: JsonValue, { path, depth }: Level): Work<JsonValue> {
        // A call with a fault of its own may still name an operator whose arguments can be judged.
        if (!isJsonObject(call) || typeof call.op !== 'string') return call;
        const args = call.args ?? {};
        const operator = this.registry.find('operator', call.op);
        if (!operator) {
            this.unknown({ kind: 'operator', code: call.op, path: pathTo(path, 'op') });
            return call;
        }
        if (depth > 0 && (operator.form !== 'record' || depth > MAX_NESTING)) {
            const at = pathTo(path, 'op');
            this.issues.tell(() => ({
                code: 'CONFIG_INVALID',
                path: at,
                ...this.where(),
                message: `${at} is ${this.innerProblem(operator, depth)}`,
            }));
        }
        if (!isJsonObject(args) || depth > MAX_NESTING) return call;
        const argsPath = pathTo(path, 'args');
        const real = yield* this.parse(operator, args, argsPath);
        const inner = yield* this.calls(operator.config, real, { path: argsPath, depth: depth + 1 });
        return { op: operator.code, args: inner };
    }

    /** Why an operator may not work within another one, as the end of "… is". */
    private innerProblem({ code, form }: Operator, depth: number): string {
        if (form === 'record')
            return `${show(code)} within ${depth} others; allowed: at most ${MAX_NESTING} levels of operators within operators`;
        const allowed = this.registry.list('operator').filter(other => other.form === 'record');
        const codes = allowed.map(other => other.code).join(', ');
        return `${show(code)}, which works on whole batches; allowed: operators that work on one record at a time: ${codes}`;
    }

    private frame(schema: z.ZodObject, call: JsonValue, path: string): void {
        this.faults(firstFaults(schema, call, this.issues.room), { input: call, schema, path });
    }

    /** The value with real enum values; its faults go to the issues. What the schema would add is left out. */
    private *parse({ config: schema, advise }: Configured, value: JsonObject, path: string): Work<JsonObject> {
        const { issues, kit } = this;
        const place = { path, ...this.where() };
        if (!(yield* isSmallEnough(value, place, kit))) return value;
        const real = (yield* puttingRealEnumValues(schema, value)) as JsonObject;
        yield;
        const verdict = yield* kit.patterns.read(() => firstFaults(schema, real, issues.room));
        if (!verdict.ok) this.faults(verdict, { input: real, schema, path });
        else if (advise) issues.add(...adviceIssues(advise(verdict.value), place));
        return real;
    }

    private faults(
        verdict: Verdict<unknown>,
        checked: { readonly input: JsonValue; readonly schema: z.ZodObject; readonly path: string },
    ): void {
        if (verdict.ok) return;
        this.issues.add(...configIssues(verdict.faults, { ...checked, ...this.where() }));
        this.issues.count(verdict.more);
    }

    private find<K extends 'trigger' | 'extractor' | 'loader'>(kind: K, field: string): AdapterDefinition | undefined {
        const code = this.step.config[field];
        const path = pathTo(this.path, field);
        if (typeof code === 'string') {
            const adapter = this.registry.find(kind, code);
            if (!adapter) this.unknown({ kind, code, path });
            return adapter;
        }
        const stated = code === undefined ? 'missing' : show(code);
        const message = `${path} is ${stated}; allowed: the code of ${kind === 'extractor' ? 'an' : 'a'} ${kind}`;
        this.issues.add({ code: 'CONFIG_INVALID', path, ...this.where(), message });
        return undefined;
    }

    private unknown({ kind, code, path }: Unknown): void {
        this.issues.tell(() => {
            const message = `No ${kind} has the code ${show(code)}. ${this.registry.hint(kind, code.slice(0, 64))}`;
            return { code: 'ADAPTER_NOT_FOUND', path, ...this.where(), message };
        });
    }

    private where(): { readonly stepKey?: string } {
        return this.step.key === undefined ? {} : { stepKey: this.step.key };
    }
}
