import type { Field } from './json-schema';

/** Fields that are folded under a title; without a title: further settings of no group. */
export interface FieldFold {
    readonly title: string | undefined;
    readonly fields: readonly Field[];
}

/** A form with at most as many fields without a group shows all of them. */
const MAX_UNFOLDED = 8;
/** How many a longer form shows; always all that are required. */
const FIRST = 5;

/** What a form shows at first, and what it folds by group. The order of the fields in the schema is that of their importance. */
export function foldedFields(fields: readonly Field[]): {
    readonly first: readonly Field[];
    readonly folds: readonly FieldFold[];
} {
    const plain = fields.filter(({ schema }) => schema.group === undefined || schema.group === '');
    const required = plain.filter(({ isRequired }) => isRequired).length;
    let free = plain.length <= MAX_UNFOLDED ? plain.length : Math.max(FIRST - required, 0);
    const first = plain.filter(({ isRequired }) => isRequired || free-- > 0);
    const rest = plain.filter(field => !first.includes(field));
    const titles = [...new Set(fields.flatMap(({ schema: { group } }) => (group ? [group] : [])))];
    return {
        first,
        folds: [
            ...(rest.length > 0 ? [{ title: undefined, fields: rest }] : []),
            ...titles.map(title => ({ title, fields: fields.filter(({ schema }) => schema.group === title) })),
        ],
    };
}
