import { type ComponentKind, UPPER_CASE } from './component-kind';

/** Does something of its own with records on their way. */
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
    every: z.int().min(1).max(1_000_000).meta({ title: 'Every', description: 'One of so many records goes on.' }),
});

/** ${title}: one record of so many goes on. */
export const ${name} = defineStepKind({
    kind: '${code}',
    summary: 'Lets one record of so many through.',
    frame,
    adapters: { form: 'none' },
    behind: 'records',
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
    const lettingThrough = (every: number) =>
        runStep({
            pipeline: { version: 1, steps: [{ key: 'own', kind: '${code}', config: { every } }], edges: [] },
            stepKey: 'own',
            records: [{ a: 1 }, { a: 2 }, { a: 3 }],
        });

    it('lets one of so many records through, and counts the others', async () => {
        const { out, counters } = await lettingThrough(2);
        expect(out).toEqual([{ a: 1 }, { a: 3 }]);
        expect(counters).toMatchObject({ in: 3, out: 2, filtered: 1 });
    });

    it('refuses a number that is none of records', async () => {
        await expect(lettingThrough(0)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    });
});
`,
    next: (file, { code }) => [
        `Say in ${file} what its steps do: summary, fields, the adapters they name, what they may stand behind, and what a batch becomes.`,
        'npm run test:unit -- src/core/steps/kinds test/step-kinds    runs its spec and the contract of all kinds',
        `npm run docs    writes the part of docs/reference/definition.md that tells of ${code}`,
    ],
};
