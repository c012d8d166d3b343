import { saidLike } from '../../../test/kit/said';
import { http, graphql, rest } from '../../adapters/connections/http';
import { toyRegistry } from '../../../test/kit/toy-adapters';
import type { JsonObject, JsonValue } from '../value/json';
import { referencesOf } from '../schema/references';
import { webhookHook } from './hook-definition';
import { checkDefinition } from './parse';

const LOG = { type: 'LOG', message: 'here' };

const faultsOf = (hooks: JsonObject): ReadonlyArray<readonly [string, string, string]> =>
    checkDefinition(
        {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'toyPages', pages: [] } },
            ],
            edges: [{ from: 'start', to: 'read' }],
            hooks,
        },
        toyRegistry(),
    )
        .issues.filter(({ path }) => path.startsWith('hooks'))
        .map(({ code, path, message }) => [code, path, message]);

describe('hooks of a definition', () => {
    it.each([
        ['BEFORE_GATE', 'GATE'],
        ['AFTER_GATE', 'GATE'],
        ['RUN_PAUSED', 'GATE'],
    ])('are refused at %s, which nobody would ever call', (stage, kind) => {
        const path = `hooks.${stage}`;
        expect(faultsOf({ [stage]: [LOG] })).toEqual([
            [
                'STEP_KIND_UNSUPPORTED',
                path,
                expect.stringMatching(saidLike('hook-stage-not-available-yet', { path, kind })),
            ],
        ]);
    });

    it('are taken at every other stage, and a stage without any is no matter', () => {
        const stages = ['EXTRACT', 'TRANSFORM', 'VALIDATE', 'ROUTE', 'LOAD', 'SINK'].flatMap(kind => [
            `BEFORE_${kind}`,
            `AFTER_${kind}`,
        ]);
        const others = ['RUN_STARTED', 'RUN_COMPLETED', 'RUN_FAILED', 'RUN_CANCELLED', 'ON_RECORD_ERROR', 'ON_RETRY'];
        const hooks = Object.fromEntries([...stages, ...others].map((stage): [string, JsonValue] => [stage, [LOG]]));
        expect(faultsOf({ ...hooks, BEFORE_GATE: [], RUN_PAUSED: [] })).toEqual([]);
    });

    it('of type WEBHOOK name connections of every type that speaks HTTP, each of which takes notices', () => {
        const hook = { type: 'WEBHOOK', connectionCode: 'erp', path: '/told' };
        expect(faultsOf({ RUN_FAILED: [hook] })).toEqual([]);
        const types = referencesOf(webhookHook, hook).flatMap(reference => reference.types ?? []);
        expect(types).toEqual([http, rest, graphql].filter(({ notify }) => notify).map(({ code }) => code));
        expect(types).toHaveLength(3);
    });
});
