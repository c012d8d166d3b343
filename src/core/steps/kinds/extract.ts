import { z } from 'zod';
import type { AdapterContext } from '../../adapter/context';
import type { ExtractContext } from '../../adapter/extractor';
import type { JsonObject } from '../../value/json';
import { LOOKUP } from '../../schema/seed-mode';
import { extractStep } from '../extract';
import { lookupStep } from '../lookup';
import { invalidConfig } from '../parse-config';
import { adapterOf } from './named-adapter';
import { defineStepKind } from './step-kind';

/** The step kind EXTRACT: reads records from a source. */
export const extract = defineStepKind({
    kind: 'EXTRACT',
    summary: 'Reads records.',
    frame: z.strictObject({}),
    adapters: { form: 'one', kind: 'extractor', field: 'adapterCode' },
    behind: 'anything',
    role: {
        as: 'source',
        compile({ key, config }, { registry, elsewhere, cut, reference }) {
            const { adapter, own, parsed } = adapterOf('extractor', { key, config }, registry);
            const away = elsewhere?.source({ stepKey: key, extractor: adapter, config: own });
            const about = reference && { reference };
            const reading = {
                extract: (cx: ExtractContext) => (away ? away({}, cx) : adapter.extract(parsed, { ...cx, ...about })),
                ...(adapter.afterSuccess && {
                    afterSuccess: (actions: readonly JsonObject[], cx: AdapterContext) =>
                        adapter.afterSuccess!(parsed, actions, cx),
                }),
                ...(adapter.afterCompletion && { actsAfterCompletion: true }),
                isPart: adapter.readsPart?.(parsed) === true,
                ...(adapter.saved && { saved: (cx: AdapterContext) => adapter.saved!(parsed, { ...cx, ...about }) }),
            };
            return extractStep(key, reading, cut);
        },
        // However it is written, also before its aliases are replaced.
        looksUp: ({ seedMode }) => typeof seedMode === 'string' && seedMode.toUpperCase() === LOOKUP,
        compileLookup({ key, config }, { registry }) {
            const { adapter, parsed } = adapterOf('extractor', { key, config }, registry);
            if (!adapter.lookup)
                throw invalidConfig([
                    {
                        path: `${key}.seedMode`,
                        message: `The extractor ${adapter.code} of step "${key}" looks nothing up`,
                    },
                ]);
            return lookupStep(key, cx => adapter.lookup!(parsed, cx));
        },
    },
});
