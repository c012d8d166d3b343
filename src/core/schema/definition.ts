import { z } from 'zod';

/** Any schema: those of zod, of zod/mini, and of another copy of either. */
export type Schema = z.core.$ZodType;

/**
 * What a schema was made from, told apart by `type`. zod documents `_zod.def` and the unions `$ZodTypes` and `$ZodChecks` for whoever looks
 * into schemas (zod.dev/packages/core). That, what the rules run and how `safeParse` comes to its answer is all of zod's inside that Flow
 * knows, and all of it is read in this file.
 */
export type Definition = z.core.$ZodTypes['_zod']['def'];

/** A rule of a schema, told apart by `check`. */
export type RuleDefinition = z.core.$ZodChecks['_zod']['def'];

/** What a schema was made from. */
export function definitionOf(schema: Schema): Definition {
    return (schema as z.core.$ZodTypes)._zod.def;
}

/** The rules of a schema; `z.int()` is a rule and a schema at once. */
export function rulesOf(schema: Schema): readonly RuleDefinition[] {
    const definition = definitionOf(schema);
    const rules = (definition.checks ?? []).map(check => (check as z.core.$ZodChecks)._zod.def);
    return 'check' in definition ? [definition as unknown as RuleDefinition, ...rules] : rules;
}

/** The schema that one only wraps: what is optional, nullable, lazy, has a default …; undefined for all others. */
export function wrappedBy(schema: Schema): Schema | undefined {
    const definition = definitionOf(schema);
    if (definition.type === 'lazy') return definition.getter();
    return 'innerType' in definition ? definition.innerType : undefined;
}

type RuleFunction = (...args: never[]) => unknown;

/** Of each rule of a schema the functions that judge: the one that zod runs, and the one that `refine` was given. */
export function functionsOf(schema: Schema): ReadonlyArray<readonly RuleFunction[]> {
    return (definitionOf(schema).checks ?? []).map(({ _zod: { check, def } }) => {
        const given: unknown = 'fn' in def ? def.fn : undefined;
        return typeof given === 'function' ? [check, given as RuleFunction] : [check];
    });
}

/** What a schema has found wrong with a value, before it is made out in full. */
export type RawFault = z.core.$ZodRawIssue;

/** What `safeParse` makes its answer of. */
export interface FoundFaults {
    readonly value: unknown;
    readonly faults: readonly RawFault[];
    /** Makes out in full what `safeParse` makes out of every fault. */
    readonly full: (fault: RawFault) => z.core.$ZodIssue;
}

/** As `safeParse` with these parameters, but leaves it to the caller how many faults are made out in full. */
export function findFaults(schema: Schema, value: unknown, params: z.core.ParseContext<z.core.$ZodIssue>): FoundFaults {
    const context = { ...params, async: false };
    const result = schema._zod.run({ value, issues: [] }, context);
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    const full = (fault: RawFault): z.core.$ZodIssue => z.core.util.finalizeIssue(fault, context, z.config());
    return { value: result.value, faults: result.issues, full };
}
