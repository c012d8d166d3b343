import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { createServer } from 'node:http';
import { type HookContext, type Hooks, type JsonObject, pipeline, type ScriptFunction } from '../../src';
import { FIRST_PORT } from '../../test/servers/process';
import { naming } from '../../test/kit/naming';
import type { SharedSuite } from '../config/shared-shop';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { RunQueue } from '../../src/plugin/runs/run-queue';
import { type FlowServer, until } from '../config/flow-server';

const records: readonly JsonObject[] = ['HOOK-1', 'HOOK-2', 'HOOK-3'].map((sku, i) => ({
    slug: sku.toLowerCase(),
    name: sku,
    sku,
    price: 100 * (i + 1),
}));

/** The arguments of the scripts' calls, oldest first. */
const calls: Array<{
    readonly name: string;
    readonly records: readonly JsonObject[];
    readonly context: HookContext;
    readonly args: JsonObject;
}> = [];
const kept =
    (name: string, answer?: ScriptFunction): ScriptFunction =>
    (given, context, args) => {
        calls.push({ name, records: given.map(record => ({ ...record })), context, args });
        return answer?.(given, context, args);
    };

const scripts: Readonly<Record<string, ScriptFunction>> = {
    describe: kept('describe', (given, _, { suffix }) =>
        given.map(record => ({ ...record, name: `${String(record['name'])} ${String(suffix)}` })),
    ),
    withoutSecond: kept('withoutSecond', given => given.filter(({ sku }) => sku !== 'HOOK-2')),
    fails: kept('fails', () => {
        throw new Error('the stock file is not there');
    }),
    hangs: kept(
        'hangs',
        (_, { signal }) =>
            new Promise(resolve => {
                signal.addEventListener('abort', () => resolve([]));
            }),
    ),
    see: kept('see'),
    hold: kept('hold', async () => {
        await new Promise<void>(done => letGo.push(done));
        return undefined;
    }),
};
/** Opens `hold`, for which runs wait. */
const letGo: Array<() => void> = [];

const imported = (code: string, data: readonly JsonObject[], hooks: Hooks) =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .load('products', { adapterCode: 'productUpsert' })
        .hooks(hooks)
        .build();

const see: Hooks['RUN_STARTED'] = [{ type: 'SCRIPT', scriptName: 'see' }];

/** The requests that the external system has received. */
const posts: Array<{
    readonly url: string;
    readonly id: unknown;
    readonly authorization: string | undefined;
    readonly body: JsonObject;
}> = [];
/** Returns "later" for the first request to /flaky. */
const outside = createServer((request, response) => {
    let text = '';
    request
        .on('data', chunk => {
            text += String(chunk);
        })
        .on('end', () => {
            const { url = '', headers } = request;
            posts.push({
                url,
                id: headers['x-flow-id'],
                authorization: headers.authorization,
                body: JSON.parse(text) as JsonObject,
            });
            const isFirst = posts.filter(post => post.url === url).length === 1;
            response.writeHead(url.endsWith('/flaky') && isFirst ? 503 : url.endsWith('/no') ? 400 : 204).end();
        });
});
const PORT = FIRST_PORT + 38;
const told = (path: string, more: object = {}) => ({ type: 'WEBHOOK', connectionCode: 'erp', path, ...more }) as const;

