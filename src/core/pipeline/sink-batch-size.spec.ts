import { z } from 'zod';
import { inMemory } from '../../adapters/extractors/in-memory';
import { graphqlMutation } from '../../adapters/loaders/graphql-mutation';
import { webhookSink } from '../../adapters/sinks/webhook';
import { Registry } from '../adapter/registry';
import { defineSink } from '../adapter/sink';
import { sinkFields } from '../schema/sink-fields';
import { triggers } from '../triggers';
import type { JsonObject } from '../value/json';
import { checkDefinition } from './parse';

const bulk = defineSink({
    code: 'bulk',
    title: 'Bulk',
    summary: 'Delivers many records at a time.',
    config: z.strictObject({ ...sinkFields, batchSize: z.int().min(1).default(500) }),
    open: () => Promise.reject(new Error('nothing is delivered')),
});
const registry = Registry.of(triggers, [inMemory, webhookSink, graphqlMutation, bulk]);

/** What is said of a pipeline into one step. */
function issuesOf(step: JsonObject, throughput?: JsonObject): readonly string[] {
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
    return issues.map(({ code, path }) => `${code} ${path}`);
}

const webhook = (batchSize?: number): JsonObject => ({
    kind: 'SINK',
    config: { adapterCode: 'webhook', url: 'https://a.example', ...(batchSize !== undefined && { batchSize }) },
});
const REFUSED = ['CONFIG_INVALID steps[2].config.batchSize'];

describe('the batchSize of a step that sends', () => {
    it('is rejected above that of the batches that it gets, also if these have the default', () => {
        expect(issuesOf(webhook(101))).toEqual(REFUSED);
        expect(issuesOf(webhook(11), { batchSize: 10 })).toEqual(REFUSED);
        const mutation = {
            adapterCode: 'graphqlMutation',
            endpoint: 'https://a.example',
            mutation: 'mutation M($id: ID!) { put(id: $id) { id } }',
            variables: { id: 'id' },
            batchSize: 3,
        };
        expect(issuesOf({ kind: 'LOAD', config: mutation }, { batchSize: 2 })).toContain(REFUSED[0]);
    });

    it('may be as large as theirs, and a default is never too large', () => {
        expect(issuesOf(webhook(100))).toEqual([]);
        expect(issuesOf(webhook(500), { batchSize: 500 })).toEqual([]);
        expect(issuesOf(webhook(), { batchSize: 2 })).toEqual([]);
        expect(issuesOf({ kind: 'SINK', config: { adapterCode: 'bulk' } })).toEqual([]);
    });
});
