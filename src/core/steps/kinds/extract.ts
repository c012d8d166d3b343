import { z } from 'zod';
import type { AdapterContext } from '../../adapter/context';
import type { ExtractContext } from '../../adapter/extractor';
import type { JsonObject } from '../../value/json';
import { extractStep } from '../extract';
import { adapterOf } from './named-adapter';
import { defineStepKind } from './step-kind';

/** Reads records (spec 1, rule 2). */
export const extract = defineStepKind({
    kind: 'EXTRACT',
    summary: 'Reads records.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'extractor', field: 'adapterCode' },
    behind: 'starts',
    behindReason: 'an EXTRACT step reads its own records, so only a TRIGGER step may come before it',
    role: {
        as: 'source',
        compile({ key, config }, { registry, elsewhere, cut }) {
            const { adapter, own, parsed } = adapterOf('extractor', { key, config }, registry);
            const away = elsewhere?.source({ stepKey: key, extractor: adapter, config: own });
            const reading = {
                extract: (cx: ExtractContext) => (away ? away({}, cx) : adapter.extract(parsed, cx)),
                ...(adapter.afterSuccess && {
                    afterSuccess: (actions: readonly JsonObject[], cx: AdapterContext) =>
                        adapter.afterSuccess!(parsed, actions, cx),
                }),
                ...(adapter.saved && { saved: (cx: AdapterContext) => adapter.saved!(parsed, cx) }),
            };
            return extractStep(key, reading, cut);
        },
    },
});
