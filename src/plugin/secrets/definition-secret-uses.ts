import type { Registry } from '../../core/adapter/registry';
import type { SavedConnections, SecretUse } from '../../core/adapter/secret-hosts';
import { puttingRealEnumValues } from '../../core/pipeline/enum-aliases';
import { pathTo } from '../../core/pipeline/issues';
import { tryParse } from '../../core/schema/issues';
import { findStepKind } from '../../core/steps/kinds';
import { type ConfiguredPart, partsOf } from '../../core/steps/kinds/parts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { YieldingTask } from '../../core/concurrency/yielding-task';

/** Where a step of a definition sends a secret. `path` is absolute: `steps[1].config.auth.secretCode`. */
export interface DefinitionSecretUse extends SecretUse {
    readonly stepKey: string;
    readonly path: string;
}

/**
 * Where a definition would send secrets, without its disabled steps. The definition may be invalid: a configuration that does not match its schema sends
 * nothing, since it cannot run.
 */
export function* findingSecretUses(
    definition: JsonObject,
    registry: Registry,
    connections: SavedConnections,
): YieldingTask<readonly DefinitionSecretUse[]> {
    const found: DefinitionSecretUse[] = [];
    const { steps } = definition;
    for (const [index, step] of (Array.isArray(steps) ? (steps as readonly JsonValue[]) : []).entries()) {
        yield;
        if (!isJsonObject(step) || step['disabled'] === true || !isJsonObject(step['config'])) continue;
        const kind = findStepKind(step['kind']);
        if (!kind) continue;
        const at = pathTo(pathTo('steps', index), 'config');
        for (const part of partsOf(kind, step['config'], registry)) {
            if (!part.adapter?.secretUses) continue;
            const config = yield* parsed(part, kind.adapters);
            const uses = config ? part.adapter.secretUses(config, connections) : [];
            const path = part.path === '' ? at : pathTo(at, part.path);
            for (const use of uses) found.push({ ...use, stepKey: String(step['key']), path: pathTo(path, use.field) });
        }
    }
    return found;
}

/** The arguments of the adapter with their defaults. Undefined if they do not match its schema. */
function* parsed(
    { schema, value }: ConfiguredPart,
    adapters: { readonly form: string; readonly field?: string },
): YieldingTask<JsonObject | undefined> {
    const own = { ...value };
    if (adapters.form === 'one') delete own[adapters.field!];
    const read = tryParse(schema!, yield* puttingRealEnumValues(schema!, own));
    return read.ok ? (read.value as JsonObject) : undefined;
}
