import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { pipeline } from '../../src';
import { FlowRemoteAction } from '../../src/plugin/entities/remote-action';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { makeAdministrator, refusal } from '../config/administrators';
import { type FlowServer, RUN_FIELDS } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { tagLoader } from '../config/tag-loader';

const CODE = `
    console.log('seen', record.value);
    console.log('The file "' + record.value + '" is sound and is read now: 5 rows.');
    if (record.price === '5') throw new Error('no price for ' + record.value);
    return record;`;

const told = (code: string, errorHandlingMode: 'ACCUMULATE' | 'ABORT') =>
    pipeline(code)
        .capabilities({ requires: ['UpdateCatalog'] as never })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', {
            adapterCode: 'inMemory',
            data: [
                { value: 'canary-1', price: 'canary "of" 12' },
                { value: 'canary-2', price: '5' },
                { value: 'canary-3', price: '7' },
            ],
        })
        .validate('check', {
            errorHandlingMode,
            rules: [
                { type: 'pattern', spec: { field: 'price', pattern: '^\\d$' } },
                { type: 'pattern', spec: { field: 'value', pattern: '1|2', severity: 'WARNING' } },
            ],
        })
        .transform('shape', [{ op: 'script', args: { code: CODE, failOnError: true } }])
        .load('out', { adapterCode: 'tags' } as never)
        .build();

const additions = {
    pipelines: [told('told', 'ACCUMULATE'), told('told-and-ended', 'ABORT')],
    adapters: [tagLoader],
} satisfies Partial<SharedSuite>;

/** Everything that shows what a run made of its records, without the fields that need the permission to read records. */
const ALL = gql`query All($id: ID!) {
    flowPipelineRun(id: $id) { ${RUN_FIELDS} pipeline { lastRun { error { message } } } }
    flowRecordErrors(runId: $id, options: { take: 100 }) { items { code message path place payload faults { path rule message severity } } }
    flowLogs(runId: $id, options: { take: 100 }) { items { message facts stepKey } }
    flowDryRunDifferences(runId: $id, options: { take: 100 }) { items { action key before after } }
}`;
const WAITING = gql`
    query Waiting($options: FlowRemoteActionListOptions) {
        flowRemoteActions(options: $options) {
            items {
                path
                lastError
            }
        }
    }
`;
const LISTS = gql`query Lists(
    $errors: FlowRecordErrorListOptions $logs: FlowLogListOptions $differences: FlowDryRunDifferenceListOptions $id: ID!
) {
    flowRecordErrors(options: $errors) { totalItems }
    flowLogs(options: $logs) { totalItems }
    flowDryRunDifferences(runId: $id, options: $differences) { totalItems }
}`;

