import { needs } from '../test/servers/needs';
import { FlowPlugin, pipeline, type PipelineSource } from '../src';
import { databaseOf } from '../src/platform/sql/open-database';
import { checkCodeFirst } from '../src/plugin/code-first';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { FlowPipelineRevision } from '../src/plugin/entities/revision';
import { PipelineSync, type SyncReport } from '../src/plugin/services/pipeline-sync';
import { setUp } from '../src/plugin/setup';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';

const numbers = (code: string, count: number): PipelineSource => pipeline(code)
    .name(`Numbers ${code}`)
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'generator', count, template: { n: '{{index}}' } })
    .build();

const plugin = FlowPlugin.init({ pipelines: [numbers('from-options', 3)] });
const { registry } = setUp({});

function codeFirst(database: Database): void {
    let shop: FlowServer;

    beforeAll(async () => { shop = await flowServer(database, plugin); });
    afterAll(() => shop?.destroy());

    const sync = (...sources: readonly PipelineSource[]): Promise<SyncReport> =>
        new PipelineSync(shop.dataSource, databaseOf(shop.dataSource)).sync(checkCodeFirst(sources, registry));
    const stored = (code: string): Promise<FlowPipeline> => shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
    const revisions = async (code: string): Promise<number[]> => {
        const { id: pipelineId } = await stored(code);
        return (await shop.dataSource.getRepository(FlowPipelineRevision).find({ where: { pipelineId }, order: { number: 'ASC' } })).map(({ number }) => number);
    };

    it('are there once the server is, and run for whoever starts them', async () => {
        expect(await shop.perform('from-options')).toMatchObject({ status: 'COMPLETED', recordsRead: 3 });
    });

    it('get a new revision when their definition changes, and none when it does not', async () => {
        expect(await sync(numbers('from-options', 3), numbers('changing', 1))).toEqual({ created: ['changing'], published: [], disabled: [] });
        expect(await sync(numbers('from-options', 3), numbers('changing', 1))).toEqual({ created: [], published: [], disabled: [] });
        expect(await sync(numbers('from-options', 3), numbers('changing', 2))).toEqual({ created: [], published: ['changing'], disabled: [] });
        expect(await revisions('changing')).toEqual([1, 2]);
        expect((await shop.perform('changing')).recordsRead).toBe(2);
    });

    it('take a new name without a new revision', async () => {
        await sync(numbers('from-options', 3), { ...numbers('changing', 2), name: 'Renamed' });
        expect(await stored('changing')).toMatchObject({ name: 'Renamed', codeFirst: true, enabled: true });
        expect(await revisions('changing')).toEqual([1, 2]);
    });

    it('are disabled, not deleted, when they go from the code, and come back when they do', async () => {
        expect(await sync(numbers('from-options', 3))).toEqual({ created: [], published: [], disabled: ['changing'] });
        expect(await stored('changing')).toMatchObject({ enabled: false });
        await expect(shop.start('changing')).rejects.toMatchObject({ response: { errors: [{ extensions: { code: 'PIPELINE_NOT_RUNNABLE' } }] } });
        await sync(numbers('from-options', 3), numbers('changing', 2));
        expect(await stored('changing')).toMatchObject({ enabled: true });
        expect(await revisions('changing')).toEqual([1, 2]);
    });

    it('are made once when many servers and workers start at the same time (N11)', async () => {
        const all = [numbers('from-options', 3), numbers('changing', 2), numbers('race-a', 1), numbers('race-b', 1)];
        const reports = await Promise.all(Array.from({ length: 6 }, () => sync(...all)));
        expect(reports.flatMap(({ created }) => created).sort()).toEqual(['race-a', 'race-b']);
        expect(await revisions('race-a')).toEqual([1]);
    });

    it('of an unknown channel are refused with the channels that there are', async () => {
        await expect(sync({ ...numbers('lost', 1), channel: 'nowhere' })).rejects.toMatchObject({
            code: 'CHANNEL_NOT_FOUND', message: expect.stringContaining('No channel has the token "nowhere". Known: "e2e-default-channel"') as string,
        });
        expect((await stored('changing')).enabled).toBe(true);
    });
}

describe('code-first pipelines on SQLite', () => codeFirst('sqlite'));
needs('postgres', 'code-first pipelines on PostgreSQL', () => codeFirst('postgres'));

describe('a start', () => {
    it('is refused with all faults when a code-first definition is invalid', async () => {
        const faulty = FlowPlugin.init({
            pipelines: [{
                code: 'faulty', name: 'Faulty', description: '', enabled: true,
                definition: { version: 1, steps: [{ key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csvv' } }], edges: [{ from: 'in', to: 'nowhere' }] },
            }],
        });
        await expect(flowServer('sqlite', faulty)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
        const message = await flowServer('sqlite', faulty).catch((error: Error) => error.message);
        for (const fault of ['pipeline "faulty":', '(ADAPTER_NOT_FOUND)', '(EDGE_UNKNOWN_STEP)', '(TRIGGER_MISSING)', '"csv"']) expect(message).toContain(fault);
    });

    it('is refused when an option is wrong', async () => {
        await expect(flowServer('sqlite', FlowPlugin.init({ runtime: { leaseMs: 1 } }))).rejects.toMatchObject({
            code: 'OPTION_INVALID', message: 'FlowPlugin option runtime.leaseMs: runtime.leaseMs is 1; allowed: 1000 to 600000.',
        });
    });
});