const additions = {
    scripts,
    secrets: [
        { code: 'erp-token', provider: 'INLINE', value: 'hook-token' },
        { code: 'unset', provider: 'ENV', value: 'FLOW_TEST_IS_NEVER_SET' },
    ],
    connections: [
        {
            code: 'erp',
            type: 'REST',
            settings: { baseUrl: `http://127.0.0.1:${PORT}/api`, auth: { type: 'BEARER', secretCode: 'erp-token' } },
        },
        {
            code: 'closed',
            type: 'GRAPHQL',
            settings: { baseUrl: `http://127.0.0.1:${PORT}/closed`, auth: { type: 'BEARER', secretCode: 'unset' } },
        },
        {
            code: 'open',
            type: 'GRAPHQL',
            settings: {
                baseUrl: `http://127.0.0.1:${PORT}/graphql`,
                auth: { type: 'BEARER', secretCode: 'erp-token' },
            },
        },
    ],
    pipelines: [
        imported('changed', records, {
            AFTER_EXTRACT: [{ type: 'SCRIPT', scriptName: 'describe', args: { suffix: 'by hook' } }],
            BEFORE_LOAD: [
                { type: 'SCRIPT', scriptName: 'withoutSecond' },
                { type: 'LOG', level: 'WARN', message: 'Loading' },
            ],
            RUN_STARTED: see,
            RUN_COMPLETED: see,
        }),
        imported('faulty', [...records, { slug: 'hook-4', name: 'Bad', sku: 'HOOK-4', price: 'much' }], {
            ON_RECORD_ERROR: see,
            RUN_COMPLETED: see,
        }),
        imported('strict', [{ slug: 'strict', name: 'Strict', sku: 'STRICT', price: 1 }], {
            BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'fails', failOnError: true }],
            RUN_FAILED: see,
        }),
        imported('lenient', [{ slug: 'lenient', name: 'Lenient', sku: 'LENIENT', price: 1 }], {
            BEFORE_LOAD: [
                { type: 'SCRIPT', scriptName: 'fails' },
                { type: 'SCRIPT', scriptName: 'hangs', timeoutMs: 50 },
            ],
        }),
        imported('tells', [...records, { slug: 'hook-4', name: 'Bad', sku: 'HOOK-4', price: 'much' }], {
            AFTER_EXTRACT: [told('read')],
            ON_RECORD_ERROR: [told('/rejected')],
            RUN_COMPLETED: [told('flaky', { failOnError: false }), told('no')],
        }),
        imported('keyless', records, {
            BEFORE_EXTRACT: [{ ...told('never'), connectionCode: 'closed' }],
            RUN_STARTED: see,
            RUN_FAILED: [
                { ...told('never'), connectionCode: 'closed' },
                ...see,
                { ...told('failed'), connectionCode: 'open' },
            ],
        }),
        imported('queued', [{ slug: 'queued', name: 'Queued', sku: 'QUEUED', price: 1 }], {
            BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'hold', timeoutMs: 300_000 }],
            RUN_CANCELLED: see,
            RUN_PAUSED: see,
        }),
        imported('unshaken', [{ slug: 'unshaken', name: 'Unshaken', sku: 'UNSHAKEN', price: 1 }], {
            RUN_STARTED: [{ type: 'SCRIPT', scriptName: 'fails', failOnError: true }],
            RUN_COMPLETED: [{ type: 'SCRIPT', scriptName: 'fails', failOnError: true }],
        }),
    ],
} satisfies Partial<SharedSuite>;

