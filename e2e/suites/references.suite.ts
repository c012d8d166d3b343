import gql from 'graphql-tag';
import { countStatements, watchStatements } from '../../bench/meter';
import type { JsonObject } from '../../src';
import { FlowManagedFile } from '../../src/plugin/entities/managed-file';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf } from '../fixtures/authoring-api';

countStatements();

interface IssueAnswer {
    readonly code: string;
    readonly path: string;
    readonly stepKey: string | null;
    readonly message: string;
    readonly severity: 'ERROR' | 'WARNING';
}

const lookup = (connectionCode: string): JsonObject => ({
    op: 'httpLookup',
    args: { connectionCode, url: '/a', keyField: 'a', target: 'a' },
});

function references(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
    });

    const issuesOf = async (definition: JsonObject): Promise<readonly IssueAnswer[]> => {
        const { validateFlowPipeline } = await shop.adminClient.query(
            gql`query Validate($definition: FlowJSON!) { validateFlowPipeline(definition: $definition) { code path stepKey message severity } }`,
            { definition },
        );
        return validateFlowPipeline as readonly IssueAnswer[];
    };
    const upload = async (filename: string, content: string): Promise<string> => {
        const form = new FormData();
        form.set('file', new File([content], filename));
        const response = await fetch(`${shop.url}/flow/upload`, {
            method: 'POST',
            headers: {
                authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                'vendure-token': shop.channelToken,
            },
            body: form,
        });
        return ((await response.json()) as { readonly file: { readonly id: string } }).file.id;
    };
    const reading = (config: JsonObject): JsonObject => ({
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', ...config } },
        ],
        edges: [{ from: 'start', to: 'in' }],
    });

    it('are reported in one response with all other errors, and as warnings if a run does not need them', async () => {
        const definition: JsonObject = {
            version: 1,
            capabilities: { requires: ['UpdateCatalgo'] },
            throughput: { batchSize: 0 },
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId: '4711', delimeter: ';' } },
                {
                    key: 'ask',
                    kind: 'TRANSFORM',
                    config: { operators: [{ op: 'trimm', args: {} }, lookup('nowhere'), lookup('no code!')] },
                },
                { key: 'off', kind: 'TRANSFORM', disabled: true, config: { operators: [lookup('not-needed')] } },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'ask' },
                { from: 'ask', to: 'off' },
                { from: 'off', to: 'lost' },
            ],
        };
        const told = await issuesOf(definition);
        expect(told.map(({ code, path, severity }) => `${severity} ${code} ${path}`)).toEqual([
            'ERROR VALUE_OUT_OF_RANGE throughput.batchSize',
            'ERROR CONFIG_INVALID steps[1].config.delimeter',
            'ERROR ADAPTER_NOT_FOUND steps[2].config.operators[0].op',
            'ERROR CONFIG_INVALID steps[2].config.operators[2].args.connectionCode',
            'ERROR EDGE_UNKNOWN_STEP edges[3].to',
            'ERROR PERMISSION_UNKNOWN capabilities.requires[0]',
            'WARNING FILE_NOT_FOUND steps[1].config.fileId',
            'ERROR CONNECTION_NOT_FOUND steps[2].config.operators[1].args.connectionCode',
        ]);
        expect(told.filter(({ stepKey }) => stepKey !== null).map(({ stepKey }) => stepKey)).toEqual([
            'in',
            'ask',
            'ask',
            'in',
            'ask',
        ]);
    });

    it('may be files that are missing or have expired, which does not prevent publishing', async () => {
        const fileId = await upload('prices.csv', 'sku,price\na,1\n');
        const [expires, ...none] = await issuesOf(reading({ fileId }));
        expect([expires!.code, expires!.severity, none]).toEqual(['FILE_EXPIRES', 'WARNING', []]);
        const files = shop.dataSource.getRepository(FlowManagedFile);
        await files.update({ filename: 'prices.csv' }, { expiresAt: null });
        expect(await issuesOf(reading({ fileId }))).toEqual([]);
        const expired = new Date(Date.now() - 60_000);
        await files.update({ filename: 'prices.csv' }, { expiresAt: expired });
        const [told, ...others] = await issuesOf(reading({ fileId }));
        expect(others).toEqual([]);
        const { expiresAt } = await files.findOneByOrFail({ filename: 'prices.csv' });
        expect(told).toMatchObject({
            code: 'FILE_EXPIRED',
            severity: 'WARNING',
            path: 'steps[1].config.fileId',
            stepKey: 'in',
            message: expect.stringMatching(naming(`"${fileId}"`, '"prices.csv"', expiresAt!.toISOString())),
        });
        for (const id of ['T_4711', '1', 'T_0', 'no id\0']) {
            const [issue, ...more] = await issuesOf(reading({ fileId: id }));
            expect(more).toEqual([]);
            expect(issue).toMatchObject({
                code: 'FILE_NOT_FOUND',
                severity: 'WARNING',
                path: 'steps[1].config.fileId',
            });
        }
        const draft = await pipelines.create({ code: 'without-a-file', definition: reading({ fileId }) });
        expect((await pipelines.publish(draft)).revision).toMatchObject({ number: 1 });
    });

    it('may be pipelines that hooks cannot start, with a warning until they can', async () => {
        const next = await pipelines.create({ code: 'references-next', definition: reading({ csvText: 'a\n1' }) });
        const hooks = { RUN_COMPLETED: [{ type: 'TRIGGER_PIPELINE', pipelineCode: 'references-nxt' }] };
        const first = await pipelines.create({
            code: 'references-first',
            definition: { ...reading({ csvText: 'a\n1' }), hooks },
        });
        const path = 'hooks.RUN_COMPLETED[0].pipelineCode';
        const place = { path, stepKey: null };
        const warned = { ...place, severity: 'WARNING' };
        const [unknown, ...others] = first.workingCopy!.issues;
        expect([unknown, others]).toMatchObject([{ ...place, code: 'PIPELINE_NOT_FOUND' }, []]);
        expect(unknown!.message).toContain('"references-next"');
        const named = (pipelineCode: string) => ({
            ...reading({ csvText: 'a\n1' }),
            hooks: { RUN_COMPLETED: [{ ...hooks.RUN_COMPLETED[0]!, pipelineCode }] },
        });
        expect(await issuesOf(named('references-next'))).toMatchObject([{ ...warned, code: 'PIPELINE_NOT_RUNNABLE' }]);
        await pipelines.publish(next);
        expect(await issuesOf(named('references-next'))).toEqual([]);
        expect((await pipelines.publish(first)).revision).not.toBeNull();
    });

    it('may not be files that their extractor cannot read', async () => {
        const fileId = await upload('prices.txt', 'sku,price\na,1\n');
        const definition = reading({ adapterCode: 'xml', fileId });
        const path = 'steps[1].config.fileId';
        const message = expect.stringMatching(naming(`"${fileId}"`, '"prices.txt"', 'txt', 'xml', 'csv')) as string;
        const issue = { code: 'FILE_TYPE_MISMATCH', path, stepKey: 'in', message };
        const [told] = await issuesOf(definition);
        expect(told).toMatchObject({ ...issue, severity: 'ERROR' });
        const draft = await pipelines.create({ code: 'with-another-file', definition });
        expect(await errorOf(pipelines.publish(draft))).toMatchObject({
            code: 'DEFINITION_INVALID',
            issues: [issue, { code: 'FILE_EXPIRES' }],
            message,
        });
    });

    it('are looked up with as few statements when there are many as when there are few', async () => {
        const statements = async (count: number): Promise<number> => {
            let sent = 0;
            const stop = watchStatements(text => {
                if (/flow_(secret|connection|managed_file)\b/.test(text)) sent++;
            });
            try {
                const operators = Array.from({ length: count }, (_, i) => lookup(`lost-${i}`));
                const { steps, edges, ...rest } = reading({ fileId: '4711' });
                const ask = { key: 'ask', kind: 'TRANSFORM', config: { operators } };
                const told = await issuesOf({
                    ...rest,
                    steps: [...(steps as readonly JsonObject[]), ask],
                    edges: [...(edges as readonly JsonObject[]), { from: 'in', to: 'ask' }],
                });
                expect(told).toHaveLength(count + 1);
            } finally {
                stop();
            }
            return sent;
        };
        const few = await statements(1);
        expect(few).toBeGreaterThan(0);
        expect(await statements(50)).toBe(few);
    });
}

/** What a definition names, and whether the shop has it. */
export const referencesSuite: SharedSuite = { title: 'what a definition names', tests: references };
