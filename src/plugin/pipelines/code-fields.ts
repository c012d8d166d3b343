import type { AdapterDefinition } from '../../core/adapter/definition';
import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { HOOK_SCHEMAS } from '../../core/pipeline/hook-definition';
import { codeFieldsOf } from '../../core/schema/code-fields';
import { declaredKinds, findStepKind } from '../../core/steps/kinds';
import { partsOf } from '../../core/steps/kinds/parts';
import { SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';

/** The keys that lead to a value. For an element of a list: the element and its index. */
export type CodePath = ReadonlyArray<string | { readonly index: number; readonly element: JsonValue }>;

/** How a call of an adapter is written: the field with the adapter's code, and the field with its arguments, or undefined if they are in the object itself. */
interface Form {
    readonly kind: AdapterDefinition['kind'];
    readonly code: string;
    readonly value: string | undefined;
}

const FORMS = declaredKinds.flatMap(({ adapters }): readonly Form[] => {
    if (adapters.form === 'one') return [{ kind: adapters.kind, code: adapters.field, value: undefined }];
    if (adapters.form === 'none') return [];
    return [{ kind: adapters.kind, code: adapters.code, value: adapters.value }];
});

const HOOKS = Object.entries(HOOK_SCHEMAS);

/** Finds the fields of a definition's objects that contain code. */
export class CodeFields {
    /** Every name of a field for code. */
    private readonly names: readonly string[];
    private readonly found = new WeakMap<object, readonly string[]>();
    /** Steps of unknown kinds. */
    private readonly unknown = new WeakSet<object>();

    constructor(private readonly registry: Registry) {
        const schemas = [...registry.definitions.map(({ config }) => config), ...HOOKS.map(([, schema]) => schema)];
        this.names = [...new Set(schemas.flatMap(codeFieldsOf))];
    }

    /** Remembers what cannot be recognised by its form alone: steps of unknown kinds, and the arguments of unknown adapters. */
    *learn(steps: JsonValue | undefined): YieldingTask<void> {
        for (const step of Array.isArray(steps) ? (steps as readonly JsonValue[]) : []) {
            yield;
            if (!isJsonObject(step)) continue;
            const kind = findStepKind(step['kind']);
            if (!kind) this.unknown.add(step);
            if (!kind || !isJsonObject(step['config'])) continue;
            let count = 0;
            for (const { named, adapter, value } of partsOf(kind, step['config'], this.registry)) {
                if (named && !adapter) this.found.set(value, this.names);
                if (++count % SMALL_STEPS === 0) yield;
            }
        }
    }

    /** The fields of an object that may contain code. Must be called for outer objects before inner ones. */
    of(object: JsonObject, codePath: CodePath): readonly string[] {
        this.noteCalls(object);
        const [list, , element] = codePath;
        if (list === 'hooks') return this.ofHook(object, typeof element === 'object' && codePath.length === 3);
        const [, step] = codePath;
        if (typeof step === 'object' && this.unknown.has(step.element as object)) return this.names;
        return this.found.get(object) ?? [];
    }

    /** True for a call of an adapter with code. Its arguments are not part of the name of its place. */
    calls(object: JsonObject): boolean {
        return FORMS.some(form => this.fieldsOf(object, form).length > 0);
    }

    private noteCalls(object: JsonObject): void {
        for (const form of FORMS) {
            const fields = this.fieldsOf(object, form);
            const value = form.value === undefined ? object : object[form.value];
            if (fields.length > 0 && isJsonObject(value)) this.found.set(value, fields);
        }
    }

    private fieldsOf(object: JsonObject, { kind, code: field }: Form): readonly string[] {
        const code = object[field];
        const adapter = typeof code === 'string' ? this.registry.find(kind, code) : undefined;
        return adapter ? codeFieldsOf(adapter.config) : [];
    }

    private ofHook({ type }: JsonObject, isHook: boolean): readonly string[] {
        const schema = HOOKS.find(([known]) => known === type)?.[1];
        if (schema) return codeFieldsOf(schema);
        return isHook ? this.names : [];
    }
}
