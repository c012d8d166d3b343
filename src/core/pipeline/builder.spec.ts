import { toyRegistry, type toys } from '../../../test/fixtures/definitions/catalogue';
import { naming } from '../../../test/kit/naming';
import { show } from '../value/show';
import { createPipelineBuilder } from './builder';
import type { IssueCode } from './issues';
import { checkDefinition } from './parse';

const pipeline = createPipelineBuilder<typeof toys>();

/** An error with one issue, whose message names these values. */
const withIssue = (code: IssueCode, path: string, ...named: ReadonlyArray<string | number>): Error => {
    const issue: unknown = expect.objectContaining({ code, path, message: expect.stringMatching(naming(...named)) });
    return expect.objectContaining({ code: 'DEFINITION_INVALID', details: { issues: [issue] } }) as Error;
};

describe('the builder', () => {
    it('makes a definition that is accepted, of every part that can run', () => {
        const source = pipeline('supplier-import')
            .name('Supplier')
            .description('Imports the list.')
            .channel('de-token')
            .enabled(false)
            .capabilities({ requires: ['UpdateCatalog'] })
            .throughput({ batchSize: 250 })
            .errorHandling({ maxRetries: 1 })
            .trigger('start', { type: 'MANUAL', enabled: true })
            .extract('read', { adapterCode: 'list', rows: [{ name: 'A' }] })
            .transform(
                'clean',
                [
                    { op: 'slugify', args: { source: 'name', target: 'slug' } },
                    { op: 'stamp', args: {} },
                ],
                { name: 'Clean up' },
            )
            .load('write', { adapterCode: 'thingUpsert', strategy: 'MERGE' }, { disabled: true })
            .build();
        expect(source).toEqual({
            code: 'supplier-import',
            name: 'Supplier',
            description: 'Imports the list.',
            enabled: false,
            channel: 'de-token',
            definition: {
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL', enabled: true } },
                    { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [{ name: 'A' }] } },
                    {
                        key: 'clean',
                        kind: 'TRANSFORM',
                        name: 'Clean up',
                        config: {
                            operators: [
                                { op: 'slugify', args: { source: 'name', target: 'slug' } },
                                { op: 'stamp', args: {} },
                            ],
                        },
                    },
                    {
                        key: 'write',
                        kind: 'LOAD',
                        disabled: true,
                        config: { adapterCode: 'thingUpsert', strategy: 'MERGE' },
                    },
                ],
                edges: [
                    { from: 'start', to: 'read' },
                    { from: 'read', to: 'clean' },
                    { from: 'clean', to: 'write' },
                ],
                capabilities: { requires: ['UpdateCatalog'] },
                throughput: { batchSize: 250 },
                errorHandling: { maxRetries: 1 },
            },
        });
        expect(checkDefinition(source.definition, toyRegistry).issues).toEqual([]);
    });

    it('takes the code as a method too, and the code for the name', () => {
        expect(pipeline().code('a-b').build()).toMatchObject({
            code: 'a-b',
            name: 'a-b',
            description: '',
            enabled: true,
        });
    });

    it('joins all consecutive triggers to the step after them', () => {
        const { definition } = pipeline('p')
            .trigger('a', { type: 'MANUAL' })
            .trigger('b', { type: 'MANUAL' })
            .extract('read', { adapterCode: 'list', rows: [] })
            .build();
        expect(definition.edges).toEqual([
            { from: 'a', to: 'read' },
            { from: 'b', to: 'read' },
        ]);
        expect(checkDefinition(definition, toyRegistry).issues).toEqual([]);
    });

    it('chains nothing by itself once an edge is given', () => {
        const builder = pipeline('p')
            .trigger('start', { type: 'MANUAL' })
            .extract('read', { adapterCode: 'list', rows: [] })
            .route('by-size', { branches: [] })
            .edge('start', 'read')
            .edge('read', 'by-size')
            .edge('by-size', 'read', 'large');
        expect(builder.build().definition.edges).toEqual([
            { from: 'start', to: 'read' },
            { from: 'read', to: 'by-size' },
            { from: 'by-size', to: 'read', branch: 'large' },
        ]);
    });

    it('rejects a duplicate key where it is used', () => {
        const builder = pipeline('p').trigger('start', { type: 'MANUAL' });
        expect(() => builder.extract('start', { adapterCode: 'list', rows: [] })).toThrow(
            withIssue('STEP_KEY_DUPLICATE', 'steps[1].key', '"start"'),
        );
    });

    it.each(['Upper', 'a_b', '-a', 'a-', 'a--b', '', 'x'.repeat(65)])('rejects the pipeline code %p', code => {
        expect(() => pipeline(code)).toThrow(withIssue('VALUE_INVALID', 'code', show(code), 64));
    });

    it('does not build a pipeline without a code', () => {
        expect(() => pipeline().build()).toThrow(withIssue('VALUE_INVALID', 'code', "pipeline('my-code')"));
    });

    it('builds steps with unknown names, and the check rejects each of them', () => {
        const { definition } = pipeline('p')
            .trigger('start', { type: 'MANUAL' })
            .extract('read', { adapterCode: 'list', rows: [] })
            .validate('check', { rules: [{ type: 'business', spec: { field: 'sku', required: true } }] })
            .route('split', { branches: [{ name: 'big', when: [{ field: 'size', cmp: 'gt', value: 9 }] }] })
            .gate('approve', { approvalType: 'TIMEOUT', timeoutSeconds: 60 })
            .sink('search', { adapterCode: 'meilisearch', host: 'x' })
            .hooks({ AFTER_EXTRACT: [{ type: 'LOG', message: 'read' }] })
            .build();
        expect(checkDefinition(definition, toyRegistry).issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
            'ADAPTER_NOT_FOUND steps[5].config.adapterCode',
            // Only the author knows by which branch the chain continues.
            'BRANCH_MISSING edges[3]',
        ]);
    });
});
