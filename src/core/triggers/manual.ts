import { z } from 'zod';
import { defineTrigger } from '../adapter/trigger';

/** Somebody presses the button, or calls the API. The step's `type` is taken off before this is applied. */
export const manual = defineTrigger({
    code: 'MANUAL',
    title: 'Manual start',
    summary: 'Starts the pipeline when a person or an API call asks for it.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A trigger that is not enabled starts nothing.' }),
    }),
});