function hooks(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        await new Promise<void>(done => outside.listen(PORT, '127.0.0.1', done));
        shop = await open();
    });
    afterAll(async () => {
        await shop?.destroy();
        await new Promise(done => outside.close(done));
    });
    beforeEach(() => {
        calls.length = 0;
        posts.length = 0;
    });

    const skus = async (): Promise<readonly string[]> =>
        (await shop.dataSource.getRepository(ProductVariant).find({ order: { sku: 'ASC' } })).map(({ sku }) => sku);
    const nameOf = async (sku: string): Promise<string | undefined> => {
        const variant = await shop.dataSource
            .getRepository(ProductVariant)
            .findOne({ where: { sku }, relations: { product: { translations: true } } });
        return variant?.product.translations[0]?.name;
    };
    /** The id that hooks receive, without the prefix of the test server's API. */
    const idOf = (id: string): string => id.replace('T_', '');
    /** The hooks of a run's end are called after it is stored. */
    const endTold = (runId: string, stage: HookContext['stage']): Promise<unknown> =>
        until(
            async () =>
                calls.filter(({ context }) => context.runId === idOf(runId)).map(({ context }) => context.stage),
            stages => stages.includes(stage),
        );
    interface Line {
        readonly level: string;
        readonly code: string | null;
        readonly message: string;
        readonly facts: JsonObject | null;
        readonly stepKey: string | null;
    }
    const logOf = async (runId: string): Promise<readonly Line[]> => {
        const { flowLogs } = await shop.adminClient.query(
            gql`query Log($runId: ID!) {
            flowLogs(runId: $runId, options: { take: 50, sort: { id: ASC } }) { items { level code message facts stepKey } }
        }`,
            { runId },
        );
        return flowLogs.items;
    };
    /** A line about a hook that has failed. */
    const failed = (facts: Readonly<Record<string, unknown>>) => ({ facts: { error: { code: 'HOOK_FAILED', facts } } });

    it('run in a dry run, and receive its mode', async () => {
        const dry = await shop.perform('changed', 'dryRunFlowPipeline');
        await endTold(dry.id, 'RUN_COMPLETED');
        expect(dry).toMatchObject({ status: 'COMPLETED', report: { steps: [{ stepKey: 'products', created: 2 }] } });
        expect(calls.map(({ name, context: { mode } }) => `${name} ${mode}`)).toEqual([
            'see dryRun',
            'describe dryRun',
            'withoutSecond dryRun',
            'see dryRun',
        ]);
        expect(await skus()).not.toContain('HOOK-1');
    });

    it('change what is loaded, receive the result of the run, and write into its log', async () => {
        const run = await shop.perform('changed');
        await endTold(run.id, 'RUN_COMPLETED');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 3, recordsLoaded: 2 });
        expect(run.counters).toMatchObject([
            { stepKey: 'in', in: 3, out: 3 },
            { stepKey: 'products', in: 3, filtered: 1, out: 2, created: 2 },
        ]);
        expect(await skus()).toEqual(expect.arrayContaining(['HOOK-1', 'HOOK-3']));
        expect(await skus()).not.toContain('HOOK-2');
        expect(await nameOf('HOOK-3')).toBe('HOOK-3 by hook');

        const [started, describe, without, completed] = calls;
        expect(calls.map(({ name, context: { stage, stepKey } }) => ({ name, stage, stepKey }))).toEqual([
            { name: 'see', stage: 'RUN_STARTED', stepKey: undefined },
            { name: 'describe', stage: 'AFTER_EXTRACT', stepKey: 'in' },
            { name: 'withoutSecond', stage: 'BEFORE_LOAD', stepKey: 'products' },
            { name: 'see', stage: 'RUN_COMPLETED', stepKey: undefined },
        ]);
        expect(started!.context).toMatchObject({ pipelineCode: 'changed', mode: 'live' });
        expect(describe).toMatchObject({ args: { suffix: 'by hook' }, context: { sourceKey: 'in', batchNo: 0 } });
        expect(without!.records).toMatchObject([{ name: 'HOOK-1 by hook' }, { sku: 'HOOK-2' }, { sku: 'HOOK-3' }]);
        expect(completed!.context).toMatchObject({
            outcome: 'SUCCESS',
            totals: { recordsRead: 3, recordsLoaded: 2, recordsFiltered: 1 },
        });
        expect(await logOf(run.id)).toContainEqual(
            expect.objectContaining({
                level: 'WARN',
                code: 'HOOK_LINE',
                message: 'Loading',
                facts: { text: 'Loading', stage: 'BEFORE_LOAD', records: 2 },
                stepKey: 'products',
            }),
        );
    });

    it('send requests to another system, again if it is busy, and nothing in a dry run', async () => {
        await shop.perform('tells', 'dryRunFlowPipeline');
        expect(posts).toEqual([]);
        const run = await shop.perform('tells');
        await until(
            async () => posts,
            sent => sent.some(({ url }) => url === '/api/no'),
        );
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL' });
        expect(posts.map(({ url }) => url)).toEqual([
            '/api/read',
            '/api/rejected',
            '/api/flaky',
            '/api/flaky',
            '/api/no',
        ]);
        const [read, rejected, flaky, again] = posts;
        expect(read).toMatchObject({
            authorization: 'Bearer hook-token',
            body: {
                stage: 'AFTER_EXTRACT',
                pipelineCode: 'tells',
                mode: 'live',
                records: [{ sku: 'HOOK-1' }, {}, {}, {}],
            },
        });
        expect(rejected!.body).toMatchObject({
            stage: 'ON_RECORD_ERROR',
            records: [{ sku: 'HOOK-4' }],
            errors: [{ code: 'RECORD_INVALID', seq: 3 }],
        });
        expect(flaky!.body).toMatchObject({ outcome: 'PARTIAL', totals: { recordsRejected: 1 } });
        expect(flaky!.body).not.toHaveProperty('records');
        expect([again!.id, flaky!.body['id']]).toEqual([flaky!.id, flaky!.id]);
        expect(new Set(posts.map(({ id }) => id)).size).toBe(4);
        const warned = (log: readonly Line[]): readonly Line[] => log.filter(({ code }) => code === 'HOOK_FAILED');
        const lines = await until(
            () => logOf(run.id),
            log => warned(log).length > 0,
        );
        expect(warned(lines)).toMatchObject([
            {
                level: 'WARN',
                ...failed({
                    number: 2,
                    stage: 'RUN_COMPLETED',
                    hook: 'WEBHOOK "erp"',
                    problem: expect.stringMatching(naming(400)),
                }),
            },
        ]);
        expect(JSON.stringify(lines)).not.toContain('hook-token');
    });

    it('receive what was rejected, and why', async () => {
        const faulty = await shop.perform('faulty');
        expect(faulty).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 1 });
        await endTold(faulty.id, 'RUN_COMPLETED');
        expect(calls).toMatchObject([
            {
                records: [{ sku: 'HOOK-4', price: 'much' }],
                context: {
                    stage: 'ON_RECORD_ERROR',
                    stepKey: 'products',
                    errors: [{ code: 'RECORD_INVALID', seq: 3, message: expect.stringContaining('much') }],
                },
            },
            { records: [], context: { stage: 'RUN_COMPLETED', outcome: 'PARTIAL', totals: { recordsRejected: 1 } } },
        ]);
    });

    it('fail the run if they are configured so, before anything is written', async () => {
        const run = await shop.perform('strict');
        const message = expect.stringMatching(naming(1, 'BEFORE_LOAD', 'SCRIPT "fails"', 'stock file')) as string;
        expect(run).toMatchObject({ status: 'FAILED', error: { code: 'HOOK_FAILED', stepKey: 'products', message } });
        expect(await skus()).not.toContain('STRICT');
        await endTold(run.id, 'RUN_FAILED');
        expect(calls.at(-1)).toMatchObject({
            context: { stage: 'RUN_FAILED', stepKey: 'products', error: { code: 'HOOK_FAILED', message } },
        });
    });

    it('receive the failure of a run that never started to work, each one even if another one cannot be called', async () => {
        const run = await shop.perform('keyless');
        expect(run).toMatchObject({ status: 'FAILED', error: { code: 'SECRET_UNREADABLE' }, recordsRead: 0 });
        await until(
            async () => posts,
            sent => sent.length > 0,
        );
        expect(calls).toMatchObject([
            { context: { stage: 'RUN_FAILED', runId: idOf(run.id), error: { code: 'SECRET_UNREADABLE' } } },
        ]);
        expect(posts).toMatchObject([
            {
                url: '/graphql/failed',
                id: `${idOf(run.id)}/RUN_FAILED/3`,
                body: { error: { code: 'SECRET_UNREADABLE' } },
            },
        ]);
        const warned = await until(
            () => logOf(run.id),
            lines => lines.some(({ level }) => level === 'WARN'),
        );
        expect(warned.filter(({ level }) => level === 'WARN')).toMatchObject([
            failed({ number: 1, stage: 'RUN_FAILED', hook: 'WEBHOOK', problem: expect.stringContaining('"unset"') }),
        ]);
    });

    it('receive that a run was cancelled while it waited, and that one was given up', async () => {
        const first = await shop.start('queued');
        await until(
            async () => letGo,
            waiting => waiting.length > 0,
        );
        const second = await shop.start('queued');
        await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { status } }`, {
            id: second.id,
        });
        await endTold(second.id, 'RUN_CANCELLED');
        expect((await shop.run(second.id)).status).toBe('CANCELLED');
        for (const go of letGo.splice(0)) go();
        await shop.ended(first.id);
        const lost = await shop.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: idOf(first.id) });
        const { id } = await shop.dataSource.getRepository(FlowPipelineRun).save(
            new FlowPipelineRun({
                pipelineId: lost.pipelineId,
                revisionId: lost.revisionId,
                channelId: lost.channelId,
                triggerKey: 'start',
                triggerType: 'MANUAL',
                status: 'RUNNING',
                startedAt: new Date(),
                takeovers: 2,
                leaseToken: 'of-a-dead-worker',
                leaseExpiresAt: 0,
            }),
        );
        await shop.app.get(RunQueue).add(id);
        await endTold(String(id), 'RUN_PAUSED');
        expect(calls.at(-1)!.context).toMatchObject({ error: { code: 'NO_PROGRESS' }, totals: { recordsRead: 0 } });
        expect(calls.filter(({ context }) => context.runId === String(id))).toHaveLength(1);
        await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { status } }`, {
            id,
        });
    });

    it('do not change the final state of a run, whatever failOnError is', async () => {
        const run = await shop.perform('unshaken');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsLoaded: 1 });
        const told = await until(
            () => logOf(run.id),
            lines => lines.filter(({ level }) => level === 'ERROR').length === 2,
        );
        expect(told.filter(({ level }) => level === 'ERROR')).toMatchObject(
            ['RUN_STARTED', 'RUN_COMPLETED'].map(stage => ({
                code: 'END_HOOK_FAILED',
                ...failed({ number: 1, stage, hook: 'SCRIPT "fails"', problem: expect.stringContaining('stock file') }),
            })),
        );
        expect((await shop.run(run.id)).status).toBe('COMPLETED');
    });

    it('are a warning otherwise, even if they never end', async () => {
        const run = await shop.perform('lenient');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsLoaded: 1 });
        expect(await skus()).toContain('LENIENT');
        const told = (await logOf(run.id)).filter(({ code }) => code === 'HOOK_FAILED');
        const warning = { level: 'WARN', stepKey: 'products' };
        const stage = 'BEFORE_LOAD';
        expect(told).toMatchObject([
            {
                ...warning,
                ...failed({ number: 1, stage, hook: 'SCRIPT "fails"', problem: expect.stringContaining('stock file') }),
            },
            {
                ...warning,
                ...failed({
                    number: 2,
                    stage,
                    hook: 'SCRIPT "hangs"',
                    problem: expect.stringMatching(naming('50 ms')),
                }),
            },
        ]);
    });
}

export const hooksSuite: SharedSuite = { title: 'hooks', ...additions, tests: hooks };
