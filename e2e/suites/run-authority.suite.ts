import { Customer, Product, TaxRate, Order } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import type { JsonObject } from '../../src';
import { triggers } from '../../src/core/triggers';
import { HOOK_STAGES } from '../../src/core/adapter/hook-stages';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import type { TriggerTypeName } from '../../src/plugin/triggers/triggers';
import { makeAdministrator } from '../config/administrators';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';

const LOW_PERMISSIONS = [
    'CreateFlowPipeline',
    'ReadFlowPipeline',
    'UpdateFlowPipeline',
    'PublishFlowPipeline',
    'RunFlowPipeline',
    'ReadFlowRun',
    'ReadCatalog',
    'CreateCatalog',
    'UpdateCatalog',
];

/** A trigger of each kind. A new kind has to be added here before the suite compiles and passes. */
const TRIGGERS: Readonly<Record<TriggerTypeName, JsonObject>> = {
    MANUAL: {},
    SCHEDULE: { cron: '0 3 1 1 *' },
    WEBHOOK: { authentication: 'API_KEY', apiKeySecretCode: 'authority-key' },
    EVENT: { event: 'ProductEvent' },
    FILE: { fileWatch: { connectionCode: 'authority-drop', path: '/in' } },
    MESSAGE: {
        message: { queueType: 'REDIS_STREAMS', connectionCode: 'authority-redis', queueName: 'q', consumerGroup: 'g' },
    },
};

/** What the publisher must not do: the steps that do it, and the permission. */
const ACTIONS = {
    delete: {
        permission: 'DeleteCatalog',
        steps: [load('productUpsert')],
        data: [{ slug: 'authority-kept', __operation: 'DELETE' }],
    },
    'read customers': {
        permission: 'ReadCustomer',
        steps: [
            {
                key: 'check',
                kind: 'VALIDATE',
                config: { rules: [{ type: 'reference', spec: { field: 'mail', entity: 'CUSTOMER' } }] },
            },
            load('productUpsert', { allowDeletes: false }),
        ],
        data: [{ slug: 'authority-knows', name: 'Knows', mail: 'nobody@shop.test' }],
    },
    'write orders': {
        permission: 'UpdateOrder',
        steps: [load('orderNote')],
        data: [{ orderCode: 'ANY', note: 'Seen' }],
    },
    'change settings': {
        permission: 'UpdateSettings',
        steps: [load('taxRateUpsert')],
        data: [{ name: 'Authority', value: 1, category: 'Standard Tax', zone: 'Europe' }],
    },
} as const;

function load(adapterCode: string, config: JsonObject = {}): JsonObject {
    return { key: 'out', kind: 'LOAD', config: { adapterCode, ...config } };
}

type Action = keyof typeof ACTIONS;

const cases = triggers.flatMap(({ code }) =>
    (Object.keys(ACTIONS) as Action[]).map(action => [code as TriggerTypeName, action] as const),
);

/** With a trigger of the kind, and a MANUAL one whose source has the records. */
function definitionOf(trigger: TriggerTypeName, action: Action, hooks: JsonObject = {}): JsonObject {
    const { steps, data } = ACTIONS[action];
    const keys = ['in', ...steps.map(step => step['key'] as string)];
    // A watched folder leads to a step that reads from it; messages, posts and events bring their records.
    const source =
        trigger === 'FILE'
            ? { adapterCode: 'ftp', connectionCode: 'authority-drop', remotePath: '/in', format: 'CSV' }
            : { adapterCode: 'inMemory', data };
    return {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: trigger, ...TRIGGERS[trigger] } },
            { key: 'in', kind: 'EXTRACT', config: source },
            ...steps,
        ],
        edges: ['start', ...keys.slice(0, -1)].map((from, i) => ({ from, to: keys[i] })),
        ...(Object.keys(hooks).length > 0 && { hooks }),
    } as unknown as JsonObject;
}

