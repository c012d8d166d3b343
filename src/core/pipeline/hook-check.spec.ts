import { http, graphql, rest } from '../../adapters/connections/http';
import { toyRegistry } from '../../../test/kit/toy-adapters';
import { HOOK_STAGES } from '../adapter/hook-stages';
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
    it('are accepted at every stage, and a stage without any is allowed', () => {
        const hooks = Object.fromEntries(HOOK_STAGES.map((stage): [string, JsonValue] => [stage, [LOG]]));
        expect(faultsOf({ ...hooks, BEFORE_GATE: [] })).toEqual([]);
    });

    it('of type WEBHOOK name connections of every type that speaks HTTP, each of which takes notices', () => {
        const hook = { type: 'WEBHOOK', connectionCode: 'erp', path: '/told' };
        expect(faultsOf({ RUN_FAILED: [hook] })).toEqual([]);
        const types = referencesOf(webhookHook, hook).flatMap(reference => reference.types ?? []);
        expect(types).toEqual([http, rest, graphql].filter(({ notify }) => notify).map(({ code }) => code));
        expect(types).toHaveLength(3);
    });
});
