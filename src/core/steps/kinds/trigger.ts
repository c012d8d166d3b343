import { z } from 'zod';
import { defineStepKind } from './step-kind';

/** The trigger types of spec 1, rule 3, those that do not run yet included. */
export const TRIGGER_TYPES = ['MANUAL', 'SCHEDULE', 'WEBHOOK', 'EVENT', 'FILE', 'MESSAGE'] as const;

/** Starts runs (spec 1, rule 3). */
export const trigger = defineStepKind({
    kind: 'TRIGGER',
    summary: 'Starts runs.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'trigger', field: 'type', planned: TRIGGER_TYPES },
    behind: 'nothing',
    behindReason: 'nothing comes before a trigger',
    role: { as: 'start' },
});
