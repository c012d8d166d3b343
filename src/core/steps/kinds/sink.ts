import { z } from 'zod';
import { defineStepKind } from './step-kind';

/** Delivers records to another system (spec 3, "Sink step"). */
export const sink = defineStepKind({
    kind: 'SINK',
    summary: 'Delivers records to another system.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'sink', field: 'adapterCode' },
    behind: 'records',
    role: { as: 'later' },
});
