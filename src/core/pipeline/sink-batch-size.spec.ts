import { inMemory } from '../../adapters/extractors/in-memory';
import { graphqlMutation } from '../../adapters/loaders/graphql-mutation';
import { webhookSink } from '../../adapters/sinks/webhook';
import { Registry } from '../adapter/registry';
import { triggers } from '../triggers';
import type { JsonObject } from '../value/json';
import { checkDefinition } from './parse';

const registry = Registry.of(triggers, [inMemory, webhookSink, graphqlMutation]);

/** The faults of a pipeline into one step. */
function faultsOf(step: JsonObject, throughput?: JsonObject): readonly string[] {
    const definition = {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ id: 1 }] } },
            { key: 'send', ...step },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'send' },
        ],
        ...(throughput && { throughput }),
    };
    const { issues } = checkDefinition(definition, registry);
    return issues.filter(({ severity }) => severity !== 'WARNING').map(({ code, path }) => `${code} ${path}`);
}

const webhook = (batchSize?: number): JsonObject => ({
    kind: 'SINK',
    config: { adapterCode: 'webhook', url: 'https://a.example', ...(batchSize !== undefined && { batchSize }) },
});
const REFUSED = ['CONFIG_INVALID steps[2].config.batchSize'];

describe('the batchSize of a step that sends', () => {
    it('is refused above that of the batches that it gets, also where these have the default', () => {
        expect(faultsOf(webhook(101))).toEqual(REFUSED);
        expect(faultsOf(webhook(11), { batchSize: 10 })).toEqual(REFUSED);
        const mutation = {
            adapterCode: 'graphqlMutation',
            endpoint: 'https://a.example',
            mutation: 'mutation M($id: ID!) { put(id: $id) { id } }',
            variables: { id: 'id' },
            batchSize: 3,
        };
        expect(faultsOf({ kind: 'LOAD', config: mutation }, { batchSize: 2 })).toContain(REFUSED[0]);
    });

    it('may be as large as they are, and its own default is never too large', () => {
        expect(faultsOf(webhook(100))).toEqual([]);
        expect(faultsOf(webhook(500), { batchSize: 500 })).toEqual([]);
        expect(faultsOf(webhook(), { batchSize: 2 })).toEqual([]);
    });
});
