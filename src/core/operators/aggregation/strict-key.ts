import type { JsonValue } from '../../value/json';

/**
 * The text by which type-strict keys are compared ("7" is not 7); undefined for null, lists, objects and missing
 * values.
 */
export function strictKey(value: JsonValue | undefined): string | undefined {
    switch (typeof value) {
        case 'string':
            return `s${value}`;
        case 'boolean':
            return `b${value}`;
        // Negative zero counts as zero.
        case 'number':
            return Number.isFinite(value) ? `n${value || 0}` : undefined;
        default:
            return undefined;
    }
}
