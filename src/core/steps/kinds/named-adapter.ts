import type { z } from 'zod';
import type { ByKind } from '../../adapter/definition';
import type { Registry } from '../../adapter/registry';
import type { JsonObject } from '../../value/json';
import { invalidConfig, parseConfig } from '../parse-config';
import type { StepToCompile } from './step-kind';

/** A step's adapter, the remaining flat configuration for it, and that configuration as parsed by its schema. */
interface StepAdapter<K extends 'extractor' | 'loader' | 'sink'> {
    readonly adapter: ByKind[K];
    readonly own: JsonObject;
    readonly parsed: z.output<z.ZodObject>;
}

/** The adapter that `adapterCode` names. Throws DEFINITION_INVALID or ADAPTER_NOT_FOUND. */
export function adapterOf<K extends 'extractor' | 'loader' | 'sink'>(
    kind: K,
    { key, config }: StepToCompile,
    registry: Registry,
): StepAdapter<K> {
    const { adapterCode, ...own } = config;
    if (typeof adapterCode !== 'string')
        throw invalidConfig([{ path: `${key}.adapterCode`, message: `Step "${key}" names no adapterCode` }]);
    const adapter = registry.get(kind, adapterCode);
    return { adapter, own, parsed: parseConfig(key, adapter.config, own) };
}
