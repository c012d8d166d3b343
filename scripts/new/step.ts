import { type ComponentKind, UPPER_CASE } from './component-kind';

/** The field of a step kind that says which steps may precede it. */
const PRECEDED_BY = 'behind';

/** Processes records in a new way. */
export const step: ComponentKind = {
    codes: UPPER_CASE,
    folder: 'src/core/steps/kinds',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/core/steps/kinds.ts',
    list: 'stepKinds',
    declaration: ({ code, name, title }) => `import { z } from 'zod';
import { parseConfig } from '../parse-config';
import { defineStepKind } from './step-kind';

const frame = z.strictObject({
    every: z.int().min(1).max(1_000_000).meta({ title: 'Every', description: 'One of this number of records continues.' }),
});

/** ${title}: keeps one of a number of records. */
export const ${name} = defineStepKind({
    kind: '${code}',
    summary: 'Keeps one of a number of records.',
    frame,
    adapters: { form: 'none' },
    ${PRECEDED_BY}: 'records',
    role: {
        as: 'work',
        compile({ key, config }) {
            const { every } = parseConfig(key, frame, config);
            return {
                key,
                open: async () => async batch => {
                    const out = batch.filter(({ origin }) => origin.seq % every === 0);
                    return { out, counts: { filtered: batch.length - out.length }, rejects: [], failed: [] };
                },
            };
        },
    },
});
`,
    spec: ({ code }) => `import { runStep } from '../../../testing/run';

describe('${code}', () => {
    const keepingOneOf = (every: number) =>
        runStep({
            pipeline: { version: 1, steps: [{ key: 'own', kind: '${code}', config: { every } }], edges: [] },
            stepKey: 'own',
            records: [{ a: 1 }, { a: 2 }, { a: 3 }],
        });

    it('keeps one of a number of records, and counts the others', async () => {
        const { out, counters } = await keepingOneOf(2);
        expect(out).toEqual([{ a: 1 }, { a: 3 }]);
        expect(counters).toMatchObject({ in: 3, out: 2, filtered: 1 });
    });

    it('rejects a number that is less than 1', async () => {
        await expect(keepingOneOf(0)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, fields, the adapters that steps name, the steps that may precede them, and what happens to a batch.`,
        'npm run test:unit -- src/core/steps/kinds test/step-kinds    runs its spec and the contract of all kinds',
        `npm run docs    writes the part of docs/reference/definition.md about ${code}`,
    ],
};
