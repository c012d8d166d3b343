import { z } from 'zod';

/** The mode that reads the entities named by the incoming records. */
export const LOOKUP = 'LOOKUP';

/** What an EXTRACT step does with incoming records, for extractors that implement `lookup`. */
export function seedMode(): z.ZodDefault<z.ZodEnum<{ PASS_THROUGH: 'PASS_THROUGH'; LOOKUP: 'LOOKUP' }>> {
    return z.enum(['PASS_THROUGH', LOOKUP]).default('PASS_THROUGH').meta({
        title: 'Seed mode',
        description:
            'How the step handles incoming records, for example from a webhook or an event: it passes them on unchanged or, with LOOKUP, reads the objects that they name from the source.',
        aliases: {},
    });
}
