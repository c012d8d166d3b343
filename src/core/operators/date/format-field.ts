import { z } from 'zod';
import { formatProblem, FORMAT_SYNTAX, MAX_FORMAT } from './tokens';
import { addIssue } from '../../schema/issues';

/** A field for a date format. */
export function format(title: string, description: string): z.ZodString {
    return z
        .string()
        .min(1)
        .max(MAX_FORMAT)
        .superRefine((text, cx) => {
            const problem = text === '' || text.length > MAX_FORMAT ? undefined : formatProblem(text);
            if (problem !== undefined) addIssue(cx, problem);
        })
        .meta({ title, description: `${description} Tokens: ${FORMAT_SYNTAX}.` });
}
