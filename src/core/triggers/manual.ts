import { z } from 'zod';
import { defineTrigger } from '../adapter/trigger';

/**
 * The trigger MANUAL: a user or an API call starts the pipeline. The step's `type` is removed before this is applied.
 */
export const manual = defineTrigger({
    code: 'MANUAL',
    title: 'Manual start',
    summary: 'Starts the pipeline when a person or an API call requests it.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A disabled trigger does not start runs.' }),
    }),
});
