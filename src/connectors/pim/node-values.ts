import { decimalOf, hasExponent, isNothing, NO_EXPONENT } from '../../core/data/decimal';
import { valueInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

interface Amount {
    readonly path: string;
    /** The number of decimal places of the value. */
    readonly places: number;
    readonly what: string;
}

/** An exact whole number of the smallest unit: nothing is rounded. Throws RECORD_INVALID with the field. */
export function amountIn(node: JsonObject, field: string | null, { path, places, what }: Amount): number | undefined {
    const given = field === null ? undefined : node[field];
    // A quantity with its unit.
    const value = isJsonObject(given) ? given['value'] : given;
    if (field === null || isNothing(value)) return undefined;
    if (typeof value === 'string' && hasExponent(value)) throw valueInvalid(path + field, value, NO_EXPONENT);
    const whole = decimalOf(value)?.times(10 ** places);
    if (!whole) throw valueInvalid(path + field, value, `is not a ${what}; allowed: a decimal number`);
    if (!whole.isInteger() || !Number.isSafeInteger(whole.toNumber()))
        throw valueInvalid(
            path + field,
            value,
            `is not a ${what} that can be held exactly; allowed: at most ${places} places`,
        );
    return whole.toNumber() || 0;
}

/** A whole number; undefined for anything else. */
export function wholeIn(node: JsonObject, field: string | null): number | undefined {
    const decimal = field === null ? undefined : decimalOf(node[field]);
    const number = decimal?.isInteger() ? decimal.toNumber() : undefined;
    return Number.isSafeInteger(number) ? number : undefined;
}

const YES: readonly JsonValue[] = [true, 1, '1', 'true'];
const NO: readonly JsonValue[] = [false, 0, '0', 'false'];

/** A boolean value. Throws RECORD_INVALID for any other value. */
export function flagOf(node: JsonObject, field: string | null, path = ''): boolean | undefined {
    const value = field === null ? undefined : node[field];
    if (field === null || value === undefined || value === null) return undefined;
    if (YES.includes(value)) return true;
    if (NO.includes(value)) return false;
    throw valueInvalid(path + field, value, 'is not a switch; allowed: true, false, 1, 0');
}
