import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AdapterDefinition } from '../../core/adapter/definition';
import type { Registry } from '../../core/adapter/registry';
import type { CheckLimits } from '../../core/pipeline/parse';
import { addressFieldsOf } from '../../core/schema/address-fields';
import { functionsOf } from '../../core/schema/definition';
import type { YieldingTask } from '../../core/concurrency/yielding-task';

/** What the issues of a definition depend on in addition to the definition itself. */
export interface CheckedWith {
    /** Flow's version. */
    readonly version: string;
    readonly registry: Registry;
    readonly limits: CheckLimits;
    /** The hosts and ports that the shop's options allow. */
    readonly allowed: readonly unknown[];
    /** The permissions that a role of the shop can have. */
    readonly permissions: ReadonlySet<string>;
    /** The custom fields of the shop, each with every property that an issue depends on. */
    readonly customFields: readonly string[];
}

/** A SHA-256 digest. It changes whenever a definition might have other issues, and is the same in all processes of a shop. */
export function* checkKey({
    version,
    registry,
    limits,
    allowed,
    permissions,
    customFields,
}: CheckedWith): YieldingTask<string> {
    const hash = createHash('sha256');
    const { maxValues, maxConfigValues, maxPatterns } = limits;
    const sorted = [[...permissions].sort(), [...customFields].sort()];
    hash.update(JSON.stringify([version, maxValues, maxConfigValues, maxPatterns, allowed, ...sorted]));
    for (const definition of registry.definitions) {
        hash.update(JSON.stringify(factsOf(definition)));
        yield;
    }
    return hash.digest('hex');
}

/**
 * Rules that are functions are identified by their text. If a rule of the shop changes only in the values that it closes over and not in its text, the change
 * is not noticed.
 */
function factsOf(definition: AdapterDefinition): readonly unknown[] {
    const { kind, code } = definition;
    const { aliases, form, config, advise, judge } = definition as {
        readonly aliases?: readonly string[];
        readonly form?: string;
        readonly config?: z.ZodType;
        readonly advise?: (config: never) => unknown;
        readonly judge?: (config: never, platform: unknown) => unknown;
    };
    const schema = config && writtenSchema(config);
    const functions = [advise, judge].map(String);
    return [
        kind,
        code,
        aliases,
        form,
        schema,
        config && rulesOf(config),
        config && addressFieldsOf(config),
        ...functions,
    ];
}

/**
 * Changes of a schema that cannot be represented as JSON Schema (for example with two parts of the same name) are not noticed. That must not prevent saving.
 */
function writtenSchema(config: z.ZodType): unknown {
    try {
        return z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' });
    } catch (error) {
        return String(error);
    }
}

function rulesOf(config: z.ZodType): readonly string[] {
    return functionsOf(config).map(functions => functions.map(String).join('\n'));
}
