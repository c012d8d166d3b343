import type { JsonValue } from '../../core/value/json';

/** Text in the entity's own row. null and an empty value empty it, unless a new entity needs it. */
interface TextField {
    readonly kind: 'text';
    readonly holds: string;
    readonly isRequired: boolean;
    /** The default: '' or, for a nullable column, null. */
    readonly empty: '' | null;
    /** Whether a whole number is read as text: sources with types, such as XLSX, have numbers where texts consist of digits. */
    readonly mayBeNumber: boolean;
}

/** A point in time; null empties it. */
interface DateField {
    readonly kind: 'date';
    readonly holds: string;
}

/** Money in whole minor units, 0 or more. */
interface MoneyField {
    readonly kind: 'money';
    readonly holds: string;
    readonly initially: number;
}

/** One of some texts. */
interface OneOfField {
    readonly kind: 'oneOf';
    readonly holds: string;
    readonly initially: string;
    readonly allowed: readonly string[];
}

/** True or false; `initially` is the default for a new entity. */
interface FlagField {
    readonly kind: 'flag';
    readonly holds: string;
    readonly initially: boolean;
}

/** A field that is one column of its row. */
export type ValueField = TextField | FlagField | DateField | MoneyField | OneOfField;

export const text = (
    holds: string,
    { isRequired = false, empty = '' as '' | null, mayBeNumber = false } = {},
): TextField => ({ kind: 'text', holds, isRequired, empty, mayBeNumber });
export const date = (holds: string): DateField => ({ kind: 'date', holds });
export const money = (holds: string, initially: number): MoneyField => ({ kind: 'money', holds, initially });
export const oneOf = (holds: string, allowed: readonly string[], initially: string): OneOfField => ({
    kind: 'oneOf',
    holds,
    allowed,
    initially,
});
export const flag = (holds: string, initially: boolean): FlagField => ({ kind: 'flag', holds, initially });

/** The default of a field in a new row. */
export function initially(field: ValueField): JsonValue {
    if (field.kind === 'text') return field.empty;
    return field.kind === 'date' ? null : field.initially;
}
