import { EventBus, Tag, type Type, type VendureEvent } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { createServer } from 'node:http';
import { FIRST_PORT } from '../../test/servers/process';
import { naming } from '../../test/kit/naming';
import {
    createPipelineBuilder,
    type BuiltinCatalogue,
    FlowEntitiesChanged,
    FlowGateApproved,
    FlowGateRejected,
    FlowRunCancelled,
    FlowRunPaused,
    type JsonObject,
} from '../../src';
import { FlowGateDecision } from '../../src/plugin/entities/gate-decision';
import { FlowHeldBatch } from '../../src/plugin/entities/held-batch';
import { FlowLog } from '../../src/plugin/entities/log';
import { RunStores } from '../../src/plugin/runs/run-stores';
import { logIn, makeAdministrator, refusal } from '../config/administrators';
import { type FlowServer, type RunAnswer, RUN_FIELDS, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { tagLoader } from '../config/tag-loader';

interface TagCatalogue extends Omit<BuiltinCatalogue, 'loaders'> {
    readonly loaders: readonly [typeof tagLoader, ...BuiltinCatalogue['loaders']];
}
const pipeline = createPipelineBuilder<TagCatalogue>();

const RECORDS = 25;
const records = Array.from({ length: RECORDS }, (_, i) => ({ value: `held-${String(i).padStart(2, '0')}` }));
/** The number of records that the step before the gate has received, by pipeline. */
const came = new Map<string, number>();

const tags = (code: string, data: readonly JsonObject[] = records) =>
    pipeline(code)
        .throughput({ batchSize: 10 })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] });
const counted = { AFTER_TRANSFORM: [{ type: 'SCRIPT', scriptName: 'countBeforeGate' }] } as const;

const plain = tags('gate-plain')
    .transform('clean', [{ op: 'set', args: { path: 'passed', value: true } }])
    .gate('gate', { approvalType: 'MANUAL', previewCount: 3 })
    .load('out', { adapterCode: 'tags' })
    .hooks(counted)
    .build();

const twice = tags('gate-twice')
    .gate('first', { approvalType: 'MANUAL' })
    .gate('second', { approvalType: 'MANUAL' })
    .gate('beside', { approvalType: 'MANUAL' })
    .load('out', { adapterCode: 'tags' })
    .load('also', { adapterCode: 'tags' })
    .edge('start', 'in')
    .edge('in', 'first')
    .edge('first', 'second')
    .edge('second', 'out')
    .edge('in', 'beside')
    .edge('beside', 'also')
    .build();

/** Passes the records that neither this run nor an earlier one has seen. */
const remembering = tags('gate-remembers')
    .transform('new', [{ op: 'deltaFilter', args: { idPath: 'value' } }])
    .gate('gate', { approvalType: 'MANUAL' })
    .load('out', { adapterCode: 'tags' })
    .build();

const timed = tags('gate-timed')
    .gate('gate', { approvalType: 'TIMEOUT', timeoutSeconds: 1 })
    .load('out', { adapterCode: 'tags' })
    .build();

/** One record in five is rejected. */
const shares = (code: string, errorThresholdPercent: number) =>
    tags(
        code,
        records.map((record, i) => (i % 5 === 0 ? { ...record, value: null } : record)),
    )
        .validate('check', { rules: [{ type: 'business', spec: { field: 'value', required: true } }] })
        .gate('gate', { approvalType: 'THRESHOLD', errorThresholdPercent })
        .load('out', { adapterCode: 'tags' })
        .build();

const lamp = { slug: 'held-lamp', name: 'Held lamp', sku: 'HELD-1', price: 100, value: 'held-lamp' };
/** The shop contains what it loads before it waits. */
const told = tags('gate-told', [lamp])
    .load('products', { adapterCode: 'productUpsert' })
    .gate('gate', { approvalType: 'MANUAL' })
    .load('out', { adapterCode: 'tags' })
    .build();

