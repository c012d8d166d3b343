import { z } from 'zod';
import { loadStep } from '../load';
import { adapterOf } from './named-adapter';
import { defineStepKind } from './step-kind';

/** The step kind LOAD: writes into the shop or another system. */
export const load = defineStepKind({
    kind: 'LOAD',
    summary: 'Writes into the shop, or into another system.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'loader', field: 'adapterCode' },
    behind: 'records',
    role: {
        as: 'work',
        loads: true,
        compile(step, { registry }) {
            const { adapter, parsed } = adapterOf('loader', step, registry);
            return { ...loadStep(step.key, adapter, parsed), adds: adapter.adds?.(parsed) === true };
        },
    },
});
