import { z } from 'zod';
import { defineStepKind } from './step-kind';

/** All trigger types, including those that do not run yet. */
export const TRIGGER_TYPES = ['MANUAL', 'SCHEDULE', 'WEBHOOK', 'EVENT', 'FILE', 'MESSAGE'] as const;

/** The step kind TRIGGER: starts runs. */
export const trigger = defineStepKind({
    kind: 'TRIGGER',
    summary: 'Starts runs.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'trigger', field: 'type', planned: TRIGGER_TYPES },
    behind: 'nothing',
    role: { as: 'start' },
});
