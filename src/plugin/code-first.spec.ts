import { z } from 'zod';
import { defineExtractor } from '../core/adapter/extractor';
import { Registry } from '../core/adapter/registry';
import { defineTrigger } from '../core/adapter/trigger';
import { isFlowError } from '../core/errors/flow-error';
import type { DefinitionInput, PipelineSource } from '../core/pipeline/definition';
import { checkCodeFirst } from './code-first';

const registry = Registry.of([
    defineTrigger({ code: 'MANUAL', title: 'Manual', summary: 'By hand.', config: z.strictObject({}) }),
    defineExtractor({
        code: 'numbers',
        title: 'Numbers',
        summary: 'Counts.',
        config: z.strictObject({ count: z.int().default(3) }),
        extract: async function* () {
            /* no pages */
        },
    }),
]);

const sound: DefinitionInput = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'numbers', count: 5 } },
    ],
    edges: [{ from: 'start', to: 'in' }],
};
const source = (code: string, definition: DefinitionInput): PipelineSource => ({
    code,
    name: code,
    description: '',
    enabled: true,
    definition,
});

describe('code-first pipelines', () => {
    it('keep their digest when only the order of keys or a default that was spelled out differs', () => {
        const [a, b] = checkCodeFirst(
            [
                source('a', sound),
                source('b', { edges: sound.edges, throughput: { batchSize: 100 }, steps: sound.steps, version: 1 }),
            ],
            registry,
        );
        expect(a!.digest).toBe(b!.digest);
    });

    it('get another digest when a configuration differs', () => {
        const other: DefinitionInput = {
            ...sound,
            steps: [sound.steps[0]!, { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'numbers', count: 6 } }],
        };
        const [a, b] = checkCodeFirst([source('a', sound), source('b', other)], registry);
        expect(a!.digest).not.toBe(b!.digest);
    });

    it('are refused with the faults of all of them, named by pipeline, one in a line', () => {
        const unknownAdapter: DefinitionInput = {
            ...sound,
            steps: [sound.steps[0]!, { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'number' } }],
        };
        let message = '';
        try {
            checkCodeFirst(
                [
                    source('good', sound),
                    source('first', unknownAdapter),
                    source('second', { version: 1, steps: [], edges: [] }),
                ],
                registry,
            );
        } catch (error) {
            if (!isFlowError(error)) throw error;
            message = error.message;
            expect(error.code).toBe('DEFINITION_INVALID');
            expect((error.details?.['issues'] as readonly unknown[]).length).toBeGreaterThanOrEqual(2);
        }
        expect(message).toContain('pipeline "first":\n  - ');
        expect(message).toContain('(ADAPTER_NOT_FOUND)');
        expect(message).toContain('pipeline "second":\n  - ');
        expect(message).not.toContain('good');
    });
});
