import { z } from 'zod';
import { reporting } from '../adapter/rule';
import { withRules, path } from '../schema/fields';
import { pattern } from '../schema/regex-fields';
import { VALUE_TYPES } from './value-types';

const MAX_SIZE = 1_000_000_000;
const MAX_VALUES = 1000;

/** The fields that specs of rules are made of; each has its one meaning wherever it stands. */
export const checkFields = {
    field: path('Field', 'The field that is checked.'),
    required: z.boolean().default(false).meta({
        title: 'Required',
        description: 'A missing field, null and blank text break the rule. Else they pass.',
    }),
    type: z.enum(VALUE_TYPES).meta({
        title: 'Type',
        description:
            'What the value must be, strictly: "7" is no number. date is ISO 8601; url begins with http:// or https://.',
        aliases: {},
    }),
    min: z.number().meta({ title: 'At least', description: 'The lowest number; numeric text is compared, too.' }),
    max: z.number().meta({ title: 'At most', description: 'The highest number; numeric text is compared, too.' }),
    minLength: z
        .int()
        .min(0)
        .max(MAX_SIZE)
        .meta({ title: 'Minimum length', description: 'Characters of text, elements of a list.' }),
    maxLength: z
        .int()
        .min(0)
        .max(MAX_SIZE)
        .meta({ title: 'Maximum length', description: 'Characters of text, elements of a list.' }),
    pattern: pattern(
        'Pattern',
        'What the value must match, without delimiters; anywhere in it, so begin with ^ and end with $ where the whole must match.',
    ),
    enum: z
        .array(z.union([z.string().max(1000), z.number(), z.boolean()]))
        .min(1)
        .max(MAX_VALUES)
        .meta({
            title: 'Allowed values',
            description: 'The value must be one of these; a number is equal to text that spells it.',
            widget: 'json',
        }),
} as const;

/** The spec of every rule: a rule asks for its own fields of it, and makes the other checks where they are given. */
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

/** True of every rule that has one check of its own. */
export const SPEC_NOTE =
    'The other checks that the spec can name are made where they are given, as by the rule business; one rule reports the first that fails.';

interface Limits {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly minLength?: number | undefined;
    readonly maxLength?: number | undefined;
}

/** Refuses limits that nothing fits, and a spec with none of the checks that it must have one of, by naming what it lacks. */
export function withSense<S extends z.ZodObject>(schema: S, oneOf: readonly string[] = []): S {
    return withRules(schema, (spec, fault) => {
        const given = spec as Limits & Readonly<Record<string, unknown>>;
        const checksSomething =
            oneOf.length === 0 || oneOf.some(field => given[field] !== undefined && given[field] !== false);
        if (!checksSomething) fault(oneOf[0]!, `the rule checks nothing; give at least one of ${oneOf.join(', ')}`);
        const pairs = [
            ['min', 'max'],
            ['minLength', 'maxLength'],
        ] as const;
        for (const [low, high] of pairs) {
            const [least, most] = [given[low], given[high]];
            if (typeof least === 'number' && typeof most === 'number' && least > most)
                fault(low, `is ${least}, which is more than ${high} (${most}); nothing would fit`);
        }
    });
}
