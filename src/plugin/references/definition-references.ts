import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { puttingRealEnumValues } from '../../core/pipeline/enum-aliases';
import { HOOK_SCHEMAS } from '../../core/pipeline/hook-definition';
import { pathTo } from '../../core/pipeline/issues';
import { RESOURCE_CODE } from '../../core/schema/fields';
import { findingReferences, type Reference } from '../../core/schema/references';
import { findStepKind } from '../../core/steps/kinds';
import { partsOf } from '../../core/steps/kinds/parts';
import { runAtOnce, SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';
import type { z } from 'zod';

/** A secret, connection, file or pipeline that a definition names. `path` is absolute: `steps[1].config.connectionCode`. */
export interface DefinitionReference extends Reference {
    /** Undefined for a hook of the pipeline. */
    readonly stepKey?: string;
    readonly stepKind?: string;
    /** True for a disabled step: it names the resource but does not need it. */
    readonly isDisabled: boolean;
    /** True for a step of an unknown kind: the text may be the code of a resource. */
    readonly isGuess?: true;
}

const TARGETS: ReadonlyArray<Reference['to']> = ['secret', 'connection', 'file'];

/**
 * Every secret, connection and file that a definition names: in its steps (including disabled ones), in the arguments of their operators and rules, and in its
 * hooks. The definition may be invalid: a step of an unknown kind names everything that it might name. Values that are not calls, and arguments of unknown
 * adapters, name nothing.
 */
export function definitionReferences(definition: unknown, registry: Registry): readonly DefinitionReference[] {
    return runAtOnce(findingDefinitionReferences(definition, registry));
}

/** The same as `definitionReferences`, for callers that must not block the event loop. */
export function* findingDefinitionReferences(
    definition: unknown,
    registry: Registry,
): YieldingTask<readonly DefinitionReference[]> {
    const all: DefinitionReference[] = [];
    if (!isJsonObject(definition)) return all;
    for (const [index, step] of listOf(definition['steps']).entries()) {
        if (isJsonObject(step)) yield* ofStep(step, pathTo('steps', index), { registry, all });
        yield;
    }
    const hooks = isJsonObject(definition['hooks']) ? definition['hooks'] : {};
    for (const [stage, list] of Object.entries(hooks)) {
        for (const [index, hook] of listOf(list).entries())
            yield* ofHook(hook, pathTo(pathTo('hooks', stage), index), all);
    }
    return all;
}

interface Search {
    readonly registry: Registry;
    readonly all: DefinitionReference[];
}

function* ofStep(step: JsonObject, path: string, { registry, all }: Search): YieldingTask<void> {
    const { key, kind, disabled } = step;
    const isDisabled = disabled === true;
    const about = {
        isDisabled,
        ...(typeof key === 'string' && { stepKey: key }),
        ...(typeof kind === 'string' && { stepKind: kind }),
    };
    const { config } = step;
    const at = pathTo(path, 'config');
    const known = findStepKind(kind);
    if (!known) for (const guess of yield* guesses(config, at)) all.push({ ...guess, ...about, isGuess: true });
    if (!known || !isJsonObject(config)) return;
    for (const { schema, value, path: within } of partsOf(known, config, registry)) {
        yield;
        if (!schema) continue;
        const part = { schema, value, path: within === '' ? at : pathTo(at, within) };
        for (const reference of yield* found(part)) all.push({ ...reference, ...about });
    }
}

/** All resources that a step of an unknown kind may name. They must not be deleted, whatever the step does with them. */
function* guesses(value: JsonValue | undefined, path: string): YieldingTask<readonly Reference[]> {
    if (typeof value === 'string' || typeof value === 'number') {
        const code = String(value);
        return RESOURCE_CODE.test(code) ? TARGETS.map(to => ({ to, code, path })) : [];
    }
    if (typeof value !== 'object' || value === null) return [];
    const all: Reference[] = [];
    for (const [index, [key, part]] of (Object.entries(value) as ReadonlyArray<[string, JsonValue]>).entries()) {
        if (index % SMALL_STEPS === 0) yield;
        for (const guess of yield* guesses(part, pathTo(path, Array.isArray(value) ? index : key))) all.push(guess);
    }
    return all;
}

function* ofHook(hook: JsonValue, path: string, all: DefinitionReference[]): YieldingTask<void> {
    if (!isJsonObject(hook)) return;
    const schema = Object.entries(HOOK_SCHEMAS).find(([type]) => type === hook['type'])?.[1];
    if (!schema) return;
    for (const reference of yield* found({ schema, value: hook, path })) all.push({ ...reference, isDisabled: false });
}

/** A value with its schema and its path. */
interface Part {
    readonly schema: z.ZodObject;
    readonly value: JsonObject;
    readonly path: string;
}

function* found({ schema, value, path }: Part): YieldingTask<readonly Reference[]> {
    yield;
    const references = yield* findingReferences(schema, yield* puttingRealEnumValues(schema, value));
    return references.map(reference => ({ ...reference, path: pathTo(path, reference.path) }));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
