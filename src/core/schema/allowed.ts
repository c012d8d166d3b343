import type { z } from 'zod';
import { factText, type FactText } from '../errors/rendered';
import { show } from '../value/show';
import type { Schema } from './definition';
import { type Bound, isWhole, type Range, rangeOf } from './walk';

/** The words for what is allowed. The dashboard has them in its language. */
export const ALLOWED_TEXTS = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
    null: 'null',
    /** For a check that has no message and about which zod gives no facts. */
    another: 'another value',
    either: '{one} or {other}',
    within: '{kind}, {range}',
    multiple: 'a multiple of {divisor}',
    format: 'text in the format {format}',
    pattern: 'text that matches {pattern}',
} as const;

/** Ranges by what has them. */
export const RANGE_TEXTS = {
    number: {
        both: '{least} to {most}',
        least: 'at least {least}',
        most: 'at most {most}',
        exactly: 'exactly {least}',
        above: 'more than {least}',
        below: 'less than {most}',
        joined: '{lower} and {upper}',
    },
    string: {
        both: '{least} to {most|1 character|# characters}',
        least: 'at least {least|1 character|# characters}',
        most: 'at most {most|1 character|# characters}',
        exactly: 'exactly {least|1 character|# characters}',
    },
    array: {
        both: '{least} to {most|1 element|# elements}',
        least: 'at least {least|1 element|# elements}',
        most: 'at most {most|1 element|# elements}',
        exactly: 'exactly {least|1 element|# elements}',
    },
} as const;

/** What a check allows that a value has failed. The schema of the place names both ends of a range. */
export function allowedBy(issue: z.core.$ZodIssue, schema: Schema | undefined): string | FactText {
    const range = schema && rangeOf(schema);
    switch (issue.code) {
        case 'invalid_type': {
            const kind = kindOf(issue.expected, schema);
            return range?.of === 'number' ? factText(ALLOWED_TEXTS.within, { kind, range: inRange(range) }) : kind;
        }
        case 'invalid_value':
            return listed(issue.values);
        case 'invalid_union':
            return 'options' in issue && Array.isArray(issue.options) ? listed(issue.options) : ALLOWED_TEXTS.another;
        case 'too_small':
            return inRange(range ?? { of: sizedBy(issue.origin), least: { value: Number(issue.minimum) } });
        case 'too_big':
            return inRange(range ?? { of: sizedBy(issue.origin), most: { value: Number(issue.maximum) } });
        case 'not_multiple_of':
            return factText(ALLOWED_TEXTS.multiple, { divisor: Number(issue.divisor) });
        case 'invalid_format':
            return issue.pattern === undefined
                ? factText(ALLOWED_TEXTS.format, { format: issue.format })
                : factText(ALLOWED_TEXTS.pattern, { pattern: issue.pattern });
        default:
            return ALLOWED_TEXTS.another;
    }
}

/** What alternatives allow, all of which a value fails by its type. */
export function allowedByEither(
    kinds: ReadonlyArray<string | FactText>,
): string | FactText | ReadonlyArray<string | FactText> {
    const texts = kinds.map(kind => (typeof kind === 'string' ? kind : kind.message));
    const [one = '', other, ...more] = kinds.filter((_, i) => texts.indexOf(texts[i]!) === i);
    if (other === undefined) return one;
    return more.length === 0 ? factText(ALLOWED_TEXTS.either, { one, other }) : [one, other, ...more];
}

function listed(values: readonly unknown[]): string {
    return values.map(show).join(', ');
}

function kindOf(expected: string, schema: Schema | undefined): string {
    if (schema !== undefined && isWhole(schema)) return ALLOWED_TEXTS.int;
    return (ALLOWED_TEXTS as Readonly<Record<string, string>>)[expected] ?? expected;
}

function sizedBy(origin: string): Range['of'] {
    if (origin === 'string') return 'string';
    return origin === 'array' || origin === 'set' ? 'array' : 'number';
}

function inRange({ of, least, most }: Range): FactText {
    if (!most) return lowerEnd(least!, of);
    if (!least) return upperEnd(most, of);
    const texts = RANGE_TEXTS[of];
    if (least.isExclusive || most.isExclusive)
        return factText(RANGE_TEXTS.number.joined, { lower: lowerEnd(least, of), upper: upperEnd(most, of) });
    if (least.value === most.value) return factText(texts.exactly, { least: least.value });
    return factText(texts.both, { least: least.value, most: most.value });
}

function lowerEnd({ value, isExclusive }: Bound, of: Range['of']): FactText {
    return factText(isExclusive ? RANGE_TEXTS.number.above : RANGE_TEXTS[of].least, { least: value });
}

function upperEnd({ value, isExclusive }: Bound, of: Range['of']): FactText {
    return factText(isExclusive ? RANGE_TEXTS.number.below : RANGE_TEXTS[of].most, { most: value });
}
