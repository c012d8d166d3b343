import { flowError } from '../../core/errors/flow-error';

/** The limit for a description, the message of a publication and the comment of a review. */
export const MAX_TEXT = 10_000;
const MAX_NAME = 255;

/** An optional text of a user. Null and empty texts become null. Throws INPUT_INVALID with the field and what is allowed. */
export function readTextInput(field: string, value: string | null | undefined, max = MAX_TEXT): string | null {
    const text = value?.trim() ?? '';
    // PostgreSQL's texts cannot contain it.
    if (text.includes('\0'))
        throw flowError('INPUT_INVALID', { problem: `${field} holds a NUL character; allowed: any other` });
    const length = [...text].length;
    if (length > max)
        throw flowError('INPUT_INVALID', {
            problem: `${field} has ${length} characters; allowed: at most ${max.toLocaleString('en')}`,
        });
    return text === '' ? null : text;
}

/** A required text. Throws INPUT_INVALID if it is missing. */
export function requiredText(field: string, value: string | null | undefined, max = MAX_TEXT): string {
    const text = readTextInput(field, value, max);
    if (text === null)
        throw flowError('INPUT_INVALID', {
            problem: `${field} is empty; allowed: 1 to ${max.toLocaleString('en')} characters`,
        });
    return text;
}

/** The name of a pipeline. Throws INPUT_INVALID. */
export function nameOf(value: string): string {
    return requiredText('name', value, MAX_NAME);
}