/** Plans for products: one exists, one is new, and one cannot be loaded. */
const planned = tags('gate-planned', [
    { slug: 'gate-lamp', name: 'Gate lamp', sku: 'GATE-1', price: 200 },
    { slug: 'gate-chair', name: 'Gate chair', sku: 'GATE-2', price: 300 },
    { slug: 'gate-table', name: 'Gate table', sku: 'GATE-3', price: 'a lot' },
])
    .gate('gate', { approvalType: 'MANUAL' })
    .load('products', { adapterCode: 'productUpsert' })
    .build();

/** The requests that the external system has received. */
const posts: Array<{ readonly url: string; readonly id: unknown; readonly body: JsonObject }> = [];
const outside = createServer((request, response) => {
    let text = '';
    request
        .on('data', chunk => {
            text += String(chunk);
        })
        .on('end', () => {
            const { url = '', headers } = request;
            posts.push({ url, id: headers['x-flow-id'], body: JSON.parse(text) as JsonObject });
            response.writeHead(url.endsWith('/no') ? 400 : 204).end();
        });
});
const PORT = FIRST_PORT + 39;
const notifying = (code: string, path: string) =>
    tags(code)
        .gate('gate', { approvalType: 'MANUAL', notifyWebhook: { connectionCode: 'approvals', path } })
        .load('out', { adapterCode: 'tags' })
        .build();

const RUN = `${RUN_FIELDS} gateStepKey gateTimeoutAt holdsBack held { stepKey records }
    gateDecisions { stepKey verdict decider decidedBy { identifier } comment records }`;
const decide = (how: 'approve' | 'reject') =>
    gql(`mutation Decide($runId: ID!, $stepKey: String!, $comment: String) {
        ${how}FlowGate(runId: $runId, stepKey: $stepKey, comment: $comment) { ${RUN} }
    }`);
const PREVIEW = gql`
    query Preview($runId: ID!, $stepKey: String!, $skip: Int, $take: Int) {
        flowGatePreview(runId: $runId, stepKey: $stepKey, skip: $skip, take: $take) {
            totalItems
            error {
                code
            }
            items {
                sourceKey
                seq
                record
                changes {
                    stepKey
                    seq
                    action
                    key
                    before
                    after
                }
                rejected {
                    stepKey
                    code
                    path
                    message
                }
            }
        }
    }
`;

interface GateRun extends RunAnswer {
    readonly gateStepKey: string | null;
    readonly gateTimeoutAt: string | null;
    readonly gateDecisions: readonly JsonObject[];
    readonly held: readonly JsonObject[];
}

