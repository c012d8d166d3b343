import { z } from 'zod';

/** Reads what the records that come to the step name. */
export const LOOKUP = 'LOOKUP';

/** What an EXTRACT step does with records that come to it, in extractors that have `lookup`. */
export function seedMode(): z.ZodDefault<z.ZodEnum<{ PASS_THROUGH: 'PASS_THROUGH'; LOOKUP: 'LOOKUP' }>> {
    return z.enum(['PASS_THROUGH', LOOKUP]).default('PASS_THROUGH').meta({
        title: 'Seed mode',
        description:
            'What becomes of records that come to the step, those of a webhook or an event say: handed on as they are, or, with LOOKUP, what they name is read now.',
        aliases: {},
    });
}
