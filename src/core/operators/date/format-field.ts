import { z } from 'zod';
import { MAX_FORMAT } from './tokens';

/** A field for a date format. */
export function format(title: string, description: string): z.ZodString {
    return z
        .string()
        .min(1)
        .max(MAX_FORMAT)
        .meta({
            title,
            description: `${description} Tokens: YYYY, MM, DD, HH, mm, ss; everything else stands for itself.`,
        });
}
