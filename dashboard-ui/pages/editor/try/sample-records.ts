import { isObject } from '../model/definition';

const MAX_RECORDS = 1000;

/** The records that a text holds: one JSON object, a list of them, or one on each line; undefined where it holds anything else. */
export function readRecords(text: string): readonly unknown[] | undefined {
    const whole = json(text);
    const found = whole
        ? Array.isArray(whole.value)
            ? (whole.value as readonly unknown[])
            : [whole.value]
        : lines(text);
    return found && found.length > 0 && found.length <= MAX_RECORDS && found.every(isObject) ? found : undefined;
}

function lines(text: string): readonly unknown[] | undefined {
    const read = text.split('\n').filter(line => line.trim() !== '');
    const values = read.map(json);
    return values.every(value => value !== undefined) ? values.map(({ value }) => value) : undefined;
}

function json(text: string): { readonly value: unknown } | undefined {
    try {
        return { value: JSON.parse(text) as unknown };
    } catch {
        return undefined; // In that case it is parsed line by line, or rejected.
    }
}
