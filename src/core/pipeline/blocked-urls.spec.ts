import { graphqlExtractor } from '../../adapters/extractors/graphql';
import { httpApi } from '../../adapters/extractors/http-api';
import { inMemory } from '../../adapters/extractors/in-memory';
import { graphqlMutation } from '../../adapters/loaders/graphql-mutation';
import { restPost } from '../../adapters/loaders/rest-post';
import { webhookSink } from '../../adapters/sinks/webhook';
import { hostProblemOf } from '../../io/outbound/host-problem';
import { Registry } from '../adapter/registry';
import { triggers } from '../triggers';
import type { JsonObject } from '../value/json';
import { checkDefinition } from './parse';

const registry = Registry.of(triggers, [inMemory, httpApi, graphqlExtractor, restPost, graphqlMutation, webhookSink]);
const hostProblem = hostProblemOf({ allowedHostnames: ['10.0.0.7'], allowedPorts: [] });

const STEPS: ReadonlyArray<readonly [kind: string, field: string, config: JsonObject]> = [
    ['EXTRACT', 'url', { adapterCode: 'httpApi' }],
    ['EXTRACT', 'url', { adapterCode: 'graphql', query: '{ products { sku } }', dataPath: 'data.products' }],
    ['LOAD', 'endpoint', { adapterCode: 'restPost' }],
    ['LOAD', 'endpoint', { adapterCode: 'graphqlMutation', mutation: 'mutation ($id: ID!) { put(id: $id) { id } }' }],
    ['SINK', 'url', { adapterCode: 'webhook' }],
];

describe.each(STEPS)('a step that asks a server: %s with %s of %j', (kind, field, config) => {
    const faultsOf = (url: string): readonly string[] => {
        const step = { key: 'step', kind, config: { ...config, [field]: url } };
        const { issues } = checkDefinition({ version: 1, steps: [step], edges: [] }, registry, { hostProblem });
        return issues.filter(({ path }) => path === `steps[0].config.${field}`).map(({ code }) => code);
    };

    it.each(['http://169.254.169.254/latest', 'http://localhost:3000/x', 'http://10.0.0.8/'])(
        'is refused with the host of %s, which may not be asked',
        url => expect(faultsOf(url)).toEqual(['CONFIG_INVALID']),
    );

    it.each(['https://api.example.com/x', 'http://10.0.0.7/x'])('may ask %s', url => expect(faultsOf(url)).toEqual([]));
});
