import { Tag } from '@vendure/core';
import gql from 'graphql-tag';
import { createPipelineBuilder, type BuiltinCatalogue, type JsonObject } from '../../src';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { makeAdministrator, refusal } from '../config/administrators';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { tagLoader } from '../config/tag-loader';
import { as } from '../fixtures/authoring-api';

interface TagCatalogue extends Omit<BuiltinCatalogue, 'loaders'> {
    readonly loaders: readonly [typeof tagLoader, ...BuiltinCatalogue['loaders']];
}
const pipeline = createPipelineBuilder<TagCatalogue>();

/** The rule rejects records without a colour, the load those without a value. */
const tags = (code: string, data: readonly JsonObject[]) =>
    pipeline(code)
        .throughput({ batchSize: 3 })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .transform('shape', [{ op: 'set', args: { path: 'shaped', value: true } }])
        .validate('check', { rules: [{ type: 'required', spec: { field: 'colour' } }] })
        .load('out', { adapterCode: 'tags' })
        .build();

const named = (prefix: string, count: number, more: JsonObject = { colour: 'red' }): readonly JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ value: `${prefix}-${i}`, ...more }));

const mended = tags('mend-plain', [...named('plain', 2), ...named('plain-bare', 4, {}), { value: 7, colour: 'red' }]);
const pressed = tags('mend-pressed', named('pressed', 5, {}));
const edited = tags('mend-edited', [...named('edit', 2, {}), { value: 'O-1', coIour: 'x' }]);
const ignored = tags('mend-ignored', named('ignored', 3, {}));
const twice = tags('mend-twice', named('twice', 2, {}));
const table = tags('mend-table', named('table', 3, { n: 1, tags: ['a'] }));
const dry = tags('mend-dry', named('dry', 2, {}));
const gated = pipeline('mend-gated')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...named('gated', 3, {})] })
    .validate('check', { rules: [{ type: 'required', spec: { field: 'colour' } }] })
    .gate('gate', { approvalType: 'MANUAL' })
    .load('out', { adapterCode: 'tags' })
    .build();

interface ErrorRow {
    readonly id: string;
    readonly state: string | null;
    readonly payload: JsonObject;
    readonly stepKey: string;
    readonly replayRunId: string | null;
    readonly note: string | null;
    readonly correction: JsonObject | null;
    readonly decidedBy: { readonly identifier: string } | null;
    readonly refusedAgainAs: { readonly id: string; readonly state: string; readonly payload: JsonObject } | null;
}
interface Retry {
    readonly runs: ReadonlyArray<{ readonly id: string; readonly triggerType: string; readonly replays: number }>;
    readonly records: number;
    readonly notOpen: number;
    readonly remaining: number;
    readonly refused: ReadonlyArray<{ readonly stepKey: string; readonly records: number; readonly reason: string }>;
}

const ERRORS = gql`
    query Errors($selection: FlowRecordErrorSelectionInput) {
        flowRecordErrors(selection: $selection) {
            totalItems
            items {
                id state payload stepKey replayRunId note correction groupId keptUntil
                decidedBy { identifier }
                refusedAgainAs { id state payload }
            }
        }
    }
`;
const GROUPS = gql`
    query Groups($selection: FlowRecordErrorSelectionInput, $take: Int) {
        flowRecordErrorGroups(selection: $selection, take: $take) {
            totalItems
            totalRecords
            items {
                id stepKey code path records firstSeenAt lastSeenAt remedy
                states { state records }
                pipelines { pipeline { code } records }
                example { id payload }
            }
        }
    }
`;
const RETRY = gql`
    mutation Retry(
        $selection: FlowRecordErrorSelectionInput!
        $corrections: [FlowRecordCorrectionInput!]
        $edits: [FlowRecordEditInput!]
        $revision: FlowReplayRevision
    ) {
        retryFlowRecordErrors(selection: $selection, corrections: $corrections, edits: $edits, revision: $revision) {
            runs { id triggerType replays }
            records notOpen remaining
            refused { stepKey records reason }
        }
    }
`;
const IGNORE = gql`
    mutation Ignore($selection: FlowRecordErrorSelectionInput!, $note: String!) {
        ignoreFlowRecordErrors(selection: $selection, note: $note)
    }
`;
const REOPEN = gql`
    mutation Reopen($selection: FlowRecordErrorSelectionInput!) {
        reopenFlowRecordErrors(selection: $selection)
    }
`;

