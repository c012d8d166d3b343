import type { JsonValue } from '../../core/value/json';
import type { CustomField, CustomFields, CustomValues } from './custom-fields';
import type { Diff } from './diff';
import type { RecordIssues } from './record-issues';
import type { Columns } from './columns';

/** A list is joined to what is there instead of replacing it (strategy MERGE). */
function joined(field: CustomField, before: JsonValue, value: JsonValue): JsonValue {
    if (!field.isList || !Array.isArray(before) || !Array.isArray(value)) return value;
    const texts = new Set((before as readonly JsonValue[]).map(entry => JSON.stringify(entry)));
    return [
        ...(before as readonly JsonValue[]),
        ...(value as readonly JsonValue[]).filter(entry => !texts.has(JSON.stringify(entry))),
    ];
}

interface CustomPlan {
    readonly fields: CustomFields;
    readonly values: CustomValues | undefined;
    /** The path of the fields in messages and differences ("customFields"). */
    readonly path: string;
    readonly isMerge: boolean;
}

/** Writes the custom fields of a record into a row. */
export function setCustom(diff: Diff, columns: Columns, { fields, values, path, isMerge }: CustomPlan): void {
    for (const [name, value] of Object.entries(values ?? {})) {
        const field = fields.find(name)!;
        const desired = isMerge ? joined(field, columns.get(field.property), value) : value;
        diff.set(columns, field.property, { path: `${path}.${name}`, value: desired });
    }
}

/** A new row needs each field that may not be empty and has no default. */
export function requireCustom(
    fields: readonly CustomField[],
    values: CustomValues | undefined,
    { faults: issues, path }: { readonly faults: RecordIssues; readonly path: string },
): void {
    for (const field of fields) {
        if (field.isRequired && values?.[field.name] === undefined)
            issues.add(`${path}.${field.name}`, 'is missing; it may not be empty and has no default');
    }
}
