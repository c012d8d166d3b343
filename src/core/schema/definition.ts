import { z } from 'zod';

/** Any schema: of zod, of zod/mini, or of another copy of either. */
export type Schema = z.core.$ZodType;

/**
 * The definition of a schema, discriminated by `type`. zod documents `_zod.def` and the unions `$ZodTypes` and
 * `$ZodChecks` for libraries that inspect schemas (zod.dev/packages/core). Flow uses no other internals of zod except
 * the functions of checks and the steps of `safeParse`, and reads all of them in this file.
 */
export type Definition = z.core.$ZodTypes['_zod']['def'];

/** A check of a schema, discriminated by `check`. */
type RuleDefinition = z.core.$ZodChecks['_zod']['def'];

/** The definition of a schema. */
export function definitionOf(schema: Schema): Definition {
    return (schema as z.core.$ZodTypes)._zod.def;
}

/** The checks of a schema; `z.int()` is a check and a schema at once. */
export function rulesOf(schema: Schema): readonly RuleDefinition[] {
    const definition = definitionOf(schema);
    const rules = (definition.checks ?? []).map(check => (check as z.core.$ZodChecks)._zod.def);
    return 'check' in definition ? [definition as unknown as RuleDefinition, ...rules] : rules;
}

/** The schema that another one only wraps (optional, nullable, lazy, default …); undefined for all others. */
export function wrappedBy(schema: Schema): Schema | undefined {
    const definition = definitionOf(schema);
    if (definition.type === 'lazy') return definition.getter();
    return 'innerType' in definition ? definition.innerType : undefined;
}

type RuleFunction = (...args: never[]) => unknown;

/** The functions of each check of a schema: the one that zod runs, and the one that was passed to `refine`. */
export function functionsOf(schema: Schema): ReadonlyArray<readonly RuleFunction[]> {
    return (definitionOf(schema).checks ?? []).map(({ _zod: { check, def } }) => {
        const given: unknown = 'fn' in def ? def.fn : undefined;
        return typeof given === 'function' ? [check, given as RuleFunction] : [check];
    });
}

/** An issue as the schema raises it, before `safeParse` finalizes it. */
export type RawIssue = z.core.$ZodRawIssue;

/** The parts of a `safeParse` result. */
interface FoundIssues {
    readonly value: unknown;
    readonly faults: readonly RawIssue[];
    /** Finalizes an issue as `safeParse` does. */
    readonly full: (issue: RawIssue) => z.core.$ZodIssue;
}

/** Like `safeParse` with these parameters, but the caller decides how many issues are finalized. */
export function findIssues(schema: Schema, value: unknown, params: z.core.ParseContext<z.core.$ZodIssue>): FoundIssues {
    const context = { ...params, async: false };
    const result = schema._zod.run({ value, issues: [] }, context);
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    const full = (issue: RawIssue): z.core.$ZodIssue => z.core.util.finalizeIssue(issue, context, z.config());
    return { value: result.value, faults: result.issues, full };
}
