import { conversionsFor } from './field-conversions';
import type { ImportTarget } from './import-plan';
import type { ImportProfile } from './import-profile';
import type { FieldSuggestion, ImportShop } from './import-suggestion';
import { type FieldShape, TARGET_FIELDS } from './target-fields';

/** A column, and the field that a user chooses for it. */
export interface ColumnChoice {
    readonly target: ImportTarget;
    readonly field: string;
    readonly column: string;
}

/** The conversions that the values of a column need for a field; undefined if the file has no such column. */
export function conversionsOfChoice(
    { columns, facts }: ImportProfile,
    shop: ImportShop,
    { target, field, column: name }: ColumnChoice,
): FieldSuggestion['conversions'] | undefined {
    const column = columns.find(one => one.name === name);
    if (!column) return undefined;
    const tax = column.tax;
    return conversionsFor(column, shapeOfChoice(target, field, shop), {
        facts,
        shop,
        ...(tax && { tax }),
        isPath: field === 'collections',
    });
}

export const CUSTOM_FIELDS = 'customFields.';
const CUSTOM_SHAPES: Readonly<Record<string, FieldShape>> = {
    int: 'WHOLE_NUMBER',
    float: 'NUMBER',
    boolean: 'BOOLEAN',
    datetime: 'DATE',
};

export function shapeOfChoice(target: ImportTarget, field: string, { customFields }: ImportShop): FieldShape {
    if (field.startsWith('facet:') || field.startsWith('option:')) return 'WORD';
    if (field === 'collections') return 'CATEGORY';
    const [, custom] = /(?:^|\.)customFields\.([^.]+)$/.exec(field) ?? [];
    if (custom !== undefined)
        return CUSTOM_SHAPES[customFields.find(({ name }) => name === custom)?.type ?? ''] ?? 'ANY';
    const known = TARGET_FIELDS[target].find(one => one.field === field || field.startsWith(`${one.field}.`));
    return known?.shape ?? 'ANY';
}
