import { clause } from '../errors/rendered';
import { z } from 'zod';
import { reporting } from '../adapter/rule';
import { withRules, path } from '../schema/fields';
import { pattern } from '../schema/regex-fields';
import { VALUE_TYPES } from './value-types';

const MAX_SIZE = 1_000_000_000;
const MAX_VALUES = 1000;

/** The fields from which the specs of rules are built. A field means the same in every spec. */
export const checkFields = {
    field: path('Field', 'The field to check.'),
    required: z.boolean().default(false).meta({
        title: 'Required',
        description: 'If true, a missing field, null and blank text break the rule. Otherwise they pass.',
    }),
    type: z.enum(VALUE_TYPES).meta({
        title: 'Type',
        description:
            'The required type. It is strict: "7" is not a number. date is an ISO 8601 date; url begins with http:// or https://.',
        aliases: {},
    }),
    min: z
        .number()
        .meta({ title: 'Minimum', description: 'The lowest allowed number. Numeric text is compared, too.' }),
    max: z
        .number()
        .meta({ title: 'Maximum', description: 'The highest allowed number. Numeric text is compared, too.' }),
    minLength: z
        .int()
        .min(0)
        .max(MAX_SIZE)
        .meta({ title: 'Minimum length', description: 'Counts the characters of a text or the elements of a list.' }),
    maxLength: z
        .int()
        .min(0)
        .max(MAX_SIZE)
        .meta({ title: 'Maximum length', description: 'Counts the characters of a text or the elements of a list.' }),
    pattern: pattern(
        'Pattern',
        'A regular expression without delimiters. It may match anywhere in the value; use ^ and $ to match the whole value.',
    ),
    enum: z
        .array(z.union([z.string().max(1000), z.number(), z.boolean()]))
        .min(1)
        .max(MAX_VALUES)
        .meta({
            title: 'Allowed values',
            description: 'The value must be one of these. A number equals text with the same number.',
            widget: 'json',
        }),
} as const;

/** The spec of every rule: each rule requires its own fields, and runs the other checks if their fields are set. */
export const specFields = {
    field: checkFields.field,
    required: checkFields.required,
    type: checkFields.type.optional(),
    enum: checkFields.enum.optional(),
    min: checkFields.min.optional(),
    max: checkFields.max.optional(),
    minLength: checkFields.minLength.optional(),
    maxLength: checkFields.maxLength.optional(),
    pattern: checkFields.pattern.optional(),
    ...reporting(),
} as const;

/** The note of every rule with one main check. */
export const SPEC_NOTE =
    'If the spec sets the fields of other checks, they run as in the rule business. One rule reports only the first failed check.';

interface Limits {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly minLength?: number | undefined;
    readonly maxLength?: number | undefined;
}

/** Rejects limits that no value meets, and a spec without any of the checks in `oneOf`. */
export function validated<S extends z.ZodObject>(schema: S, oneOf: readonly string[] = []): S {
    return withRules(schema, (spec, issue) => {
        const given = spec as Limits & Readonly<Record<string, unknown>>;
        const checksSomething =
            oneOf.length === 0 || oneOf.some(field => given[field] !== undefined && given[field] !== false);
        if (!checksSomething)
            issue(oneOf[0]!, clause`the rule checks nothing; set at least one of ${oneOf.join(', ')}`);
        const pairs = [
            ['min', 'max'],
            ['minLength', 'maxLength'],
        ] as const;
        for (const [low, high] of pairs) {
            const [least, most] = [given[low], given[high]];
            if (typeof least === 'number' && typeof most === 'number' && least > most)
                issue(low, clause`is ${least}, which is more than ${high} (${most}); no value would pass`);
        }
    });
}
