import { branchOf, type Field, fieldsOf, fits, isRecord, type JsonSchema, kindOf, resolved } from './json-schema';

/** Whether a field has a meaning with the current values of the others. A condition of null holds while the other field has no value. */
export function isShown(
    { schema }: Field,
    siblings: readonly Field[],
    values: Readonly<Record<string, unknown>>,
): boolean {
    return Object.entries(schema.showIf ?? {}).every(([key, wanted]) => {
        const value = values[key] ?? siblings.find(field => field.key === key)?.schema.default ?? null;
        return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
    });
}

/**
 * What is sent: the draft without the fields that mean nothing now. The draft keeps those while the form is open, so that choosing one way
 * and then the other loses nothing. Keys that the schema does not know stay.
 */
export function submitted(schema: JsonSchema, draft: unknown, root: JsonSchema = schema): unknown {
    const kind = kindOf(schema, root);
    if (!fits(kind, draft) || draft === undefined) return draft;
    if (kind === 'list' && schema.items && Array.isArray(draft)) {
        const items = resolved(schema.items, root);
        return draft.map(item => submitted(items, item, root));
    }
    if (kind === 'choice' && schema.anyOf) {
        const branches = schema.anyOf.map(branch => resolved(branch, root));
        const branch = branches[branchOf(branches, draft)];
        return branch === undefined ? draft : submitted(branch, draft, root);
    }
    if (kind !== 'object' || !isRecord(draft)) return draft;
    const fields = fieldsOf(schema, root);
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(draft)) {
        const field = fields.find(one => one.key === key);
        if (value === undefined || (field && !isShown(field, fields, draft))) continue;
        kept[key] = field ? submitted(field.schema, value, root) : value;
    }
    return kept;
}

/** The types that the connection at a path may have: only the type that a sibling field names, if there is one. Undefined when any type is allowed. */
export function fittingTypes(
    { connectionTypes, connectionTypeField }: JsonSchema,
    path: string,
    draft: unknown,
): readonly string[] | undefined {
    if (connectionTypeField === undefined) return connectionTypes;
    const holder = path
        .split('.')
        .slice(0, -1)
        .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], draft);
    const said = isRecord(holder) ? holder[connectionTypeField] : undefined;
    return connectionTypes?.filter(type => type === said || !connectionTypes.includes(String(said)));
}

/** A new value for one key; what is nothing goes. */
export function withValue(
    values: Readonly<Record<string, unknown>>,
    key: string,
    value: unknown,
): Readonly<Record<string, unknown>> {
    if (value !== undefined) return { ...values, [key]: value };
    const { [key]: _gone, ...rest } = values;
    return rest;
}

/** The values after a field was changed. A value clears the fields that it replaces: a chosen file clears the sample text. */
export function withChange(
    values: Readonly<Record<string, unknown>>,
    { key, schema: { replaces = [] } }: Field,
    value: unknown,
): Readonly<Record<string, unknown>> {
    const kept =
        value === undefined ? values : replaces.reduce((all, other) => withValue(all, other, undefined), values);
    return withValue(kept, key, value);
}

/** What a text that was typed means: an emptied field is left out, unless an empty text is allowed and has to be given. */
export function textValue(text: string, schema: JsonSchema, isRequired: boolean): string | undefined {
    if (text !== '') return text;
    return isRequired && (schema.minLength ?? 0) === 0 ? '' : undefined;
}

/** What a new entry of a list starts as. */
export function emptyValue(schema: JsonSchema, root: JsonSchema): unknown {
    if (schema.default !== undefined) return schema.default;
    switch (kindOf(schema, root)) {
        case 'object':
            return {};
        case 'list':
            return [];
        case 'boolean':
            return false;
        case 'number':
            return schema.minimum ?? 0;
        case 'select':
            return schema.enum?.[0];
        default:
            return '';
    }
}

/** One line that distinguishes entries of a list: their first plain values. */
export function summaryOf(value: unknown): string {
    const plain = isRecord(value) ? Object.values(value) : [value];
    return plain
        .filter(one => typeof one === 'string' || typeof one === 'number')
        .slice(0, 3)
        .join(' · ');
}