function runAuthority(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let low: SimpleGraphQLClient;
    let lowUser: string | number | null;

    beforeAll(async () => {
        shop = await open();
        low = await makeAdministrator(shop, { name: 'low-runner', permissions: LOW_PERMISSIONS });
        low.setChannelToken(shop.channelToken);
        const marker = await as(low).publish(
            await as(low).create({
                code: 'run-authority-marker',
                definition: {
                    version: 1,
                    steps: [
                        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                        {
                            key: 'in',
                            kind: 'EXTRACT',
                            config: { adapterCode: 'inMemory', data: [{ slug: 'authority-kept', name: 'Kept' }] },
                        },
                        load('productUpsert', { allowDeletes: false }),
                    ],
                    edges: [
                        { from: 'start', to: 'in' },
                        { from: 'in', to: 'out' },
                    ],
                } as unknown as JsonObject,
            }),
        );
        const { startFlowPipelineRun: run } = await as(low).start(marker);
        await shop.ended(run.id as string);
        lowUser = (await revisionOf(marker)).publishedBy;
    });

    const idOf = ({ id }: { readonly id: string }): string => id.replace('T_', '');
    const revisionOf = (one: PipelineAnswer): Promise<FlowPipelineRevision> =>
        shop.dataSource.getRepository(FlowPipelineRevision).findOneByOrFail({ pipelineId: idOf(one) });
    /** What a run could change. */
    const traces = async (): Promise<object> => {
        const of = (entity: never): Promise<number> => shop.dataSource.getRepository(entity).count();
        const kept = await shop.dataSource
            .getRepository(Product)
            .findOneByOrFail({ translations: { slug: 'authority-kept' } });
        return {
            isDeleted: kept.deletedAt !== null,
            orders: await of(Order as never),
            taxRates: await of(TaxRate as never),
            customers: await of(Customer as never),
        };
    };
    const codeOf = (what: string, trigger: string, action: string): string =>
        `${what}-${trigger}-${action}`.toLowerCase().replaceAll(' ', '-');

    describe('a publisher without the right publishes no pipeline', () => {
        it.each(cases)('with the trigger %s that would %s', async (trigger, action) => {
            const draft = await as(low).create({
                code: codeOf('refused', trigger, action),
                definition: definitionOf(trigger, action),
            });
            expect(await errorOf(as(low).publish(draft))).toMatchObject({
                code: 'FORBIDDEN',
                message: expect.stringContaining(ACTIONS[action].permission),
            });
        });

        it.each(
            HOOK_STAGES.flatMap(stage => (Object.keys(ACTIONS) as Action[]).map(action => [stage, action] as const)),
        )('with a hook at %s that would %s', async (stage, action) => {
            const hooks = { [stage]: [{ type: 'LOG', message: 'seen' }] };
            const draft = await as(low).create({
                code: codeOf('hooked', stage.replaceAll('_', '-'), action),
                definition: definitionOf('MANUAL', action, hooks),
            });
            expect(await errorOf(as(low).publish(draft))).toMatchObject({ code: 'FORBIDDEN' });
        });
    });

    describe('a pipeline whose publisher has lost the right', () => {
        // A person starts a MANUAL one; a watched folder leads to a source of its own.
        const automated = cases.filter(([trigger]) => trigger !== 'MANUAL' && trigger !== 'FILE');
        it.each(automated)('does nothing when a %s starts it that would %s', async (trigger, action) => {
            const admin = as(shop.adminClient);
            const one = await admin.publish(
                await admin.create({
                    code: codeOf('lost', trigger, action),
                    definition: definitionOf(trigger, action),
                }),
            );
            await shop.dataSource
                .getRepository(FlowPipelineRevision)
                .update({ pipelineId: idOf(one) }, { publishedBy: lowUser as never });
            const before = await traces();
            const pipeline = await shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ id: idOf(one) });
            const runId = await shop.app.get(RunStarter).start({
                pipelineId: pipeline.id,
                channelId: pipeline.channelId,
                triggerType: trigger,
                dryRun: false,
                seed: ACTIONS[action].data as unknown as readonly JsonObject[],
            });
            await shop.ended(`T_${runId}`);
            const run = await shop.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: runId });
            expect(run).toMatchObject({ recordsLoaded: 0, startedByUserId: lowUser });
            expect(await traces()).toEqual(before);
        });
    });
}

/** Runs of pipelines whose publisher has fewer rights than the person who leads to them. */
export const runAuthoritySuite: SharedSuite = {
    title: 'rights of runs',
    secrets: [{ code: 'authority-key', provider: 'INLINE', value: 'the key of the suite' }],
    connections: [
        {
            code: 'authority-drop',
            type: 'FTP',
            settings: { host: 'ftp.invalid.test', username: 'flow', passwordSecretCode: 'authority-key' },
        },
        { code: 'authority-redis', type: 'REDIS', settings: { host: 'redis.invalid.test' } },
    ],
    tests: runAuthority,
};
