import type { JsonValue } from '../../value/json';

/** The text by which type-strict keys are compared ("7" is not 7); undefined for null, lists, objects and what is missing. */
export function strictKey(value: JsonValue | undefined): string | undefined {
    switch (typeof value) {
        case 'string':
            return `s${value}`;
        case 'boolean':
            return `b${value}`;
        // Zero has a sign that nobody means.
        case 'number':
            return Number.isFinite(value) ? `n${value || 0}` : undefined;
        default:
            return undefined;
    }
}
