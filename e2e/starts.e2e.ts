import { NestFactory } from '@nestjs/core';
import { Logger, PermissionDefinition, PluginCommonModule, VendurePlugin } from '@vendure/core';
import { FlowPlugin, pipeline, type PipelineSource } from '../src';
import { naming } from '../test/kit/naming';
import { flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';

/** Configured after Flow, so Flow cannot know its permission before the application starts. */
@VendurePlugin({
    imports: [PluginCommonModule],
    configuration: config => {
        config.authOptions.customPermissions.push(new PermissionDefinition({ name: 'SyncSuppliers' }));
        return config;
    },
})
class SupplierPlugin {}

const requiring = (code: string, ...requires: string[]) =>
    pipeline(code)
        .capabilities({ requires })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'generator', count: 1, template: {} })
        .build();

onOneDatabase('a start', database => {
    it('is rejected with all errors when a code-first definition is invalid', async () => {
        const faulty = FlowPlugin.init({
            pipelines: [
                {
                    code: 'faulty',
                    name: 'Faulty',
                    description: '',
                    enabled: true,
                    definition: {
                        version: 1,
                        steps: [{ key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csvv' } }],
                        edges: [{ from: 'in', to: 'nowhere' }],
                    },
                },
            ],
        });
        await expect(flowServer(database, faulty)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
        const message = await flowServer(database, faulty).catch((error: Error) => error.message);
        for (const issue of [
            'pipeline "faulty":',
            '(ADAPTER_NOT_FOUND)',
            '(EDGE_UNKNOWN_STEP)',
            '(TRIGGER_MISSING)',
            '"csv"',
        ])
            expect(message).toContain(issue);
    });

    it('is rejected when an option is wrong', async () => {
        await expect(flowServer(database, FlowPlugin.init({ runtime: { leaseMs: 1 } }))).rejects.toMatchObject({
            code: 'OPTION_INVALID',
            facts: { option: 'runtime.leaseMs' },
            message: expect.stringMatching(naming(1, 1_000, 600_000)),
        });
    });

    describe('with a definition that has ten errors', () => {
        const definition = {
            version: 3,
            colour: 'red',
            throughput: { batchSize: 100_000 },
            errorHandling: { maxRetries: 'many' },
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'csvv', csvText: 'a\n1' } },
                {
                    key: 'clean',
                    kind: 'TRANSFORM',
                    config: { operators: [{ op: 'slugfy', args: { source: 'name', target: 'slug' } }] },
                },
                { key: 'write!', kind: 'LOAD', config: { adapterCode: 'productUpser' } },
            ],
            edges: [
                { from: 'start', to: 'read' },
                { from: 'read', to: 'clean' },
                { from: 'clean', to: 'write!' },
                { from: 'read', to: 'clean' },
                { from: 'read', to: 'nowhere' },
            ],
        } as unknown as PipelineSource['definition'];
        const faulty = FlowPlugin.init({
            pipelines: [{ code: 'faulty', name: 'Faulty', description: '', enabled: true, definition }],
        });

        it('keeps the server from starting, and the error lists all ten and what the unknown codes are near to', async () => {
            const rejection = await flowServer(database, faulty).then(
                () => undefined,
                (error: unknown) => error as Error & { code: string },
            );
            expect(rejection).toMatchObject({ code: 'DEFINITION_INVALID' });
            const lines = rejection!.message.split('\n').filter(line => line.startsWith('  - '));
            expect(lines.map(line => /\((\w+)\)$/.exec(line)?.[1]).sort()).toEqual([
                'ADAPTER_NOT_FOUND',
                'ADAPTER_NOT_FOUND',
                'ADAPTER_NOT_FOUND',
                'EDGE_DUPLICATE',
                'EDGE_UNKNOWN_STEP',
                'KEY_UNKNOWN',
                'STEP_KEY_INVALID',
                'VALUE_INVALID',
                'VALUE_OUT_OF_RANGE',
                'VERSION_UNSUPPORTED',
            ]);
            expect(rejection!.message).toContain('has 10 errors: ');
            for (const [wrong, near] of [
                ['csvv', 'csv'],
                ['slugfy', 'slugify'],
                ['productUpser', 'productUpsert'],
            ]) {
                expect(lines.find(line => line.includes(`"${wrong}"`))).toContain(`"${near}"`);
            }
        });
    });

    it('is rejected before any connection when code-first pipelines require a permission that no plugin has, with all other errors', async () => {
        const pipelines = [
            requiring('good', 'UpdateCatalog', 'SyncSuppliers'),
            requiring('typo', 'UpdateCatalgo'),
            {
                ...requiring('faulty', 'Nope'),
                definition: { version: 1 as const, steps: [], edges: [], capabilities: { requires: ['Nope'] } },
            },
        ];
        const created = jest.spyOn(NestFactory, 'create');
        const start = flowServer(database, SupplierPlugin, { plugins: [FlowPlugin.init({ pipelines })] });
        const error = await start.then(
            () => undefined,
            (rejection: Error) => rejection,
        );
        expect(created).not.toHaveBeenCalled();
        created.mockRestore();
        expect(error).toMatchObject({ code: 'DEFINITION_INVALID' });
        expect(error?.message).toMatch(
            /pipeline "typo":\n.*\bcapabilities\.requires\[0\].*"UpdateCatalgo".*"UpdateCatalog".*\(PERMISSION_UNKNOWN\)/,
        );
        expect(error?.message).toMatch(/pipeline "faulty":\n.*\(TRIGGER_MISSING\)\n.*"Nope".*\(PERMISSION_UNKNOWN\)/);
        expect(error?.message).not.toContain('SyncSuppliers');
    });

    // Last: it boots, so the process keeps its plugins.
    it('logs as an error which connection a pipeline lacks, and the shop is there', async () => {
        const told = jest.spyOn(Logger, 'error').mockReturnValue(undefined);
        const lacking = pipeline('lacking')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'generator', count: 1, template: {} })
            .transform('ask', [
                { op: 'httpLookup', args: { connectionCode: 'nowhere', url: '/a', keyField: 'a', target: 'a' } },
            ])
            .build();
        const shop = await flowServer(database, SupplierPlugin, {
            plugins: [FlowPlugin.init({ pipelines: [lacking, requiring('good', 'SyncSuppliers')] })],
        });
        try {
            const lines = told.mock.calls.map(([message]) => message).filter(text => text.includes('"lacking"'));
            expect(lines).toEqual([
                expect.stringMatching(
                    naming('steps[2].config.operators[0].args.connectionCode', '"nowhere"', 'Connections'),
                ),
            ]);
            expect(await shop.perform('good')).toMatchObject({ status: 'COMPLETED' });
        } finally {
            told.mockRestore();
            await shop.destroy();
        }
    });
});
