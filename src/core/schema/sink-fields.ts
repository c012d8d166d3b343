import { z } from 'zod';
import { path, wholeNumber } from './fields';

/** What sinks are configured with alike. */
export const sinkFields = {
    batchSize: wholeNumber(
        { min: 1, max: 10_000 },
        {
            title: 'Batch size',
            description: 'How many records go to the target at a time, one such part after another.',
        },
    ).default(100),
    defaultOperation: z.enum(['UPSERT', 'DELETE']).default('UPSERT').meta({
        title: 'Operation',
        description: 'What is done with a record that does not say it in `__operation`.',
        aliases: {},
    }),
    idField: path('Id field', 'What the target knows a record by; `id` where it is left out.').optional(),
} as const;
