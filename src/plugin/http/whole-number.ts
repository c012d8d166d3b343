import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';

/** A parameter of a request and its allowed values. */
interface WholeNumberRule {
    readonly name: string;
    readonly min: number;
    readonly max: number;
}

const DIGITS = /^(0|[1-9]\d{0,15})$/;

/**
 * The number in a text of a query or a form, in its canonical form only: `1e3`, `1.0`, `+1`, ` 1`, `01` and `٣` are rejected, and nothing is
 * rounded or cut to fit. Throws INPUT_INVALID.
 */
export function wholeNumberOf(text: unknown, rule: WholeNumberRule): number {
    const number = typeof text === 'string' && DIGITS.test(text) ? Number(text) : undefined;
    return inRange(number, { ...rule, given: text });
}

/** A number of a JSON body, exact and in range. Throws INPUT_INVALID. */
export function wholeJsonNumber(value: unknown, rule: WholeNumberRule): number {
    return inRange(Number.isSafeInteger(value) ? (value as number) : undefined, { ...rule, given: value });
}

function inRange(
    number: number | undefined,
    { name, min, max, given }: WholeNumberRule & { readonly given: unknown },
): number {
    if (number !== undefined && number >= min && number <= max) return number;
    throw flowError('INPUT_INVALID', {
        problem: `${name} is ${show(given)}; allowed: a whole number, ${min} to ${max}`,
    });
}
