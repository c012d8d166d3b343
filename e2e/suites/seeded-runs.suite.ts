import { RequestContextService, type RequestContext, Tag, TransactionalConnection } from '@vendure/core';
import { type JsonObject } from '../../src';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import { RunStarter, type StartRequest } from '../../src/plugin/runs/run-starter';
import { filesInUse } from '../../src/plugin/files/file-use';
import { FLOW_SETUP } from '../../src/plugin/tokens';
import type { FlowSetup } from '../../src/plugin/setup';
import type { FlowServer, RunAnswer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

/** Rejects all records, so that the test can read them. */
const refusing = (source: JsonObject): JsonObject => ({
    version: 1,
    throughput: { batchSize: 2 },
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: source },
        { key: 'check', kind: 'VALIDATE', config: { rules: [{ type: 'required', spec: { field: 'missing' } }] } },
    ],
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'check' },
    ],
});

function seeded(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let ctx: RequestContext;
    const ids = new Map<string, string>();
    const files = new Map<string, string>();

    beforeAll(async () => {
        shop = await open();
        ctx = await shop.app.get(RequestContextService).create({ apiType: 'admin', channelOrToken: shop.channelToken });
        for (const name of ['own', 'other']) files.set(name, await upload(`${name}.csv`, `file\n${name}\n`));
        const inline = { adapterCode: 'inMemory', data: [{ file: 'inline' }] };
        const sources = { inline, stored: { adapterCode: 'csv', fileId: files.get('own')! } };
        const pipelines = as(shop.adminClient);
        for (const [code, source] of Object.entries(sources)) {
            const draft = await pipelines.create({ code: `seeded-${code}`, definition: refusing(source) });
            await pipelines.publish(draft);
            const [row] = await shop.dataSource.query<Array<{ id: string }>>(
                `SELECT id FROM flow_pipeline WHERE code = 'seeded-${code}'`,
            );
            ids.set(code, row!.id);
        }
    });

    const upload = async (filename: string, content: string): Promise<string> => {
        const form = new FormData();
        form.set('file', new File([content], filename));
        const headers = {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
        const response = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        return ((await response.json()) as { file: { id: string } }).file.id;
    };
    const order = (code: string, more: Partial<StartRequest>): StartRequest => ({
        pipelineId: ids.get(code)!,
        channelId: ctx.channelId,
        actor: null,
        dryRun: false,
        ...more,
    });
    const starter = (): RunStarter => shop.app.get(RunStarter);
    const start = (code: string, more: Partial<StartRequest>) => starter().start(order(code, more));
    const ended = async (runId: unknown): Promise<RunAnswer> => shop.ended(`T_${String(runId)}`);
    /** The records that the last step has received. */
    const came = async (runId: unknown): Promise<unknown[]> => {
        const errors = await shop.dataSource
            .getRepository(FlowRecordError)
            .find({ where: { runId: runId as string, stepKey: 'check' }, order: { seq: 'ASC' } });
        return errors.map(({ payload }) => payload);
    };
    const stored = (runId: unknown) =>
        shop.dataSource
            .getRepository(FlowPipelineRun)
            .createQueryBuilder('run')
            .addSelect('run.seed')
            .where({ id: runId })
            .getOneOrFail();

    it('read the records of their seed, in all batches, and not their sources', async () => {
        const seed: readonly JsonObject[] = [
            { n: 1 },
            { n: 2 },
            { n: 3, deep: { list: ['\0', '"', 'ü🏷'] } },
            {},
            { ['__proto__']: 1 },
        ];
        const runId = await start('inline', { seed });
        const run = await ended(runId);
        expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 5, recordsRejected: 5 });
        expect(await came(runId)).toEqual(seed);
        expect(run.counters.find(({ stepKey }) => stepKey === 'in')).toBeUndefined();
    });

    it('keep their records with their row until they have ended', async () => {
        const connection = shop.app.get(TransactionalConnection);
        const seed = [{ n: 1 }];
        const runId = await connection.withTransaction(ctx, async own => {
            const { runId: id } = await starter().startWithin(own, order('inline', { seed }));
            const row = await connection
                .getRepository(own, FlowPipelineRun)
                .createQueryBuilder('run')
                .addSelect('run.seed')
                .where({ id })
                .getOneOrFail();
            expect(row).toMatchObject({ status: 'PENDING', seed });
            return id;
        });
        await ended(runId);
        expect((await stored(runId)).seed).toBeNull();
        expect(await came(runId)).toEqual(seed);
    });

    it('begin without records if the list is empty, and read their sources if there is no list', async () => {
        const [none, own] = [await start('inline', { seed: [] }), await start('inline', {})];
        expect(await ended(none)).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY', recordsRead: 0 });
        expect(await ended(own)).toMatchObject({ recordsRead: 1 });
        expect(await came(own)).toEqual([{ file: 'inline' }]);
    });

    it('read the referenced file instead of that of the step; it is not deleted meanwhile', async () => {
        const fileId = files.get('other')!;
        const { registry } = shop.app.get<FlowSetup>(FLOW_SETUP);
        const runId = await start('stored', { source: { fileId } });
        expect((await stored(runId)).sourceReference).toEqual({ fileId });
        await ended(runId);
        expect(await came(runId)).toEqual([{ file: 'other' }]);
        const again = await start('stored', {});
        await ended(again);
        expect(await came(again)).toEqual([{ file: 'own' }]);
        // A run that has not ended yet keeps its file.
        await shop.dataSource.getRepository(FlowPipelineRun).update({ id: runId }, { status: 'PAUSED' });
        expect(await filesInUse(shop.dataSource, registry)).toContain(fileId);
        await shop.dataSource.getRepository(FlowPipelineRun).update({ id: runId }, { status: 'COMPLETED' });
        expect(await filesInUse(shop.dataSource, registry)).not.toContain(fileId);
    });

    it.each<[string, Partial<StartRequest>, string, string]>([
        ['inline', { seed: [{ a: 1 }, 2 as never] }, 'INPUT_INVALID', 'records[1] is no record'],
        ['inline', { seed: [{ a: Number.NaN }] }, 'INPUT_INVALID', 'records[0] is no record'],
        ['inline', { seed: {} as never }, 'INPUT_INVALID', 'records is of type object; allowed: a list of records'],
        [
            'inline',
            { seed: Array.from({ length: 11 }, () => ({ text: 'x'.repeat(1024 * 1024) })) },
            'INPUT_INVALID',
            'records have more than 10485760 bytes as JSON from records[9] on; allowed: at most 10485760',
        ],
        ['stored', { seed: [], source: { fileId: '1' } }, 'INPUT_INVALID', 'records and source are given'],
        ['stored', { source: { fileId: '' } }, 'INPUT_INVALID', 'source.fileId is empty'],
        [
            'inline',
            { source: { fileId: '1' } },
            'PIPELINE_NOT_RUNNABLE',
            'its trigger "start" leads directly to no enabled EXTRACT step that reads a stored file',
        ],
        ['inline', { triggerType: 'WEBHOOK' }, 'PIPELINE_NOT_RUNNABLE', 'it has no enabled WEBHOOK trigger'],
    ])('are rejected if they cannot have that (%#)', async (code, more, error, problem) => {
        await expect(start(code, more)).rejects.toMatchObject({
            code: error,
            message: expect.stringContaining(problem) as string,
        });
    });

    it('show which trigger has started them, of any type', async () => {
        const runs = shop.dataSource.getRepository(FlowPipelineRun);
        const revisions = shop.dataSource.getRepository(FlowPipelineRevision);
        const revision = await revisions.findOneByOrFail({ pipelineId: ids.get('inline')! });
        const [start_, ...others] = revision.definition['steps'] as unknown as readonly JsonObject[];
        // As a version with triggers of this type would have stored it.
        const hooked = { ...start_, key: 'hook', config: { type: 'WEBHOOK' } };
        const definition = { ...revision.definition, steps: [start_, hooked, ...others] } as JsonObject;
        await revisions.update({ id: revision.id }, { definition: definition as never });
        const runId = await start('inline', { triggerType: 'WEBHOOK', seed: [] });
        expect(await runs.findOneByOrFail({ id: runId })).toMatchObject({ triggerKey: 'hook', triggerType: 'WEBHOOK' });
        await ended(runId);
        await revisions.update({ id: revision.id }, { definition: revision.definition as never });
    });

    describe('that are started within a request', () => {
        const connection = (): TransactionalConnection => shop.app.get(TransactionalConnection);
        const runsOf = (occurrenceKey: string) =>
            shop.dataSource.getRepository(FlowPipelineRun).countBy({ occurrenceKey });

        it('exist, and are executed, when it has committed', async () => {
            const started = await connection().withTransaction(ctx, async own => {
                await connection()
                    .getRepository(own, Tag)
                    .save(new Tag({ value: 'seeded-commits' }));
                return starter().startWithin(own, order('inline', { seed: [{ n: 1 }], occurrenceKey: 'commits' }));
            });
            expect(started.isNew).toBe(true);
            expect(await ended(started.runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
            const again = await connection().withTransaction(ctx, own =>
                starter().startWithin(own, order('inline', { occurrenceKey: 'commits' })),
            );
            expect(again).toEqual({ runId: started.runId, isNew: false });
        });

        it('do not exist if it fails', async () => {
            const request = connection().withTransaction(ctx, async own => {
                await starter().startWithin(own, order('inline', { occurrenceKey: 'fails' }));
                throw new Error('undone on purpose');
            });
            await expect(request).rejects.toThrow('undone on purpose');
            expect(await runsOf('fails')).toBe(0);
        });

        it('are started like others if the request has no transaction', async () => {
            const { runId, isNew } = await starter().startWithin(ctx, order('inline', { occurrenceKey: 'alone' }));
            expect(isNew).toBe(true);
            expect(await ended(runId)).toMatchObject({ status: 'COMPLETED' });
        });

        it('do not change its transaction if they are rejected', async () => {
            const value = 'seeded-refused';
            await connection().withTransaction(ctx, async own => {
                const rejected = starter().startWithin(own, order('inline', { triggerKey: 'nowhere' }));
                await expect(rejected).rejects.toMatchObject({ code: 'PIPELINE_NOT_RUNNABLE' });
                await connection().getRepository(own, Tag).save(new Tag({ value }));
            });
            expect(await shop.dataSource.getRepository(Tag).countBy({ value })).toBe(1);
        });
    });
}

/** The records that runs get instead of those of their sources. */
export const seededRunsSuite: SharedSuite = { title: 'seeded runs', tests: seeded };
