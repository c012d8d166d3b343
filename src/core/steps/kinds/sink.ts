import { z } from 'zod';
import { sinkStep } from '../sink';
import { adapterOf } from './named-adapter';
import { defineStepKind } from './step-kind';

/** The step kind SINK: delivers records to another system. */
export const sink = defineStepKind({
    kind: 'SINK',
    summary: 'Delivers records to another system.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'sink', field: 'adapterCode' },
    behind: 'records',
    remarks:
        'A record with `__operation` DELETE is removed from the target; CREATE, UPDATE and UPSERT, or no `__operation`, deliver it. Delivered records count as `updated`, removed ones as `deleted`. How to write a sink: [your own sinks](../guide/custom-adapters.md#sinks).',
    role: {
        as: 'work',
        compile(step, { registry }) {
            const { adapter, parsed } = adapterOf('sink', step, registry);
            return sinkStep(step.key, adapter, parsed);
        },
    },
});