function maskedValues(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let reader: SimpleGraphQLClient;
    let clerk: SimpleGraphQLClient;
    beforeAll(async () => {
        shop = await open();
        const run = ['ReadFlowPipeline', 'ReadFlowRun'];
        reader = await makeAdministrator(shop, { name: 'masked-reader', permissions: run });
        clerk = await makeAdministrator(shop, { name: 'masked-clerk', permissions: [...run, 'ReadFlowRecord'] });
    });

    it('are in no message, log line, error and key for users who may not read records', async () => {
        for (const [code, how] of [
            ['told', 'dryRunFlowPipeline'],
            ['told', 'startFlowPipelineRun'],
            ['told-and-ended', 'startFlowPipelineRun'],
        ] as const) {
            const { id } = await shop.perform(code, how);
            const [plain, masked] = [await clerk.query(ALL, { id }), await reader.query(ALL, { id })];
            const [first] = plain.flowRecordErrors.items;
            expect(first.message).toContain('canary \\"of\\" 12');
            expect(first.faults[0].message).toContain('canary');
            expect(JSON.stringify(plain.flowLogs)).toContain('canary');
            expect(JSON.stringify(masked)).not.toContain('canary');
            // The rest shows which record it was, and why it was rejected.
            expect(masked.flowRecordErrors.items[0]).toEqual({
                ...first,
                payload: null,
                message: first.message.replace('"canary \\"of\\" 12"', '•••'),
                faults: [
                    { ...first.faults[0], message: first.faults[0].message.replace('"canary \\"of\\" 12"', '•••') },
                ],
            });
            const shown = (answer: typeof plain): string[] =>
                answer.flowLogs.items.map(({ message }: { message: string }) => message);
            expect(shown(masked)).toHaveLength(shown(plain).length);
            expect(shown(masked)[0]).toBe(shown(plain)[0]!.replace('"canary \\"of\\" 12"', '•••'));
            if (how === 'dryRunFlowPipeline') {
                expect(plain.flowDryRunDifferences.items).toHaveLength(1);
                expect(plain.flowPipelineRun.report.differences[0].key).toBe('canary-3');
                expect(masked.flowDryRunDifferences.items[0].key).toBe('•••');
            }
            if (code === 'told-and-ended')
                expect(masked.flowPipelineRun.error).toEqual({
                    ...plain.flowPipelineRun.error,
                    message: plain.flowPipelineRun.error.message.replace('"canary \\"of\\" 12"', '•••'),
                });
        }
    });

    it('cannot be guessed with filters or sort orders of lists', async () => {
        const { id } = await shop.perform('told', 'dryRunFlowPipeline');
        const ask = (as: SimpleGraphQLClient, lists: object) => as.query(LISTS, { id, ...lists });
        const guess = { contains: 'canary' };
        for (const lists of [
            { errors: { filter: { message: guess } } },
            { errors: { filter: { _or: [{ code: { eq: 'X' } }, { _and: [{ message: guess }] }] } } },
            { errors: { sort: { message: 'ASC' } } },
            { logs: { filter: { message: guess } } },
            { logs: { filter: { _and: [{ message: guess }] } } },
            { logs: { sort: { id: 'ASC', message: 'DESC' } } },
            { differences: { filter: { key: guess } } },
            { differences: { sort: { key: 'ASC' } } },
        ]) {
            expect(await refusal(ask(reader, lists))).toMatchObject({
                code: 'FORBIDDEN',
                message: expect.stringContaining('ReadFlowRecord'),
            });
            expect((await ask(clerk, lists)).flowRecordErrors.totalItems).toBeGreaterThan(0);
        }
        const open = {
            errors: { filter: { path: { eq: 'price' } }, sort: { id: 'ASC' } },
            logs: { sort: { id: 'ASC' } },
        };
        expect((await ask(reader, open)).flowRecordErrors.totalItems).toBeGreaterThan(0);
    });

    it('are in no message of a server about a file that waits to be moved', async () => {
        const { id } = await shop.perform('told', 'startFlowPipelineRun');
        const run = await shop.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: id.replace('T_', '') });
        const { pipelineId, channelId, revisionId } = run;
        const waiting = await shop.dataSource.getRepository(FlowRemoteAction).save(
            Object.assign(new FlowRemoteAction(), {
                ...{ pipelineId, channelId, revisionId: revisionId!, runId: run.id, stepKey: 'in', attempts: 1 },
                action: { kind: 'remote', action: 'DELETE', file: { path: '/in/a.csv', size: 1 } },
                lastError: 'The bearer of "canary" has 12 others.',
                dueAt: Date.now() + 86_400_000,
            }),
        );
        const [plain, masked] = [await clerk.query(WAITING), await reader.query(WAITING)];
        expect(plain.flowRemoteActions.items).toMatchObject([{ lastError: waiting.lastError }]);
        expect(masked.flowRemoteActions.items).toMatchObject([
            { path: '/in/a.csv', lastError: 'The bearer of ••• has ••• others.' },
        ]);
        const options = { filter: { lastError: { contains: 'canary' } } };
        expect(await refusal(reader.query(WAITING, { options }))).toMatchObject({ code: 'FORBIDDEN' });
        await shop.dataSource.getRepository(FlowRemoteAction).remove(waiting);
    });
}

export const maskedValuesSuite: SharedSuite = { title: 'values of records', ...additions, tests: maskedValues };
