import { Customer, EventBus, type ID, Order, Product, type RequestContext, TaxRate, VendureEvent } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Like } from 'typeorm';
import type { JsonObject } from '../../src';
import { HOOK_STAGES } from '../../src/core/adapter/hook-stages';
import { HOOK_SCHEMAS } from '../../src/core/pipeline/hook-definition';
import { triggers } from '../../src/core/triggers';
import { customerUpsert } from '../../src/platform/loaders/customer-upsert';
import { orderUpsert } from '../../src/platform/loaders/order-upsert';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowManagedFile } from '../../src/plugin/entities/managed-file';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FileWatcher } from '../../src/plugin/file-triggers/file-watcher';
import { WatchedServers } from '../../src/plugin/file-triggers/watched-servers';
import { MessageReceiver } from '../../src/plugin/messages/message-receiver';
import { periodicsOf } from '../../test/fixtures/periodic-jobs';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import { RunStores } from '../../src/plugin/runs/run-stores';
import { FLOW_SETUP } from '../../src/plugin/tokens';
import { ActiveTriggers } from '../../src/plugin/triggers/active-triggers';
import type { TriggerTypeName } from '../../src/plugin/triggers/triggers';
import { scratchFolder } from '../../test/servers/process';
import { type SftpServer, startSftp } from '../../test/servers/sftp-server';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import { openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import { poster } from '../webhooks/poster';

const LOW_PERMISSIONS = [
    'CreateFlowPipeline',
    'ReadFlowPipeline',
    'UpdateFlowPipeline',
    'PublishFlowPipeline',
    'RunFlowPipeline',
    'ReadFlowRun',
    'EditFlowScript',
    'ReadCatalog',
    'CreateCatalog',
    'UpdateCatalog',
];
const KEPT = 'authority-kept';
const KNOWN = 'known@authority.test';
/** The name and the phone number of the customer. No definition and no record contains them. */
const CANARY = 'Canary-5e0c';
const ORDER = 'AUTHORITY-1';
const EXPORT = 'authority-customers';
const KEY = 'the key of the suite';
const HOUR = 3_600_000;

const ROLE = gql`
    query Role {
        roles(options: { filter: { code: { eq: "former" } } }) {
            items {
                id
            }
        }
    }
`;
const TAKE_AWAY = gql`
    mutation TakeAway($input: UpdateRoleInput!) {
        updateRole(input: $input) {
            id
        }
    }
`;
const EXPORTED = gql`
    query Exported($exportCode: String!) {
        flowFiles(options: { filter: { exportCode: { eq: $exportCode } } }) {
            items {
                path
            }
        }
    }
`;

/** An event with records. */
class AuthorityCame extends VendureEvent {
    constructor(
        readonly ctx: RequestContext,
        readonly records: readonly JsonObject[],
    ) {
        super();
    }
}

/** A trigger of each type. If a type is missing here or at `STARTS`, the suite does not compile. */
const TRIGGERS: Readonly<Record<TriggerTypeName, (action: ActionName) => JsonObject>> = {
    MANUAL: () => ({}),
    SCHEDULE: () => ({ intervalSec: 1 }),
    WEBHOOK: () => ({ authentication: 'API_KEY', apiKeySecretCode: 'authority-key' }),
    EVENT: () => ({ event: 'AuthorityCame' }),
    FILE: action => ({
        fileWatch: { connectionCode: 'authority-drop', path: `/${codeOf(action)}`, minFileAge: 0 },
    }),
    MESSAGE: () => ({
        message: { queueType: 'REDIS_STREAMS', connectionCode: 'authority-redis', queueName: 'q', consumerGroup: 'g' },
    }),
};

/** An action that the publisher is not allowed to do. */
interface Action {
    /** Errors name the first one. */
    readonly permissions: readonly string[];
    /** Default: the records below. */
    readonly source?: JsonObject;
    readonly steps: readonly JsonObject[];
    readonly data: readonly JsonObject[];
}

const ACTIONS = {
    delete: {
        permissions: ['DeleteCatalog'],
        steps: [load('productUpsert')],
        data: [{ slug: KEPT, __operation: 'DELETE' }],
    },
    'find out who is a customer': {
        permissions: ['ReadCustomer'],
        steps: [
            {
                key: 'check',
                kind: 'VALIDATE',
                config: { rules: [{ type: 'reference', spec: { field: 'mail', entity: 'CUSTOMER' } }] },
            },
            load('productUpsert', { allowDeletes: false }),
        ],
        data: [
            { slug: 'authority-found', name: 'Found', mail: KNOWN },
            { slug: 'authority-not-found', name: 'Not found', mail: 'unknown@authority.test' },
        ],
    },
    'export customers': {
        permissions: ['ReadCustomer'],
        source: { adapterCode: 'platformQuery', entity: 'CUSTOMER', seedMode: 'LOOKUP' },
        steps: [{ key: 'out', kind: 'SINK', config: { adapterCode: 'fileExport', format: 'CSV', exportCode: EXPORT } }],
        data: [{ customerId: '1' }],
    },
    'write orders': {
        permissions: ['UpdateOrder'],
        steps: [load('orderNote')],
        data: [{ code: ORDER, note: 'Seen' }],
    },
    'change settings': {
        permissions: ['UpdateSettings', 'CreateSettings'],
        steps: [load('taxRateUpsert', { allowDeletes: false })],
        data: [{ name: 'Authority', value: 1, category: 'Standard Tax', zone: 'Europe' }],
    },
} satisfies Record<string, Action>;

type ActionName = keyof typeof ACTIONS;
type HookType = keyof typeof HOOK_SCHEMAS;

const actionNames = Object.keys(ACTIONS) as ActionName[];
const hookTypes = Object.keys(HOOK_SCHEMAS) as HookType[];
const actionOf = (name: ActionName): Action => ACTIONS[name];
/** A watched folder leads to steps that read its files, and to no other source. */
const isPossible = (trigger: TriggerTypeName, action: ActionName): boolean =>
    trigger !== 'FILE' || actionOf(action).source === undefined;
const cases = triggers
    .map(({ code }) => code as TriggerTypeName)
    .flatMap(type => actionNames.filter(name => isPossible(type, name)).map(name => [type, name] as const));

/** A hook of each type that tries what it can. If a type is missing, the suite does not compile. */
const HOOKS: Readonly<Record<HookType, (action: ActionName) => JsonObject>> = {
    INTERCEPTOR: () => ({ type: 'INTERCEPTOR', code: `return ${JSON.stringify(ACTIONS.delete.data)};` }),
    SCRIPT: () => ({ type: 'SCRIPT', scriptName: 'authorityForges' }),
    LOG: () => ({ type: 'LOG', message: 'seen' }),
    WEBHOOK: () => ({ type: 'WEBHOOK', connectionCode: 'authority-listener', path: 'seen', timeoutMs: 100 }),
    TRIGGER_PIPELINE: action => ({ type: 'TRIGGER_PIPELINE', pipelineCode: codeOf('mighty', action) }),
};
const atEveryStage = (hook: JsonObject): JsonObject => Object.fromEntries(HOOK_STAGES.map(stage => [stage, [hook]]));

function load(adapterCode: string, config: JsonObject = {}): JsonObject {
    return { key: 'out', kind: 'LOAD', config: { adapterCode, ...config } };
}

function codeOf(...words: readonly string[]): string {
    return ['authority', ...words].join('-').toLowerCase().replace(/[ _]/g, '-');
}

/** The steps from a trigger to the action. */
function definitionOf(
    trigger: TriggerTypeName,
    action: ActionName,
    { hooks, data }: { readonly hooks?: JsonObject; readonly data?: readonly JsonObject[] } = {},
): JsonObject {
    const { steps, source, data: own } = actionOf(action);
    const watched = { adapterCode: 'ftp', connectionCode: 'authority-drop', remotePath: '/nowhere', format: 'JSON' };
    const given = { adapterCode: 'inMemory', data: [...(data ?? own)] };
    return chain(
        [
            { key: 'start', kind: 'TRIGGER', config: { type: trigger, ...TRIGGERS[trigger](action) } },
            { key: 'in', kind: 'EXTRACT', config: trigger === 'FILE' ? watched : (source ?? given) },
            ...steps,
        ],
        hooks,
    );
}

/** Steps one after another. */
function chain(steps: readonly JsonObject[], hooks?: JsonObject): JsonObject {
    const keys = steps.map(({ key }) => key as string);
    const edges = keys.slice(1).map((to, i): JsonObject => ({ from: keys[i]!, to }));
    return { version: 1, steps: [...steps], edges, ...(hooks && { hooks }) };
}

function runAuthority(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    /** Has none of the permissions of the actions. */
    let low: SimpleGraphQLClient;
    /** Has them while publishing, and loses them before anything runs. */
    let former: SimpleGraphQLClient;
    let ctx: RequestContext;
    let customerId: ID;
    let folder: string;
    let server: SftpServer;
    let watcher: FileWatcher;

    beforeAll(async () => {
        shop = await open();
        low = await administrator('low-runner', LOW_PERMISSIONS);
        const all = actionNames.flatMap(name => actionOf(name).permissions);
        former = await administrator('former', [...new Set([...LOW_PERMISSIONS, ...all])]);
        await makeRecords();
        await makeDrop();
        for (const action of actionNames)
            await publish(shop.adminClient, codeOf('mighty', action), definitionOf('MANUAL', action));
    });
    afterAll(async () => {
        await watcher?.onModuleDestroy();
        await server?.close();
    });

    async function administrator(name: string, permissions: readonly string[]): Promise<SimpleGraphQLClient> {
        const client = await makeAdministrator(shop, { name, permissions });
        client.setChannelToken(shop.channelToken);
        return client;
    }

    async function makeRecords(): Promise<void> {
        const platform = await platformOf(shop.app, shop.channelToken);
        ctx = platform.ctx;
        const variants = [{ sku: 'AUTHORITY', name: 'Kept', price: 100, stock: 5 }];
        const product = await openLoad(productUpsert, {}, { platform });
        const customer = await openLoad(customerUpsert, {}, { platform });
        const order = await openLoad(orderUpsert, { mode: 'HISTORY' }, { platform });
        const made = [
            await product([{ slug: KEPT, name: 'Kept', variants }]),
            await customer([{ emailAddress: KNOWN, firstName: 'Anna', lastName: CANARY }]),
            await order([
                {
                    code: ORDER,
                    state: 'Delivered',
                    orderPlacedAt: '2023-05-06T07:08:09.500Z',
                    lines: [{ sku: 'AUTHORITY', quantity: 1, price: 100, taxRate: 20 }],
                },
            ]),
        ];
        expect(made.map(({ verdicts: outcomes }) => outcomes)).toEqual([['C'], ['C'], ['C']]);
        customerId = (await shop.dataSource.getRepository(Customer).findOneByOrFail({ emailAddress: KNOWN })).id;
    }

    /** A folder on a server, and a process that watches it. */
    async function makeDrop(): Promise<void> {
        folder = scratchFolder();
        for (const action of actionNames) mkdirSync(join(folder, codeOf(action)));
        server = await startSftp({ folder });
        await makeSecret(shop.adminClient, 'authority-password', 'secret');
        const settings = { host: '127.0.0.1', port: server.port, username: 'shop' };
        await connectionsOf(shop.adminClient).create({
            code: 'authority-drop',
            type: 'SFTP',
            settings: { ...settings, passwordSecretCode: 'authority-password' },
        });
        const { app } = shop;
        watcher = new FileWatcher(
            app.get(ActiveTriggers),
            app.get(WatchedServers),
            app.get(RunStarter),
            app.get(RunStores),
            periodicsOf(),
            app.get(FLOW_SETUP),
        );
    }

    const idOf = ({ id }: { readonly id: string }): string => id.replace('T_', '');
    const publish = async (
        client: SimpleGraphQLClient,
        code: string,
        definition: JsonObject,
        enabled = true,
    ): Promise<PipelineAnswer> => as(client).publish(await as(client).create({ code, enabled, definition }));
    const recordsOf = (action: ActionName): readonly JsonObject[] =>
        action === 'export customers' ? [{ customerId: String(customerId) }] : actionOf(action).data;
    /** Everything that the actions could change. */
    const traces = async (): Promise<object> => {
        const { dataSource } = shop;
        const products = await dataSource.getRepository(Product).find({
            where: { translations: { slug: Like('authority-%') } },
            relations: { translations: true },
            order: { id: 'ASC' },
        });
        const order = await dataSource.getRepository(Order).findOneByOrFail({ code: ORDER });
        return {
            products: products.map(({ translations, deletedAt }) => [translations[0]!.slug, deletedAt]),
            order: [order.state, order.updatedAt],
            notes: await dataSource.getRepository('OrderHistoryEntry').countBy({ order: { id: order.id } }),
            taxRates: (await dataSource.getRepository(TaxRate).find()).map(({ name, value }) => `${name} ${value}`),
            exports: await dataSource.getRepository(FlowManagedFile).countBy({ exportCode: EXPORT }),
        };
    };
    /** Everything that is stored about a run: its row, log, rejected records and so on. */
    const storedOf = async (runId: ID): Promise<string> => {
        const { dataSource } = shop;
        const rows: unknown[] = [];
        for (const { tableName, columns } of dataSource.entityMetadatas.filter(one => /^flow_/.test(one.tableName))) {
            const isRun = tableName === 'flow_pipeline_run';
            if (!isRun && !columns.some(({ databaseName }) => databaseName === 'run_id')) continue;
            const column = dataSource.driver.escape(isRun ? 'id' : 'run_id');
            rows.push(
                await dataSource.query(
                    `SELECT * FROM ${dataSource.driver.escape(tableName)} WHERE ${column} = '${String(runId)}'`,
                ),
            );
        }
        return JSON.stringify(rows);
    };
    const runsOf = (one: PipelineAnswer): Promise<FlowPipelineRun[]> =>
        shop.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId: idOf(one) }, order: { id: 'ASC' } });
    const firstRun = async (one: PipelineAnswer): Promise<FlowPipelineRun> => {
        const [run] = await until(
            () => runsOf(one),
            ([first]) => first !== undefined && first.finishedAt !== null,
        );
        return run!;
    };
    const start = async (client: SimpleGraphQLClient, one: PipelineAnswer): Promise<RunAnswer> =>
        shop.ended((await as(client).start(one)).startFlowPipelineRun.id as string);
    const userOf = (name: string) => ({ startedBy: { identifier: `${name}@shop.test` } });
    const takeAway = async (): Promise<void> => {
        const { roles } = await shop.adminClient.query(ROLE);
        const input = { id: roles.items[0].id as string, permissions: LOW_PERMISSIONS };
        await shop.adminClient.query(TAKE_AWAY, { input });
    };

    /** A superadmin's pipeline whose hook starts another one with these records. */
    const startByHook = async (pipelineCode: string, data: readonly JsonObject[]): Promise<void> => {
        const definition = chain(
            [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [...data] } },
            ],
            { AFTER_EXTRACT: [{ type: 'TRIGGER_PIPELINE', pipelineCode }] },
        );
        await start(shop.adminClient, await publish(shop.adminClient, `by-${pipelineCode}`, definition));
    };

    let hours = 0;
    /** Causes the event of each type of trigger, as a user with all permissions or an external system does. A schedule needs no cause. */
    const STARTS: Readonly<Record<TriggerTypeName, (one: PipelineAnswer, action: ActionName) => Promise<void>>> = {
        // The last block contains the runs that a user starts.
        MANUAL: ({ code }, action) => startByHook(code, recordsOf(action)),
        SCHEDULE: () => Promise.resolve(),
        WEBHOOK: async ({ code }, action) => {
            const { status } = await poster(shop.url)(code, JSON.stringify(recordsOf(action)), { 'x-api-key': KEY });
            expect(status).toBe(202);
        },
        EVENT: (_, action) => shop.app.get(EventBus).publish(new AuthorityCame(ctx, recordsOf(action))),
        FILE: async (_, action) => {
            writeFileSync(join(folder, codeOf(action), 'records.json'), JSON.stringify(recordsOf(action)));
            for (let poll = 0; poll < 3; poll++) {
                const at = { steadyMs: performance.now() + ++hours * HOUR, wallMs: Date.now() };
                await watcher.look(new AbortController().signal, at);
                await watcher.idle();
            }
        },
        MESSAGE: async (one, action) => {
            const records = recordsOf(action);
            const trigger = shop.app
                .get(ActiveTriggers)
                .of('MESSAGE')
                .find(({ pipelineId }) => String(pipelineId) === idOf(one))!;
            const text = JSON.stringify(records);
            const message = { handle: '1', id: '1', identity: one.code, body: Buffer.from(text), headers: {} };
            await shop.app.get(MessageReceiver).store(trigger, [{ message, records: { text, count: records.length } }]);
        },
    };

    describe('a publisher without the permission publishes no pipeline', () => {
        it.each(cases)('with the trigger %s that would %s', async (trigger, action) => {
            const draft = await as(low).create({
                code: codeOf('refused', trigger, action),
                definition: definitionOf(trigger, action),
            });
            expect(await errorOf(as(low).publish(draft))).toMatchObject({
                code: 'FORBIDDEN',
                message: expect.stringContaining(ACTIONS[action].permissions[0]!),
            });
        });

        it.each(HOOK_STAGES)('with hooks of every type at %s', async stage => {
            for (const [i, action] of actionNames.entries()) {
                const hooks = { [stage]: hookTypes.map(type => HOOKS[type](action)) };
                const draft = await as(low).create({
                    code: codeOf('hooks', stage, `${i}`),
                    definition: definitionOf('MANUAL', action, { hooks }),
                });
                expect(await errorOf(as(low).publish(draft))).toMatchObject({
                    code: 'FORBIDDEN',
                    message: expect.stringContaining(ACTIONS[action].permissions[0]!),
                });
            }
        });
    });

    describe('a pipeline whose publisher has lost the permission', () => {
        const started = new Map<string, PipelineAnswer>();
        const hooked = hookTypes.flatMap(type => actionNames.map(action => [type, action] as const));
        /** Nothing for a loader to do; hooks that send made-up records turn it into a record that deletes. */
        const harmless = [{ slug: KEPT, name: 'Kept' }];

        beforeAll(async () => {
            for (const [trigger, action] of cases) {
                const code = codeOf('lost', trigger, action);
                started.set(code, await publish(former, code, definitionOf(trigger, action), false));
            }
            for (const [type, action] of hooked) {
                const code = codeOf('hooked', type, action);
                const hooks = atEveryStage(HOOKS[type](action));
                const definition = definitionOf('MANUAL', action, { hooks, data: harmless });
                started.set(code, await publish(former, code, definition, false));
            }
            await takeAway();
        });

        /** Enables the pipeline while something starts it, and checks that its run has done and revealed nothing. */
        const expectNothing = async (code: string, cause: (one: PipelineAnswer) => Promise<void>): Promise<void> => {
            const admin = as(shop.adminClient);
            const one = started.get(code)!;
            const before = await traces();
            await admin.enable(one);
            await cause(one);
            const { id } = await firstRun(one);
            await admin.disable(one);
            expect(await shop.run(`T_${id}`)).toMatchObject(userOf('former'));
            expect(await traces()).toEqual(before);
            expect(await storedOf(id)).not.toContain(CANARY);
        };

        it.each(cases)('does nothing when a %s starts it that would %s', async (trigger, action) => {
            const code = codeOf('lost', trigger, action);
            await expectNothing(code, one => STARTS[trigger](one, action));
            const [run] = await runsOf(started.get(code)!);
            const answer = await shop.run(`T_${run!.id}`);
            // The loader rejects a record that deletes. Every other run ends before it reads anything, so it does not reveal whether a
            // customer exists.
            expect(answer).toMatchObject(
                action === 'delete'
                    ? { status: 'COMPLETED', recordsLoaded: 0, recordsRejected: 1 }
                    : { status: 'FAILED', error: { code: 'FORBIDDEN' }, recordsLoaded: 0, recordsRejected: 0 },
            );
            expect(await storedOf(run!.id)).not.toContain(KNOWN);
        });

        it.each(hooked)('does nothing with a hook of the type %s that would %s', async (type, action) => {
            const code = codeOf('hooked', type, action);
            await expectNothing(code, ({ code: started }) => startByHook(started, harmless));
            if (type !== 'TRIGGER_PIPELINE') return;
            // The hook at the end is called after the end is stored.
            const [run] = await runsOf(started.get(code)!);
            const lines = await until(
                () => shop.dataSource.getRepository(FlowLog).findBy({ runId: run!.id }),
                found => found.some(({ facts }) => /^RUN_(COMPLETED|FAILED)$/.test(String(facts?.['stage']))),
            );
            expect(lines.some(({ message }) => message.includes(ACTIONS[action].permissions[0]!))).toBe(true);
            const mighty = await shop.pipelineId(codeOf('mighty', action));
            const many = await shop.dataSource
                .getRepository(FlowPipelineRun)
                .countBy({ pipelineId: idOf({ id: mighty }) });
            expect(many).toBe(0);
        });
    });

    describe('a run that a user starts acts for that user', () => {
        const mightyOf = async (action: ActionName): Promise<PipelineAnswer> =>
            (await as(shop.adminClient).read({ id: await shop.pipelineId(codeOf('mighty', action)) }))!;

        it.each(actionNames)('and would %s by the pipeline of a superadmin, but lacks the permission', async action => {
            const before = await traces();
            const run = await start(low, await mightyOf(action));
            expect(run).toMatchObject(userOf('low-runner'));
            expect(run).toMatchObject(
                action === 'delete'
                    ? { recordsLoaded: 0, recordsRejected: 1 }
                    : { status: 'FAILED', error: { code: 'FORBIDDEN' }, recordsLoaded: 0, recordsRejected: 0 },
            );
            expect(await traces()).toEqual(before);
            expect(await storedOf(idOf(run))).not.toContain(CANARY);
        });

        it.each(actionNames)('and can %s if that user is a superadmin', async action => {
            const before = await traces();
            const run = await start(shop.adminClient, await mightyOf(action));
            expect(run).toMatchObject({ status: 'COMPLETED', startedBy: { identifier: 'superadmin' } });
            expect(await traces()).not.toEqual(before);
            if (action === 'find out who is a customer')
                expect(run).toMatchObject({ recordsLoaded: 1, recordsRejected: 1 });
            if (action !== 'export customers') return;
            const { flowFiles } = await shop.adminClient.query(EXPORTED, { exportCode: EXPORT });
            const answer = await fetch(`${shop.url}${String(flowFiles.items[0].path)}/download`, {
                headers: {
                    authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                    'vendure-token': shop.channelToken,
                },
            });
            expect(await answer.text()).toContain(CANARY);
        });
    });
}

/** Runs of pipelines whose publisher has fewer permissions than the user who causes them. */
export const runAuthoritySuite: SharedSuite = {
    title: 'rights of runs',
    secrets: [{ code: 'authority-key', provider: 'INLINE', value: KEY }],
    connections: [
        { code: 'authority-redis', type: 'REDIS', settings: { host: 'redis.invalid.test' } },
        { code: 'authority-listener', type: 'REST', settings: { baseUrl: 'https://listener.invalid.test' } },
    ],
    scripts: { authorityForges: () => ACTIONS.delete.data.map(record => ({ ...record })) },
    events: [{ event: AuthorityCame, seed: ({ records }: AuthorityCame) => records }],
    tests: runAuthority,
};
