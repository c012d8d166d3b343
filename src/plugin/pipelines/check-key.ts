import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AdapterDefinition } from '../../core/adapter/definition';
import type { Registry } from '../../core/adapter/registry';
import type { CheckLimits } from '../../core/pipeline/parse';
import { addressFieldsOf } from '../../core/schema/address-fields';
import { functionsOf } from '../../core/schema/definition';
import type { YieldingTask } from '../../core/concurrency/yielding-task';

/** What the issues of a definition by itself depend on beside the definition. */
export interface CheckedWith {
    /** Of Flow. */
    readonly version: string;
    readonly registry: Registry;
    readonly limits: CheckLimits;
    /** The hosts and ports that the shop's options allow. */
    readonly allowed: readonly unknown[];
    /** Those that a role of the shop can hold. */
    readonly permissions: ReadonlySet<string>;
    /** The custom fields of the shop, each with all that an issue depends on. */
    readonly customFields: readonly string[];
}

/** A SHA-256 that is another one as soon as a definition might have other issues, and the same in all processes of a shop. */
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
 * Rules that are functions are told by their text: a rule of the shop's own that changes together with what it closes over, and nowhere in
 * its text, is not seen.
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

/** What cannot be written as JSON Schema (two parts of it that are called alike, say) changes unseen: no reason to keep anybody from saving. */
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