function recordErrors(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const errorsOf = async (selection: JsonObject): Promise<readonly ErrorRow[]> =>
        (await shop.adminClient.query(ERRORS, { selection })).flowRecordErrors.items as readonly ErrorRow[];
    const retry = async (variables: JsonObject): Promise<Retry> =>
        (await shop.adminClient.query(RETRY, variables)).retryFlowRecordErrors as Retry;
    const inShop = async (prefix: string): Promise<readonly string[]> => {
        const found = await shop.dataSource.getRepository(Tag).createQueryBuilder('tag');
        const rows = await found
            .where('tag.value LIKE :prefix', { prefix: `${prefix}%` })
            .orderBy('tag.value')
            .getMany();
        return rows.map(({ value }) => value);
    };
    const performed = async (code: string) => {
        const run = await shop.perform(code);
        return { runId: run.id, pipelineId: await shop.pipelineId(code) };
    };

    it('are grouped by their problem, over all runs', async () => {
        const { pipelineId } = await performed('mend-plain');
        await shop.perform('mend-plain');
        const { flowRecordErrorGroups: groups } = await shop.adminClient.query(GROUPS, { selection: { pipelineId } });
        expect(groups).toMatchObject({ totalItems: 2, totalRecords: 10 });
        expect(groups.items).toMatchObject([
            {
                stepKey: 'check',
                code: 'VALIDATION_FAILED',
                path: 'colour',
                records: 8,
                states: [{ state: 'OPEN', records: 8 }],
                pipelines: [{ pipeline: { code: 'mend-plain' }, records: 8 }],
                remedy: expect.any(String),
            },
            { stepKey: 'out', records: 2, example: { payload: { value: 7, colour: 'red', shaped: true } } },
        ]);
        const [{ id, firstSeenAt, lastSeenAt }] = groups.items;
        // Steps of other pipelines have the same keys, and do not count.
        expect(await errorsOf({ groupIds: [id] })).toHaveLength(8);
        expect(new Date(firstSeenAt).getTime()).toBeLessThanOrEqual(new Date(lastSeenAt).getTime());
        expect(await errorsOf({ groupIds: [id], pipelineId })).toHaveLength(8);
        expect(
            (await shop.adminClient.query(GROUPS, { selection: { pipelineId }, take: 1 })).flowRecordErrorGroups,
        ).toMatchObject({ totalItems: 2, items: [{ stepKey: 'check' }] });
    });

    it('are replayed from the step that has rejected them, with their corrections, and the result of each is kept', async () => {
        const { runId } = await performed('mend-plain');
        const all = await errorsOf({ runId });
        const [first, second, third, fourth] = all.filter(({ stepKey }) => stepKey === 'check');
        const load = all.find(({ stepKey }) => stepKey === 'out')!;
        const answer = await retry({
            selection: { runId },
            corrections: [
                { id: first!.id, payload: { ...first!.payload, colour: 'green' } },
                { id: second!.id, payload: { value: 8, colour: 'green' } },
                { id: load.id, payload: { ...load.payload, value: 'plain-seven' } },
            ],
        });
        expect(answer).toMatchObject({ records: 5, notOpen: 0, remaining: 0, refused: [] });
        expect(answer.runs).toMatchObject([{ triggerType: 'REPLAY', replays: 5 }]);
        const replayId = answer.runs[0]!.id;
        expect((await errorsOf({ runId })).length).toBe(0);
        const run = await shop.ended(replayId);
        // Two are loaded, one is rejected by the load now, two are rejected again.
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsRejected: 3 });
        expect(run.counters.map(({ stepKey }) => stepKey)).not.toContain('shape');
        expect(await inShop('plain-')).toEqual(expect.arrayContaining(['plain-bare-0', 'plain-seven']));
        const after = new Map(
            (await errorsOf({ runId, states: ['LOADED', 'REJECTED', 'OPEN'] })).map(row => [row.id, row]),
        );
        expect(after.get(first!.id)).toMatchObject({
            state: 'LOADED',
            correction: { colour: 'green' },
            replayRunId: replayId,
            decidedBy: { identifier: 'superadmin' },
        });
        expect(after.get(load.id)).toMatchObject({ state: 'LOADED' });
        expect(after.get(second!.id)).toMatchObject({
            state: 'REJECTED',
            refusedAgainAs: { state: 'OPEN', payload: { value: 8, colour: 'green' } },
        });
        for (const { id } of [third!, fourth!])
            expect(after.get(id)).toMatchObject({ state: 'REJECTED', correction: null });
        expect((await errorsOf({ runId: replayId })).map(({ stepKey }) => stepKey).sort()).toEqual([
            'check',
            'check',
            'out',
        ]);
    });

    it('are replayed once, however many users request it, and however often', async () => {
        const { runId } = await performed('mend-pressed');
        const edits = [{ operation: 'SET', path: 'colour', value: 'blue' }];
        const answers = await Promise.all([1, 2, 3].map(() => retry({ selection: { runId }, edits })));
        expect(answers.reduce((sum, { records }) => sum + records, 0)).toBe(5);
        // `notOpen` shows that another user was quicker; this does not count as rejected.
        const rejected = JSON.stringify(answers.map(answer => answer.refused));
        expect([rejected.includes('RECORD_ERROR_NOT_OPEN'), rejected]).toEqual([false, '[[],[],[]]']);
        const runs = answers.flatMap(answer => answer.runs);
        for (const { id } of runs) await shop.ended(id);
        expect(await errorsOf({ runId, states: ['LOADED'] })).toHaveLength(5);
        const ids = (await errorsOf({ runId, states: ['LOADED'] })).map(({ id }) => id);
        expect(await retry({ selection: { ids }, edits })).toMatchObject({ runs: [], records: 0, notOpen: 5 });
    });

    it('are all changed in the same way, and those that cannot be changed are reported', async () => {
        const { runId } = await performed('mend-edited');
        const all = await errorsOf({ runId });
        expect(
            await refusal(
                retry({ selection: { runId }, edits: [{ operation: 'REPLACE', path: 'value', find: '', with: 'x' }] }),
            ),
        ).toMatchObject({ code: 'INPUT_INVALID' });
        expect(
            await retry({ selection: { runId }, edits: [{ operation: 'SET', path: 'value.deep', value: 1 }] }),
        ).toMatchObject({
            runs: [],
            refused: [{ stepKey: 'check', records: 3, reason: expect.any(String) }],
        });
        const answer = await retry({
            selection: { runId },
            edits: [
                { operation: 'REPLACE', path: 'value', find: 'O', with: '0' },
                { operation: 'SET', path: 'colour', value: 'red' },
                { operation: 'REMOVE', path: 'coIour' },
            ],
        });
        expect(answer).toMatchObject({ records: all.length });
        await shop.ended(answer.runs[0]!.id);
        expect(await inShop('0-1')).toEqual(['0-1']);
        expect((await errorsOf({ runId, states: ['LOADED'] })).map(({ correction }) => correction)).toContainEqual({
            value: '0-1',
            colour: 'red',
            shaped: true,
        });
    });

    it('are open again if their replay is cancelled before it has processed them', async () => {
        const { runId } = await performed('mend-gated');
        const edits = [{ operation: 'SET', path: 'colour', value: 'red' }];
        const { runs } = await retry({ selection: { runId }, edits });
        const replay = await waitFor(shop, runs[0]!.id, 'PAUSED');
        expect(await errorsOf({ runId, states: ['REPLAYED'] })).toHaveLength(3);
        await shop.adminClient.query(
            gql`
                mutation ($id: ID!) {
                    rejectFlowGate(runId: $id, stepKey: "gate") {
                        status
                    }
                }
            `,
            { id: replay },
        );
        expect(await errorsOf({ runId, states: ['OPEN'] })).toHaveLength(3);
        expect(await inShop('gated')).toEqual([]);
    });

    it('are ignored with a note, and reopened', async () => {
        const { runId } = await performed('mend-ignored');
        const ignore = async (note: string): Promise<number> =>
            (await shop.adminClient.query(IGNORE, { selection: { runId }, note })).ignoreFlowRecordErrors as number;
        expect(await refusal(ignore(' '))).toMatchObject({ code: 'INPUT_INVALID' });
        expect(await ignore('old stock')).toBe(3);
        expect(await ignore('again')).toBe(0);
        expect(await errorsOf({ runId })).toEqual([]);
        expect((await errorsOf({ runId, states: ['IGNORED'] }))[0]).toMatchObject({
            note: 'old stock',
            decidedBy: { identifier: 'superadmin' },
        });
        const one = (await errorsOf({ runId, states: ['IGNORED'] }))[0]!;
        await shop.adminClient.query(REOPEN, { selection: { ids: [one.id] } });
        const { flowRecordErrorGroups } = await shop.adminClient.query(GROUPS, {
            selection: { runId, states: ['IGNORED'] },
        });
        // The pipelines are those of the selected records, the states those of all records.
        const counted = (of: 'states' | 'pipelines'): number =>
            flowRecordErrorGroups.items
                .flatMap((group: Record<typeof of, ReadonlyArray<{ readonly records: number }>>) => group[of])
                .reduce((sum: number, { records }: { readonly records: number }) => sum + records, 0);
        expect([counted('pipelines'), counted('states')]).toEqual([2, 3]);
        expect(await ignore('old stock')).toBe(1);
        expect(await retry({ selection: { runId } })).toMatchObject({ runs: [], records: 0 });
        expect((await shop.adminClient.query(REOPEN, { selection: { runId } })).reopenFlowRecordErrors).toBe(3);
        expect((await errorsOf({ runId }))[0]).toMatchObject({ state: 'OPEN', note: null });
    });

    it('of the same records in two runs are open in both, until those of one run are ignored', async () => {
        const { runId: first, pipelineId } = await performed('mend-twice');
        const { runId: second } = await performed('mend-twice');
        for (const runId of [first, second])
            expect((await errorsOf({ runId })).map(({ payload }) => payload['value'])).toEqual(['twice-0', 'twice-1']);
        expect(await errorsOf({ pipelineId })).toHaveLength(4);
        const selection = { runId: first };
        await shop.adminClient.query(IGNORE, { selection, note: 'imported again' });
        const left = await errorsOf({ pipelineId });
        expect(left.map(({ id }) => id)).toEqual((await errorsOf({ runId: second })).map(({ id }) => id));
        expect(left).toHaveLength(2);
    });

    it('are exported as a table, and imported with corrections', async () => {
        const { runId } = await performed('mend-table');
        const headers = {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
        const path = `${shop.url}/flow/record-errors.csv`;
        expect((await fetch(`${path}?state=LOST`, { headers })).status).toBe(400);
        const answer = await fetch(`${path}?runId=${runId}`, { headers });
        const table = await answer.text();
        const [header, ...lines] = table.replace('\ufeff', '').trim().split('\r\n');
        expect(header).toBe('Flow: record error,Flow: reason,Flow: place,Flow: step,value,n,tags,shaped');
        expect(lines).toHaveLength(3);
        // The first record is corrected, the second one is unchanged, and the third one does not contain a list any more.
        const changed = [
            header,
            lines[0]!.replace('table-0', "'=table-0").replace(',1,', ',7,'),
            lines[1],
            lines[2]!.replace('[""a""]', 'a'),
            lines[1],
            `T_999999${lines[1]!.slice(lines[1]!.indexOf(','))}`,
        ].join('\n');
        const form = new FormData();
        form.set('file', new File([changed], 'corrected.csv'));
        const upload = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        const fileId = ((await upload.json()) as { file: { id: string } }).file.id;
        const { flowCorrectedRecords: seen } = await shop.adminClient.query(
            gql`
                query ($fileId: ID!) {
                    flowCorrectedRecords(fileId: $fileId) {
                        rows
                        corrected
                        unchanged
                        faultsTotal
                        faults {
                            row
                            message
                        }
                        examples {
                            before
                            after
                        }
                    }
                }
            `,
            { fileId },
        );
        expect(seen).toMatchObject({
            rows: 5,
            corrected: 1,
            unchanged: 1,
            faultsTotal: 3,
            faults: [{ row: 4 }, { row: 5 }, { row: 6 }],
            examples: [{ before: { value: 'table-0', n: 1 }, after: { value: '=table-0', n: 7, tags: ['a'] } }],
        });
        const { retryFlowCorrectedRecords: retried } = await shop.adminClient.query(
            gql`
                mutation ($fileId: ID!) {
                    retryFlowCorrectedRecords(fileId: $fileId) {
                        records
                        runs {
                            id
                        }
                    }
                }
            `,
            { fileId },
        );
        expect(retried.records).toBe(2);
        await shop.ended(retried.runs[0].id);
        expect(await errorsOf({ runId: retried.runs[0].id })).toMatchObject([
            { payload: { value: '=table-0', n: 7, tags: ['a'], shaped: true } },
            { payload: { value: 'table-1', n: 1 } },
        ]);
        expect(await errorsOf({ runId })).toHaveLength(1);
    });

    it('of dry runs need no action', async () => {
        const { id } = await shop.perform('mend-dry', 'dryRunFlowPipeline');
        expect(await errorsOf({ runId: id })).toEqual([]);
        const stored = await shop.dataSource
            .getRepository(FlowRecordError)
            .find({ where: { runId: id.replace('T_', '') } });
        expect(stored.map(({ state }) => state)).toEqual([null, null]);
    });

    it('are replayed by the live revision, if that still has the step, or by that of their run', async () => {
        const pipelines = as(shop.adminClient);
        const definition = (key: string, field: string): JsonObject => ({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ value: 'revised', a: 1 }] } },
                { key, kind: 'VALIDATE', config: { rules: [{ type: 'required', spec: { field } }] } },
                { key: 'out', kind: 'LOAD', config: { adapterCode: 'tags' } },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: key },
                { from: key, to: 'out' },
            ],
        });
        const draft = await pipelines.create({ code: 'mend-revised', definition: definition('check', 'b') });
        let published = await pipelines.publish(draft);
        const { runId } = await performed('mend-revised');
        const publish = async (changed: JsonObject): Promise<void> => {
            published = await pipelines.publish(await pipelines.update(published, { definition: changed }));
        };
        await publish(definition('other', 'a'));
        expect(await retry({ selection: { runId } })).toMatchObject({
            runs: [],
            refused: [{ stepKey: 'check', records: 1 }],
        });
        const original = await retry({ selection: { runId }, revision: 'ORIGINAL' });
        await shop.ended(original.runs[0]!.id);
        const [again] = await errorsOf({ runId: original.runs[0]!.id });
        expect(again).toMatchObject({ stepKey: 'check', state: 'OPEN' });
        await publish(definition('check', 'a'));
        const current = await retry({ selection: { ids: [again!.id] } });
        expect(await shop.ended(current.runs[0]!.id)).toMatchObject({ recordsLoaded: 1 });
        expect(await inShop('revised')).toEqual(['revised']);
    });

    it('need additional permissions, and the one to read records for everything that shows records', async () => {
        const { runId } = await performed('mend-ignored');
        const client = await makeAdministrator(shop, {
            name: 'mender',
            permissions: ['ReadFlowRun', 'RetryFlowRecord'],
        });
        client.setChannelToken(shop.channelToken);
        expect(await refusal(client.query(GROUPS, { selection: { text: 'x' } }))).toMatchObject({ code: 'FORBIDDEN' });
        expect(
            await refusal(client.query(RETRY, { selection: { runId }, edits: [{ operation: 'REMOVE', path: 'a' }] })),
        ).toMatchObject({ code: 'FORBIDDEN' });
        // The run would act for the user who replays, and who may not run pipelines.
        const { retryFlowRecordErrors: answer } = await client.query(RETRY, { selection: { runId } });
        expect(answer).toMatchObject({
            runs: [],
            records: 0,
            refused: [{ records: 3, reason: expect.stringContaining('RunFlowPipeline') }],
        });
        expect(await errorsOf({ runId })).toHaveLength(3);
    });
}

async function waitFor(shop: FlowServer, id: string, status: string): Promise<string> {
    for (;;) {
        if ((await shop.run(id)).status === status) return id;
        await new Promise(resolve => setTimeout(resolve, 50));
    }
}

/** What users do about rejected records. */
export const recordErrorsSuite: SharedSuite = {
    title: 'record errors',
    pipelines: [mended, pressed, edited, ignored, twice, table, dry, gated],
    adapters: [tagLoader],
    tests: recordErrors,
};