function gates(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let approver: SimpleGraphQLClient;

    beforeAll(async () => {
        await new Promise<void>(done => outside.listen(PORT, '127.0.0.1', done));
        shop = await open();
        const { activeChannel } = await shop.adminClient.query(gql`
            query {
                activeChannel {
                    id
                }
            }
        `);
        const channelIds = [activeChannel.id as string];
        await makeAdministrator(shop, { name: 'approver', permissions: ['ApproveFlowGate'], channelIds });
        approver = await logIn(shop, 'approver');
        approver.setChannelToken(shop.channelToken);
    });
    afterAll(async () => {
        await shop?.destroy();
        await new Promise(done => outside.close(done));
    });
    afterEach(async () => {
        came.clear();
        await shop.dataSource.getRepository(Tag).createQueryBuilder().delete().execute();
    });

    const rowOf = (id: string): string => id.replace('T_', '');
    const run = async (id: string): Promise<GateRun> =>
        (await shop.adminClient.query(gql(`query Run($id: ID!) { flowPipelineRun(id: $id) { ${RUN} } }`), { id }))
            .flowPipelineRun as GateRun;
    const rests = (id: string): Promise<GateRun> =>
        until(
            () => run(id),
            ({ status }) => status !== 'PENDING' && status !== 'RUNNING',
        );
    const paused = async (code: string): Promise<GateRun> => {
        const { id } = await shop.start(code);
        const waiting = await rests(id);
        expect(waiting).toMatchObject({ status: 'PAUSED', outcome: null });
        return waiting;
    };
    const approve = async ({ id }: Pick<RunAnswer, 'id'>, stepKey = 'gate', client = shop.adminClient) =>
        (await client.query(decide('approve'), { runId: id, stepKey, comment: ' looks good ' }))
            .approveFlowGate as GateRun;
    const reject = async ({ id }: Pick<RunAnswer, 'id'>, stepKey = 'gate', client = shop.adminClient) =>
        (await client.query(decide('reject'), { runId: id, stepKey })).rejectFlowGate as GateRun;
    const tagsInShop = (): Promise<number> => shop.dataSource.getRepository(Tag).count();
    const heardDuring = async <E extends VendureEvent>(type: Type<E>, work: () => Promise<unknown>): Promise<E[]> => {
        const heard: E[] = [];
        const listening = shop.app
            .get(EventBus)
            .ofType(type)
            .subscribe(event => heard.push(event));
        try {
            await work();
            return heard;
        } finally {
            listening.unsubscribe();
        }
    };

    it('waits without a worker, and after its approval continues with everything that was held, and with nothing before it', async () => {
        let waiting!: GateRun;
        const pauses = await heardDuring(FlowRunPaused, async () => {
            waiting = await paused('gate-plain');
            await until(tagsInShop, count => count === 0);
        });
        expect(pauses.map(({ gate }) => gate?.stepKey)).toEqual(['gate']);
        expect(waiting).toMatchObject({
            gateStepKey: 'gate',
            gateTimeoutAt: null,
            holdsBack: false,
            held: [{ stepKey: 'gate', records: RECORDS }],
            gateDecisions: [],
            recordsRead: RECORDS,
            recordsLoaded: 0,
        });
        expect(await tagsInShop()).toBe(0);
        let approved!: GateRun;
        const approvals = await heardDuring(FlowGateApproved, async () => {
            approved = await approve(waiting);
        });
        expect(approved.gateDecisions).toEqual([
            {
                stepKey: 'gate',
                verdict: 'APPROVED',
                decider: 'PERSON',
                decidedBy: { identifier: 'superadmin' },
                comment: 'looks good',
                records: RECORDS,
            },
        ]);
        expect(approvals.map(({ gate }) => [gate.stepKey, typeof gate.decidedBy])).toEqual([['gate', 'number']]);
        // The log of the run has the user's id, and no name.
        const logged = await shop.dataSource
            .getRepository(FlowLog)
            .findBy({ runId: rowOf(waiting.id), stepKey: 'gate' });
        const facts = { step: 'gate', userId: approvals[0]!.gate.decidedBy };
        expect(logged.map(line => [line.code, line.facts])).toContainEqual(['GATE_APPROVED', facts]);
        expect(logged.map(({ message }) => message).join()).not.toContain('superadmin');
        expect(await rests(waiting.id)).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            recordsLoaded: RECORDS,
            recordsRead: RECORDS,
            gateStepKey: null,
            held: [],
        });
        expect(await tagsInShop()).toBe(RECORDS);
        expect(came.get('gate-plain')).toBe(RECORDS);
        expect(await shop.dataSource.getRepository(FlowHeldBatch).countBy({ runId: rowOf(waiting.id) })).toBe(0);
    });

    it('drops what was held if it is rejected, and leaves what was loaded before', async () => {
        const waiting = await paused('gate-plain');
        let rejected!: GateRun;
        let ends: FlowRunCancelled[] = [];
        const rejections = await heardDuring(FlowGateRejected, async () => {
            ends = await heardDuring(FlowRunCancelled, async () => {
                rejected = await reject(waiting, 'gate', approver);
            });
        });
        expect(rejected).toMatchObject({
            status: 'CANCELLED',
            gateStepKey: null,
            gateDecisions: [
                {
                    verdict: 'REJECTED',
                    decidedBy: { identifier: 'approver@shop.test' },
                    comment: null,
                    records: RECORDS,
                },
            ],
        });
        expect([rejections.length, ends.length]).toEqual([1, 1]);
        expect(await tagsInShop()).toBe(0);
        expect(await shop.dataSource.getRepository(FlowHeldBatch).countBy({ runId: rowOf(waiting.id) })).toBe(0);
        const refused = await refusal(approve(waiting));
        expect(refused).toMatchObject({ code: 'RUN_STATE_CONFLICT' });
        expect(refused.message).toContain('approver@shop.test');
    });

    it('counts the first of two users who decide at the same moment; the other one gets an error that names the first', async () => {
        const waiting = await paused('gate-plain');
        const answers = await Promise.allSettled([approve(waiting), approve(waiting, 'gate', approver)]);
        expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const isFirst = answers[0]!.status === 'fulfilled';
        const rejected = await refusal(approve(waiting, 'gate', isFirst ? approver : shop.adminClient));
        expect(rejected).toMatchObject({ code: 'RUN_STATE_CONFLICT' });
        expect(rejected.message).toContain(isFirst ? 'superadmin' : 'approver@shop.test');
        expect(await rests(waiting.id)).toMatchObject({ status: 'COMPLETED', recordsLoaded: RECORDS });
        expect(await shop.dataSource.getRepository(FlowGateDecision).countBy({ runId: rowOf(waiting.id) })).toBe(1);
    });

    it('rejects an invalid comment, and a gate at which the run does not wait', async () => {
        const waiting = await paused('gate-plain');
        const told = (variables: object) =>
            refusal(shop.adminClient.query(decide('approve'), { runId: waiting.id, stepKey: 'gate', ...variables }));
        expect(await told({ comment: 'x'.repeat(10_001) })).toMatchObject({ code: 'INPUT_INVALID' });
        expect(await told({ stepKey: 'out' })).toMatchObject({ code: 'RUN_STATE_CONFLICT' });
        expect(await told({ runId: 'T_999999' })).toMatchObject({ code: 'RUN_NOT_FOUND' });
        expect(await run(waiting.id)).toMatchObject({ status: 'PAUSED', gateDecisions: [] });
        await reject(waiting);
    });

    it('waits at each of several gates in turn, and does not delay parallel branches', async () => {
        let waiting = await paused('gate-twice');
        const order: string[] = [];
        while (waiting.status === 'PAUSED') {
            order.push(waiting.gateStepKey!);
            await approve(waiting, waiting.gateStepKey!);
            waiting = await rests(waiting.id);
        }
        expect(order.filter(key => key !== 'beside')).toEqual(['first', 'second']);
        expect([...order].sort()).toEqual(['beside', 'first', 'second']);
        expect(waiting).toMatchObject({ status: 'COMPLETED', recordsLoaded: RECORDS, recordsUnchanged: RECORDS });
        expect(waiting.gateDecisions.map(({ stepKey }) => stepKey)).toEqual(order);
    });

    it('is approved automatically when its time is over', async () => {
        const approvals = await heardDuring(FlowGateApproved, async () => {
            const { id } = await shop.start('gate-timed');
            const ended = (await shop.ended(id)) as GateRun;
            expect(ended).toMatchObject({ status: 'COMPLETED', recordsLoaded: RECORDS });
            expect(await run(id)).toMatchObject({
                gateTimeoutAt: null,
                gateDecisions: [
                    { verdict: 'APPROVED', decider: 'TIMEOUT', decidedBy: null, comment: null, records: RECORDS },
                ],
            });
        });
        expect(approvals.map(({ gate }) => gate.decidedBy)).toEqual([undefined]);
    });

    it('is approved automatically, without a pause, if fewer records were rejected than its threshold', async () => {
        const pauses = await heardDuring(FlowRunPaused, async () => {
            const { id } = await shop.start('gate-below');
            expect(await shop.ended(id)).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 20 });
            expect(await run(id)).toMatchObject({
                gateDecisions: [{ verdict: 'APPROVED', decider: 'THRESHOLD', decidedBy: null, records: 20 }],
            });
        });
        expect(pauses).toEqual([]);
        const waiting = await paused('gate-above');
        expect(waiting).toMatchObject({ held: [{ stepKey: 'gate', records: 20 }], recordsRejected: 5 });
        await approve(waiting);
        expect(await rests(waiting.id)).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            recordsUnchanged: 20,
        });
    });

    it('publishes what it has loaded before the gate without waiting for the decision, and once', async () => {
        const heard: FlowEntitiesChanged[] = [];
        const listening = shop.app
            .get(EventBus)
            .ofType(FlowEntitiesChanged)
            .subscribe(event => heard.push(event));
        const waiting = await paused('gate-told');
        expect(waiting).toMatchObject({ recordsLoaded: 1 });
        await until(
            async () => heard.map(({ entity, operation }) => `${operation} ${entity}`),
            events => events.includes('CREATE Product') && events.includes('CREATE ProductVariant'),
        );
        listening.unsubscribe();
        expect(await run(waiting.id)).toMatchObject({ status: 'PAUSED' });
        const again = await heardDuring(FlowEntitiesChanged, async () => {
            await approve(waiting);
            expect(await rests(waiting.id)).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2 });
        });
        expect(again.filter(({ entity }) => entity !== 'Collection')).toEqual([]);
    });

    it('lets a later run go first if that loses nothing of the source', async () => {
        const first = await paused('gate-plain');
        const second = await paused('gate-plain');
        await approve(second);
        expect(await rests(second.id)).toMatchObject({ status: 'COMPLETED' });
        await approve(first);
        expect(await rests(first.id)).toMatchObject({ status: 'COMPLETED', recordsUnchanged: RECORDS });
    });

    it('holds back a later run that would take the held records for new ones', async () => {
        const first = await paused('gate-remembers');
        expect(first).toMatchObject({ holdsBack: true });
        const { id } = await shop.start('gate-remembers');
        expect(await shop.app.get(RunStores).leases.claim(Number(rowOf(id)))).toMatchObject({ because: 'waits' });
        await approve(first);
        expect(await rests(first.id)).toMatchObject({ status: 'COMPLETED', holdsBack: false, recordsLoaded: RECORDS });
        expect(await rests(id)).toMatchObject({ status: 'COMPLETED', recordsRead: RECORDS, recordsLoaded: 0 });
    });

    it('does not delay a dry run, which shows what would be loaded after it', async () => {
        const dry = await shop.perform('gate-planned', 'dryRunFlowPipeline');
        expect(dry).toMatchObject({
            status: 'COMPLETED',
            report: { steps: [{ stepKey: 'products', created: 2, rejected: 1 }] },
        });
        expect(dry.counters.find(({ stepKey }) => stepKey === 'gate')).toMatchObject({ in: 3, out: 3, held: 0 });
    });

    describe('a notification that records wait', () => {
        it('contains facts of the run and nothing of the records', async () => {
            const waiting = await paused('gate-notifies');
            const [post] = await until(
                () => Promise.resolve(posts.filter(({ url }) => url === '/api/waiting')),
                all => all.length > 0,
            );
            expect(post).toEqual({
                url: '/api/waiting',
                id: `${rowOf(waiting.id)}/GATE_WAITING/step=gate`,
                body: {
                    id: `${rowOf(waiting.id)}/GATE_WAITING/step=gate`,
                    event: 'GATE_WAITING',
                    runId: rowOf(waiting.id),
                    pipelineCode: 'gate-notifies',
                    stepKey: 'gate',
                    approvalType: 'MANUAL',
                    heldRecords: RECORDS,
                    timeoutAt: null,
                    totals: expect.objectContaining({ recordsRead: RECORDS, recordsLoaded: 0 }) as unknown,
                },
            });
            await reject(waiting);
        });

        it('delays nothing if it cannot be sent', async () => {
            const waiting = await paused('gate-refused');
            const [line] = await until(
                () => shop.dataSource.getRepository(FlowLog).findBy({ runId: rowOf(waiting.id), level: 'WARN' }),
                lines => lines.length > 0,
            );
            expect(line).toMatchObject({ stepKey: 'gate' });
            await approve(waiting);
            expect(await rests(waiting.id)).toMatchObject({ status: 'COMPLETED' });
        });
    });

    describe('the preview of what it holds', () => {
        const preview = async (
            { id }: Pick<RunAnswer, 'id'>,
            variables: object = {},
            client = shop.adminClient,
        ): Promise<{ totalItems: number; error: unknown; items: ReadonlyArray<JsonObject & { record: JsonObject }> }> =>
            (await client.query(PREVIEW, { runId: id, stepKey: 'gate', ...variables })).flowGatePreview;

        it('is a page of the records, as many as the gate is configured to show unless the request has another number', async () => {
            const waiting = await paused('gate-plain');
            const valuesOf = async (variables?: object) =>
                (await preview(waiting, variables)).items.map(({ record }) => record['value']);
            expect(await preview(waiting)).toMatchObject({ totalItems: RECORDS, error: null });
            expect(await valuesOf()).toEqual(['held-00', 'held-01', 'held-02']);
            expect(await valuesOf({ skip: 9, take: 2 })).toEqual(['held-09', 'held-10']);
            expect(await valuesOf({ skip: 24, take: 100 })).toEqual(['held-24']);
            expect(await valuesOf({ skip: 25 })).toEqual([]);
            expect((await preview(waiting, { skip: 9, take: 2 })).items).toMatchObject([
                { sourceKey: 'in', seq: 9, changes: [{ stepKey: 'out', seq: 9, action: 'CREATE', key: 'held-09' }] },
                { sourceKey: 'in', seq: 10, changes: [{ stepKey: 'out', seq: 10, action: 'CREATE', key: 'held-10' }] },
            ]);
            const code = async (variables: object) => (await refusal(preview(waiting, variables))).code;
            expect(await code({ skip: -1 })).toBe('INPUT_INVALID');
            expect(await code({ skip: 10_001 })).toBe('INPUT_INVALID');
            expect(await code({ take: 0 })).toBe('INPUT_INVALID');
            expect(await code({ take: 101 })).toBe('INPUT_INVALID');
            expect(await refusal(preview(waiting, { stepKey: 'out' }))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('stepKey', '"out"', 'gate')),
            });
            await reject(waiting);
        });

        it('shows what the loads after it would do, and why they would reject a record, and writes nothing', async () => {
            await paused('gate-planned')
                .then(first => approve(first))
                .then(({ id }) => rests(id));
            const waiting = await paused('gate-planned');
            expect(await preview(waiting)).toMatchObject({
                totalItems: 3,
                error: null,
                items: [
                    { record: { sku: 'GATE-1' }, changes: [], rejected: [] },
                    { record: { sku: 'GATE-2' }, changes: [], rejected: [] },
                    { changes: [], rejected: [{ stepKey: 'products', code: 'RECORD_INVALID', path: 'price' }] },
                ],
            });
            await reject(waiting);
        });

        it('is masked for users who may not read records', async () => {
            const waiting = await paused('gate-planned');
            const seen = JSON.stringify(await preview(waiting, {}, approver));
            expect(seen).not.toMatch(/GATE-|Gate lamp|a lot/);
            expect((await preview(waiting, {}, approver)).items.map(({ record }) => record)).toEqual([
                null,
                null,
                null,
            ]);
            await reject(waiting);
        });
    });
}

export const gatesSuite: SharedSuite = {
    title: 'gates',
    pipelines: [
        plain,
        twice,
        remembering,
        timed,
        shares('gate-below', 20.5),
        shares('gate-above', 20),
        told,
        planned,
        notifying('gate-notifies', '/waiting'),
        notifying('gate-refused', '/no'),
    ],
    adapters: [tagLoader],
    scripts: {
        countBeforeGate: (given, { pipelineCode }) => {
            const code = String(pipelineCode);
            came.set(code, (came.get(code) ?? 0) + given.length);
        },
    },
    connections: [
        { code: 'approvals', name: 'Approvals', type: 'HTTP', settings: { baseUrl: `http://127.0.0.1:${PORT}/api` } },
    ],
    tests: gates,
};
