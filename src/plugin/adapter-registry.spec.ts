import { z } from 'zod';
import type { PipelineSource } from '../core/pipeline/definition';
import { defineConnection } from '../core/adapter/connection';
import type { CustomSink } from '../core/adapter/custom-sink';
import { defineSink } from '../core/adapter/sink';
import { FlowAdapterRegistry } from './adapter-registry';
import { checkConnections } from './options/connection-sources';
import { checkBeforeStart } from './options/written-pipelines';
import { setUp } from './setup';

const words = { category: 'Own', title: 'Shelf', summary: 'Is a shelf.' };
const shelf = (code: string) =>
    defineSink({ ...words, code, config: z.strictObject({}), open: async () => ({ deliver: async () => [] }) });
const custom: CustomSink = {
    type: 'SINK',
    code: 'shelf',
    name: 'Shelf',
    sinkType: 'CUSTOM',
    schema: { fields: [] },
    index: async () => ({ indexed: 0, deleted: 0, failed: 0 }),
};

describe('the registry of adapters', () => {
    it('accepts adapters and custom sinks before and after Flow is set up', () => {
        const setup = setUp({});
        const adapters = new FlowAdapterRegistry();
        adapters.register(custom);
        adapters.connect(setup);
        adapters.register(shelf('rack'));
        expect(setup.registry.get('sink', 'shelf').title).toBe('Shelf');
        expect(setup.registry.get('sink', 'rack').code).toBe('rack');
    });

    it('rejects a code that another adapter of the kind has, whether of Flow or registered', () => {
        const setup = setUp({ adapters: [shelf('given')] });
        const adapters = new FlowAdapterRegistry();
        adapters.connect(setup);
        adapters.register(custom);
        for (const code of ['shelf', 'given', 'webhook', 'searchEngineA'])
            expect(() => adapters.register(shelf(code))).toThrow(
                expect.objectContaining({ code: 'ADAPTER_DUPLICATE' }),
            );
        const early = new FlowAdapterRegistry();
        early.register(shelf('webhook'));
        expect(() => early.connect(setUp({}))).toThrow(expect.objectContaining({ code: 'ADAPTER_DUPLICATE' }));
        expect(setup.registry.list('sink').filter(({ code }) => code === 'shelf')).toHaveLength(1);
    });

    it('rejects values that are not adapters, and adapters that are registered after pipelines have been checked', () => {
        const adapters = new FlowAdapterRegistry();
        adapters.connect(setUp({}));
        const rejected = expect.objectContaining({ code: 'ADAPTER_REFUSED' });
        for (const wrong of [undefined, null, 'shelf', {}, { kind: 'shelf', code: 'a', config: {} }])
            expect(() => adapters.register(wrong as never)).toThrow(rejected);
        expect(() => adapters.register({ ...custom, code: 'No Code' })).toThrow(rejected);
        adapters.close();
        expect(() => adapters.register(custom)).toThrow(rejected);
    });

    it('is separate for each server of a process', () => {
        const made = setUp({});
        const [one, other] = [{ ...made }, { ...made }];
        for (const setup of [one, other]) {
            const adapters = new FlowAdapterRegistry();
            adapters.connect(setup);
            adapters.register(custom);
        }
        expect(one.registry.find('sink', 'shelf')).toBeDefined();
        expect(made.registry.find('sink', 'shelf')).toBeUndefined();
    });
});

describe('a definition that names an adapter that is not registered yet', () => {
    const source = (code: string, sink: object, more: object = {}): PipelineSource => ({
        code,
        name: code,
        description: '',
        enabled: true,
        definition: {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{}] } },
                { key: 'send', kind: 'SINK', config: { ...sink } },
            ],
            edges: [
                { from: 'start', to: 'read' },
                { from: 'read', to: 'send' },
            ],
            ...more,
        },
    });
    const checked = (...pipelines: PipelineSource[]) => checkBeforeStart(setUp({ pipelines }).pipelines, new Set());

    it('is not checked before other plugins have started, unless something else is wrong with it', () => {
        expect(() => checked(source('late', { adapterCode: 'shelf' }))).not.toThrow();
        const faulty = source('faulty', { adapterCode: 'shelf' }, { throughput: { batchSize: 0 } });
        expect(() => checked(source('late', { adapterCode: 'shelf' }), faulty)).toThrow(
            expect.objectContaining({ code: 'DEFINITION_INVALID' }),
        );
        expect(() => checked(source('wrong', { adapterCode: 'webhook' }))).toThrow(
            expect.objectContaining({ code: 'DEFINITION_INVALID' }),
        );
    });

    it('may be a connection, whose type is checked at the end', () => {
        const connections = [{ code: 'dock', type: 'DOCK', settings: { gate: 7 } }];
        const setup = setUp({ connections });
        const final = () => checkConnections(setup.options.connections, setup.registry, true);
        expect(final).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
        const adapters = new FlowAdapterRegistry();
        adapters.connect(setup);
        const config = z.strictObject({ gate: z.int().meta({ title: 'Gate', description: 'Its number.' }) });
        adapters.register(defineConnection({ ...words, code: 'DOCK', config }));
        expect(final()).toEqual([{ code: 'dock', type: 'DOCK', settings: { gate: 7 } }]);
    });
});
