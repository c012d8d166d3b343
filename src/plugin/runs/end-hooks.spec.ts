import { Logger, type TransactionalConnection } from '@vendure/core';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Redactor } from '../../core/adapter/redactor';
import { Registry } from '../../core/adapter/registry';
import type { RunResources } from './run-resources';
import type { FlowSetup } from '../setup';
import { EndHooks } from './end-hooks';
import { noPipelines } from '../../core/hooks/pipeline-starts';
import type { HookTriggeredRuns } from './hook-triggered-runs';
import type { OutboundAccess } from '../connections/outbound';
import type { RunRevisions } from './run-revisions';
import type { RunStores } from './run-stores';
import { RunNotifications } from './run-notifications';

const run = { id: 1, pipelineId: 2, channelId: 3, revisionId: 4, dryRun: false, status: 'COMPLETED', definition: null };
const definition = {
    steps: [],
    throughput: {},
    hooks: { RUN_COMPLETED: [{ type: 'LOG', message: 'It is over' }], RUN_STARTED: [] },
};

/** The hooks of a completed run whose log the database rejects with that error. */
function ended(rejection?: FlowError) {
    const requested: unknown[] = [];
    const builder = { addSelect: () => builder, where: () => builder, getOne: () => Promise.resolve(run) };
    const repository = {
        createQueryBuilder: () => builder,
        findOne: () => Promise.resolve({ code: 'orders', definition }),
    };
    const database = {
        run: () => (rejection ? Promise.reject(rejection) : Promise.resolve()),
    };
    const resources = {
        teach: (_channelId: unknown, _definition: unknown, redactor: Redactor) => {
            redactor.add('a-password');
            return Promise.resolve([flowError('SECRET_NOT_FOUND', { which: 'gone', hint: '' })]);
        },
        resolve: (_channelId: unknown, { hooks }: { hooks: object }) => {
            requested.push(hooks);
            return Promise.resolve({ secrets: {}, connections: {} });
        },
    };
    const setup = { registry: Registry.of([]), options: { logging: { level: 'INFO', logSteps: true } } };
    const hooks = new EndHooks(
        new RunNotifications(
            { rawConnection: { getRepository: () => repository } } as unknown as TransactionalConnection,
            { env: { database } } as unknown as RunStores,
            { forRun: () => ({}) } as unknown as OutboundAccess,
            { find: () => Promise.resolve({ definition }) } as unknown as RunRevisions,
            setup as unknown as FlowSetup,
        ),
        resources as unknown as RunResources,
        { of: () => noPipelines } as unknown as HookTriggeredRuns,
        setup as unknown as FlowSetup,
    );
    return { asked: requested, told: hooks.notify(1) };
}

describe('the hooks of an end', () => {
    let warned: jest.SpyInstance;
    beforeEach(() => {
        warned = jest.spyOn(Logger, 'warn').mockImplementation(() => undefined);
    });
    afterEach(() => warned.mockRestore());
    const warnings = (): string => JSON.stringify(warned.mock.calls);

    it('are called, even if what they have logged can never be stored', async () => {
        await ended(flowError('BUG', { problem: 'test' })).told;
        expect(warnings()).toContain('run 1');
    });

    it('are to be called again if the database does not answer', async () => {
        await expect(ended(flowError('DATABASE_LOST', { problem: 'test' })).told).rejects.toMatchObject({
            code: 'DATABASE_LOST',
        });
    });

    it('are opened for their stage only, and a failed search of the log is reported', async () => {
        const { asked: requested, told } = ended();
        await told;
        expect(requested).toEqual([{ RUN_COMPLETED: definition.hooks.RUN_COMPLETED }]);
        expect(warnings()).toContain('gone');
    });
});
