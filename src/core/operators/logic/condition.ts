import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../value/json';
import { compilePath, type Path } from '../../data/path';
import { show } from '../../value/show';
import { jsonValue, path } from '../../schema/fields';
import { COMPARISONS, type Comparison, compareWith, NEEDS, valueProblem } from './comparison';
import { addIssue } from '../../schema/issues';

/** One comparison of a field. */
export interface FieldCondition {
    readonly field: string;
    readonly cmp?: Comparison;
    readonly value?: JsonValue;
}
/** The test of `when` and similar operators. */
export type Condition =
    | FieldCondition
    | { readonly all: readonly Condition[] }
    | { readonly any: readonly Condition[] }
    | { readonly not: Condition };

/** Receives warnings about fields whose values cannot be compared. */
export interface ComparisonWarnings {
    /** `problem` follows the field: `"n/a" cannot be compared …`. */
    warn(path: string, problem: string): void;
}

/** True if the record meets the condition. */
export type Test = (data: JsonObject, comparisonWarnings: ComparisonWarnings) => boolean;

const fieldCondition = z
    .strictObject({
        field: path('Field', 'The field to compare.'),
        cmp: z
            .enum(COMPARISONS)
            .default('eq')
            .meta({ title: 'Comparison', description: 'How to compare the field with the value.' }),
        value: jsonValue()
            .optional()
            .meta({
                title: 'Value',
                description: `The value to compare with. With regex, a pattern in RE2 syntax, which may match anywhere in the text. Without effect with ${COMPARISONS.filter(cmp => NEEDS[cmp] === 'nothing').join(', ')}.`,
                widget: 'json',
            }),
    })
    .superRefine(({ cmp, value }, cx) => {
        const problem = valueProblem(cmp, value);
        if (problem !== undefined) addIssue(cx, problem, ['value']);
    });

const condition: z.ZodType<Condition, Condition> = z.union([
    fieldCondition,
    z.strictObject({
        get all() {
            return z
                .array(condition)
                .min(1)
                .max(100)
                .meta({ title: 'All of', description: 'All of these must be met.' });
        },
    }),
    z.strictObject({
        get any() {
            return z
                .array(condition)
                .min(1)
                .max(100)
                .meta({ title: 'Any of', description: 'Conditions of which at least one must be met.' });
        },
    }),
    z.strictObject({
        get not() {
            return condition.meta({ title: 'Not', description: 'This must not be met.' });
        },
    }),
]);

/** A list of conditions, all of which must be met. */
export function conditions(title: string, description: string): z.ZodArray<z.ZodType<Condition, Condition>> {
    return z.array(condition).min(1).max(100).meta({ title, description, widget: 'conditions' });
}

/** One condition, or a list of conditions that must all be met. */
export function conditionOrList(): z.ZodType<Condition | readonly Condition[], Condition | readonly Condition[]> {
    return z.union([condition, z.array(condition).min(1).max(100)]);
}

/** Compiles a list of conditions to one test: all must be met. */
export function compileConditions(list: readonly Condition[]): Test {
    const tests = list.map(compile);
    if (tests.length === 1) return tests[0]!;
    return (data, doubts) => tests.every(test => test(data, doubts));
}

function compile(one: Condition): Test {
    if ('all' in one) return compileConditions(one.all);
    if ('any' in one) {
        const tests = one.any.map(compile);
        return (data, doubts) => tests.some(test => test(data, doubts));
    }
    if ('not' in one) {
        const test = compile(one.not);
        return (data, doubts) => !test(data, doubts);
    }
    const field: Path = compilePath(one.field);
    const { cmp = 'eq', value: operand } = one;
    const test = compareWith(cmp, { field: one.field, operand });
    return (data, doubts) => {
        const value = field.get(data);
        const isMet = test(value);
        if (isMet === undefined)
            doubts.warn(one.field, `${show(value)} cannot be compared by ${cmp} with ${show(operand)}`);
        return isMet === true;
    };
}
