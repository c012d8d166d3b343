import { z } from 'zod';
import { GROUPS, inGroup } from './groups';
import { path, wholeNumber } from './fields';

/** Fields that all sinks have. */
export const sinkFields = inGroup(GROUPS.delivery, {
    batchSize: wholeNumber(
        { min: 1, max: 10_000 },
        {
            title: 'Batch size',
            description: 'The number of records per request; groups are sent one after another.',
        },
    ).default(100),
    defaultOperation: z.enum(['UPSERT', 'DELETE']).default('UPSERT').meta({
        title: 'Operation',
        description: 'The operation for records that do not set `__operation`.',
        aliases: {},
    }),
    idField: path('ID field', 'The field that identifies a record in the target. Default: `id`.').optional(),
});
