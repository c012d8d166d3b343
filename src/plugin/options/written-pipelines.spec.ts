import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { Registry } from '../../core/adapter/registry';
import { defineTrigger } from '../../core/adapter/trigger';
import { isFlowError } from '../../core/errors/flow-error';
import type { DefinitionInput, PipelineSource } from '../../core/pipeline/definition';
import { checkCodeFirst, type CodeFirstPipeline, readCodeFirst } from './written-pipelines';

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

const PERMISSIONS: ReadonlySet<string> = new Set(['UpdateCatalog']);
const checked = (...sources: readonly PipelineSource[]): readonly CodeFirstPipeline[] =>
    checkCodeFirst(readCodeFirst(sources, registry), PERMISSIONS);

describe('code-first pipelines', () => {
    it('keep their digest when only the order of keys or a default that was spelled out differs', () => {
        const [a, b] = checked(
            source('a', sound),
            source('b', { edges: sound.edges, throughput: { batchSize: 100 }, steps: sound.steps, version: 1 }),
        );
        expect(a!.digest).toBe(b!.digest);
    });

    it('get another digest when a configuration differs', () => {
        const other: DefinitionInput = {
            ...sound,
            steps: [sound.steps[0]!, { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'numbers', count: 6 } }],
        };
        const [a, b] = checked(source('a', sound), source('b', other));
        expect(a!.digest).not.toBe(b!.digest);
    });

    it('are rejected with the issues of all of them, one per line under its pipeline', () => {
        const unknownAdapter: DefinitionInput = {
            ...sound,
            steps: [sound.steps[0]!, { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'number' } }],
        };
        let message = '';
        try {
            checked(
                source('good', sound),
                source('first', unknownAdapter),
                source('second', { version: 1, steps: [], edges: [] }),
                source('third', { ...sound, capabilities: { requires: ['UpdateCatalgo'] } }),
                source('fourth', { ...unknownAdapter, capabilities: { requires: ['Nope'] } }),
            );
        } catch (error) {
            if (!isFlowError(error)) throw error;
            message = error.message;
            expect(error.code).toBe('DEFINITION_INVALID');
            expect((error.details!['issues'] as readonly unknown[]).length).toBeGreaterThanOrEqual(2);
        }
        expect(message).toContain('pipeline "first":\n  - ');
        expect(message).toContain('(ADAPTER_NOT_FOUND)');
        expect(message).toContain('pipeline "second":\n  - ');
        expect(message).toMatch(/pipeline "third":\n {2}- .*"UpdateCatalog".*\(PERMISSION_UNKNOWN\)\n/);
        expect(message).toMatch(/pipeline "fourth":\n {2}- .*\(ADAPTER_NOT_FOUND\)\n {2}- .*\(PERMISSION_UNKNOWN\)/);
        expect(message).not.toContain('good');
    });
});
