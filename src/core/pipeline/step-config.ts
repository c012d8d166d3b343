import type { z } from 'zod';
import type { AdapterDefinition } from '../adapter/definition';
import type { Operator } from '../adapter/operator';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../data/json';
import { show } from '../data/show';
import { transformConfig, withCalls } from '../schema/operator-calls';
import type { StepKind } from './definition';
import { withRealEnumValues } from './enum-aliases';
import { adviceIssues, configIssues, type Issues, pathTo } from './issues';
import { adviseRoute, routeConfig } from './route-config';
import { ruleFrame, validateFrame } from './validate-config';

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

/** Checks a step's configuration against its adapter; answers it with aliases replaced and without defaults. */
export function checkStepConfig(step: ConfiguredStep, registry: Registry, issues: Issues): JsonObject {
    const check = new ConfigCheck(step, registry, issues);
    switch (step.kind) {
        case 'TRIGGER':
            return check.trigger();
        case 'EXTRACT':
            return check.adapter('extractor');
        case 'LOAD':
            return check.adapter('loader');
        case 'TRANSFORM':
            return check.transform();
        case 'VALIDATE':
            return check.validate();
        case 'ROUTE':
            return check.route();
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

    constructor(
        private readonly step: ConfiguredStep,
        private readonly registry: Registry,
        private readonly issues: Issues,
    ) {
        this.path = pathTo(step.path, 'config');
    }

    trigger(): JsonObject {
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
        return { type: trigger.code, ...this.parse(trigger, own, this.path) };
    }

    adapter(kind: 'extractor' | 'loader'): JsonObject {
        const adapter = this.find(kind, 'adapterCode');
        if (!adapter) return this.step.config;
        const { adapterCode: _code, ...own } = this.step.config;
        return { adapterCode: adapter.code, ...this.parse(adapter, own, this.path) };
    }

    transform(): JsonObject {
        const real = this.parse({ config: transformConfig }, this.step.config, this.path);
        return this.calls(transformConfig, real, { path: this.path, depth: 0 });
    }

    validate(): JsonObject {
        const { rules, ...rest } = this.parse({ config: validateFrame }, this.step.config, this.path);
        if (!Array.isArray(rules)) return this.step.config;
        const path = pathTo(this.path, 'rules');
        return { ...rest, rules: rules.map((call: JsonValue, index) => this.rule(call, pathTo(path, index))) };
    }

    route(): JsonObject {
        return this.parse({ config: routeConfig, advise: adviseRoute }, this.step.config, this.path);
    }

    private rule(call: JsonValue, path: string): JsonValue {
        if (this.issues.full) return call;
        this.frame(ruleFrame, call, path);
        if (!isJsonObject(call) || typeof call.type !== 'string') return call;
        const rule = this.registry.find('rule', call.type);
        if (!rule) {
            this.unknown({ kind: 'rule', code: call.type, path: pathTo(path, 'type') });
            return call;
        }
        if (!isJsonObject(call.spec)) return call;
        return { type: rule.code, spec: this.parse(rule, call.spec, pathTo(path, 'spec')) };
    }

    /** The calls that a configuration holds; their frames have been judged as parts of it. */
    private calls(schema: z.ZodObject, config: JsonObject, { path, depth }: Level): JsonObject {
        return withCalls(schema, config, ({ call, path: at }) =>
            this.operator(call, { path: pathTo(path, at), depth }),
        );
    }

    private operator(call: JsonValue, { path, depth }: Level): JsonValue {
        // A call with a fault of its own may still name an operator whose arguments can be judged.
        if (this.issues.full || !isJsonObject(call) || typeof call.op !== 'string') return call;
        const args = call.args ?? {};
        const operator = this.registry.find('operator', call.op);
        if (!operator) {
            this.unknown({ kind: 'operator', code: call.op, path: pathTo(path, 'op') });
            return call;
        }
        const problem = depth === 0 ? undefined : this.innerProblem(operator, depth);
        if (problem !== undefined) {
            const at = pathTo(path, 'op');
            this.issues.add({ code: 'CONFIG_INVALID', path: at, ...this.where(), message: `${at} is ${problem}` });
        }
        if (!isJsonObject(args) || depth > MAX_NESTING) return call;
        const argsPath = pathTo(path, 'args');
        const real = this.parse(operator, args, argsPath);
        return { op: operator.code, args: this.calls(operator.config, real, { path: argsPath, depth: depth + 1 }) };
    }

    /** Why an operator may not work within another one, as the end of "… is". */
    private innerProblem({ code, form }: Operator, depth: number): string | undefined {
        if (form === 'record')
            return depth > MAX_NESTING
                ? `${show(code)} within ${depth} others; allowed: at most ${MAX_NESTING} levels of operators within operators`
                : undefined;
        const allowed = this.registry.list('operator').filter(other => other.form === 'record');
        const codes = allowed.map(other => other.code).join(', ');
        return `${show(code)}, which works on whole batches; allowed: operators that work on one record at a time: ${codes}`;
    }

    private frame(schema: z.ZodObject, call: JsonValue, path: string): void {
        const result = schema.safeParse(call);
        if (!result.success)
            this.issues.add(...configIssues(result.error, { input: call, schema, path, ...this.where() }));
    }

    /** The value with real enum values; its faults go to the issues. What the schema would add is left out. */
    private parse({ config: schema, advise }: Configured, value: JsonObject, path: string): JsonObject {
        const real = withRealEnumValues(schema, value) as JsonObject;
        const result = schema.safeParse(real);
        const place = { path, ...this.where() };
        if (!result.success) this.issues.add(...configIssues(result.error, { input: real, schema, ...place }));
        else if (advise) this.issues.add(...adviceIssues(advise(result.data), place));
        return real;
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
        const message = `No ${kind} has the code ${show(code)}. ${this.registry.hint(kind, code.slice(0, 64))}`;
        this.issues.add({ code: 'ADAPTER_NOT_FOUND', path, ...this.where(), message });
    }

    private where(): { readonly stepKey?: string } {
        return this.step.key === undefined ? {} : { stepKey: this.step.key };
    }
}
