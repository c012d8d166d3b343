import gql from 'graphql-tag';
import type { JsonObject } from '../../src';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { HookTriggeredRuns } from '../../src/plugin/runs/hook-triggered-runs';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

interface Refusal {
    readonly response?: {
        readonly errors?: ReadonlyArray<{ readonly message: string; readonly extensions?: { readonly code?: string } }>;
    };
}

/** Rejects all records, so that the test can read them. */
const refusing = (sources: Readonly<Record<string, JsonObject>>, hooks: JsonObject = {}): JsonObject => ({
    version: 1,
    hooks,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        ...Object.entries(sources).map(([key, config]) => ({ key, kind: 'EXTRACT', config })),
        { key: 'check', kind: 'VALIDATE', config: { rules: [{ type: 'required', spec: { field: 'missing' } }] } },
    ],
    edges: Object.keys(sources).flatMap(key => [
        { from: 'start', to: key },
        { from: key, to: 'check' },
    ]),
});
const inline = (...data: JsonObject[]): JsonObject => ({ adapterCode: 'inMemory', data });
const triggering = (pipelineCode: string): JsonObject[] => [{ type: 'TRIGGER_PIPELINE', pipelineCode }];

function givenStarts(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    const files = new Map<string, string>();

    const publish = async (code: string, definition: JsonObject): Promise<void> => {
        await as(shop.adminClient).publish(await as(shop.adminClient).create({ code, definition }));
    };
    const upload = async (name: string): Promise<string> => {
        const form = new FormData();
        form.set('file', new File([`file\n${name}\n`], `${name}.csv`));
        const headers = {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
        const response = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        return ((await response.json()) as { file: { id: string } }).file.id;
    };
    beforeAll(async () => {
        shop = await open();
        for (const name of ['own', 'other', 'third']) files.set(name, await upload(name));
        const stored = { adapterCode: 'csv', fileId: files.get('own')! };
        await publish('given-inline', refusing({ in: inline({ own: true }) }));
        await publish('given-files', refusing({ first: stored, second: stored }));
        // The first one names a pipeline that is created later, and that one leads back.
        await publish('hooked-back', refusing({ in: inline() }, { ON_RECORD_ERROR: triggering('hooked-first') }));
        const hooks = { AFTER_EXTRACT: triggering('hooked-back'), RUN_COMPLETED: triggering('hooked-end') };
        await publish('hooked-first', refusing({ in: inline({ n: 1 }, { n: 2 }) }, hooks));
        await publish('hooked-end', refusing({ in: inline() }));
        await publish('hooked-nowhere', refusing({ in: inline({ n: 1 }) }, { AFTER_EXTRACT: triggering('nobody') }));
    });

    const start = async (code: string, given: JsonObject, client = shop.adminClient): Promise<string> => {
        const answer = await client.query(
            gql`
                mutation Start($id: ID!, $records: [FlowJSON!], $files: [FlowStepFileInput!]) {
                    startFlowPipelineRun(pipelineId: $id, records: $records, files: $files) {
                        id
                    }
                }
            `,
            { id: await shop.pipelineId(code), ...given },
        );
        return (answer.startFlowPipelineRun as { id: string }).id;
    };
    const refusalOf = (code: string, given: JsonObject, client = shop.adminClient): Promise<string> =>
        start(code, given, client).then(
            () => 'started',
            ({ response }: Refusal) => {
                const [error] = response?.errors ?? [];
                return `${error?.extensions?.code}: ${error?.message}`;
            },
        );
    const came = async (runId: unknown): Promise<readonly unknown[]> => {
        const id = String(runId).replace('T_', '');
        const errors = await shop.dataSource
            .getRepository(FlowRecordError)
            .find({ where: { runId: id, stepKey: 'check' }, order: { id: 'ASC' } });
        return errors.map(({ payload }) => payload);
    };
    const runsOf = async (code: string): Promise<readonly FlowPipelineRun[]> => {
        const pipelineId = String(await shop.pipelineId(code)).replace('T_', '');
        return shop.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId }, order: { id: 'ASC' } });
    };

    it('have the records that a user has pasted', async () => {
        const runId = await start('given-inline', { records: [{ n: 1 }, { n: 2, deep: [{}] }] });
        expect(await shop.ended(runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 2 });
        expect(await came(runId)).toEqual([{ n: 1 }, { n: 2, deep: [{}] }]);
        const none = await start('given-inline', { records: null });
        await shop.ended(none);
        expect(await came(none)).toEqual([{ own: true }]);
    });

    it('read other files in the named steps, and keep them until they have ended', async () => {
        const runId = await start('given-files', {
            files: [{ stepKey: 'second', fileId: files.get('other')! }],
        });
        await shop.ended(runId);
        expect(await came(runId)).toEqual([{ file: 'own' }, { file: 'other' }]);
        const both = await start('given-files', {
            files: ['first', 'second'].map((stepKey, i) => ({
                stepKey,
                fileId: files.get(i === 0 ? 'third' : 'other')!,
            })),
        });
        await shop.ended(both);
        expect(await came(both)).toEqual([{ file: 'third' }, { file: 'other' }]);
    });

    it.each<[string, string, () => JsonObject, string]>([
        ['an invalid record', 'given-inline', () => ({ records: [{}, 1] }), 'INPUT_INVALID: records[1] '],
        [
            'a step that reads no file',
            'given-inline',
            () => ({ files: [{ stepKey: 'in', fileId: files.get('own')! }] }),
            'PIPELINE_NOT_RUNNABLE: ',
        ],
        [
            'a step that there is not',
            'given-files',
            () => ({ files: [{ stepKey: 'third', fileId: files.get('own')! }] }),
            'PIPELINE_NOT_RUNNABLE: ',
        ],
        [
            'a step twice',
            'given-files',
            () => ({ files: [1, 2].map(() => ({ stepKey: 'first', fileId: files.get('own')! })) }),
            'INPUT_INVALID: ',
        ],
        ['no file', 'given-files', () => ({ files: [] }), 'INPUT_INVALID: '],
        [
            'a file that there is not',
            'given-files',
            () => ({ files: [{ stepKey: 'first', fileId: 'T_999999' }] }),
            'FILE_NOT_FOUND: ',
        ],
        [
            'both',
            'given-files',
            () => ({ records: [], files: [{ stepKey: 'first', fileId: files.get('own')! }] }),
            'INPUT_INVALID: records and files ',
        ],
    ])('are rejected with %s', async (_, code, given, error) => {
        expect(await refusalOf(code, given())).toContain(error);
    });

    it('need the permission to read files', async () => {
        const permissions = ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun'];
        const client = await makeAdministrator(shop, { name: 'file-less', permissions });
        const given = { files: [{ stepKey: 'first', fileId: files.get('own')! }] };
        expect(await refusalOf('given-files', given, client)).toMatch(/^FORBIDDEN: .*ReadFlowFiles/);
        expect(await refusalOf('given-inline', { records: [] }, client)).toBe('started');
    });

    it('are started by hooks of other runs, each once, with their causes, and end if they lead back', async () => {
        const first = await start('hooked-first', {});
        await shop.ended(first);
        const id = first.replace('T_', '');
        const [back] = await runsOf('hooked-back');
        expect(back).toMatchObject({ triggerKey: 'start', causes: [{ pipelineCode: 'hooked-first' }] });
        expect(String(back!.causes![0]!.runId)).toBe(id);
        expect(back!.occurrenceKey).toMatch(/^hook\//);
        await shop.ended(`T_${String(back!.id)}`);
        expect(await came(back!.id)).toEqual([{ n: 1 }, { n: 2 }]);
        // A → B → A ends: the second one does not start the first one again, and logs that.
        expect(await runsOf('hooked-first')).toHaveLength(1);
        const lines = await shop.dataSource.getRepository(FlowLog).find({ where: { runId: back!.id, level: 'WARN' } });
        expect(lines.map(({ code, facts }) => ({ code, facts }))).toContainEqual({
            code: 'PIPELINE_NOT_STARTED',
            facts: { pipeline: 'hooked-first', chain: 'hooked-first → hooked-back', stage: 'ON_RECORD_ERROR' },
        });
        // The hooks of an end run a little later than the end.
        const [end] = await until(
            () => runsOf('hooked-end'),
            runs => runs.length > 0,
        );
        await shop.ended(`T_${String(end!.id)}`);
        expect(await came(end!.id)).toEqual([
            expect.objectContaining({
                stage: 'RUN_COMPLETED',
                runId: id,
                pipelineCode: 'hooked-first',
                outcome: 'PARTIAL',
            }),
        ]);
        // After a crash a repeated start is recognised.
        const order = { pipelineCode: 'hooked-back', records: [{ n: 1 }], occurrence: back!.occurrenceKey! };
        expect(await shop.app.get(HookTriggeredRuns).of(id).start(order)).toBe('known');
        expect(await runsOf('hooked-back')).toHaveLength(1);
    });

    it('are not started by a hook after nine other pipelines in the chain, however many start each other', async () => {
        const runId = await start('given-inline', {});
        await shop.ended(runId);
        const [id, runs] = [runId.replace('T_', ''), shop.dataSource.getRepository(FlowPipelineRun)];
        const order = (occurrence: string) => ({ pipelineCode: 'hooked-end', records: [{ n: 1 }], occurrence });
        const startBehind = async (others: number): Promise<unknown> => {
            const causes = Array.from({ length: others }, (_, i) => ({ pipelineCode: `behind-${i}`, runId: id }));
            await runs.update({ id }, { causes });
            return shop.app
                .get(HookTriggeredRuns)
                .of(id)
                .start(order(`hook/behind-${others}`));
        };
        const before = (await runsOf('hooked-end')).length;
        expect(await startBehind(8)).toBe('started');
        await expect(startBehind(9)).rejects.toMatchObject({ code: 'HOOK_CHAIN_TOO_LONG' });
        expect(await runsOf('hooked-end')).toHaveLength(before + 1);
    });

    it('are not started by a hook that names no pipeline; the run gets a warning', async () => {
        const runId = await start('hooked-nowhere', {});
        expect(await shop.ended(runId)).toMatchObject({ status: 'COMPLETED' });
        // Hooks that are not awaited may log that a little after the end.
        const warnings = await until(
            () =>
                shop.dataSource
                    .getRepository(FlowLog)
                    .find({ where: { runId: runId.replace('T_', ''), level: 'WARN' } }),
            lines => lines.length > 0,
        );
        expect(warnings.map(({ facts }) => facts)).toContainEqual(
            expect.objectContaining({
                error: expect.objectContaining({ code: 'HOOK_FAILED' }),
                cause: 'PIPELINE_NOT_RUNNABLE',
            }),
        );
    });
}

/** Runs that get their records or files from users or hooks. */
export const givenStartsSuite: SharedSuite = { title: 'runs that are started with something', tests: givenStarts };
