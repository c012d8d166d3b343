import { MemoryState, type ShopRequest } from '../../../test/kit/memory-ports';
import { type RunOptions, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader } from '../../../test/kit/toy-adapters';
import { defineLoader, type Effect, type KnownFields, type StatementProgram } from '../adapter/loader';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { digestOf } from './load-strategy';

const pipeline = (records: readonly JsonObject[], batchSize = 100) =>
    sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
            write: ['LOAD', { adapterCode: 'toyUpsert' }],
            again: ['LOAD', { adapterCode: 'toyUpsert', table: 'again' }],
        },
        edges: ['start > read > write > again'],
        throughput: { batchSize },
        errorHandling: { maxRetries: 0 },
    });

function* nothing(): StatementProgram<readonly Effect[]> {
    yield { read: [] } satisfies ShopRequest;
    return [];
}

function shopWith(...records: readonly JsonObject[]): MemoryState {
    const state = new MemoryState();
    for (const record of records) state.shop.set(`t/${String(record['id'])}`, record);
    return state;
}

describe('a load step', () => {
    it('counts the outcome of each record and passes on those that settled', async () => {
        const state = shopWith({ id: 'same' }, { id: 'new', v: 1 }, { id: 'gone' });
        await runPipeline(
            pipeline([
                { id: 'same' },
                { id: 'new', v: 2 },
                { id: 'first' },
                { id: 'gone', gone: true },
                { id: 'bad', bad: true },
            ]),
            { state },
        );
        expect(state.counters['write']).toEqual({
            in: 5,
            out: 4,
            expanded: 0,
            filtered: 0,
            rejected: 1,
            held: 0,
            created: 1,
            updated: 1,
            deleted: 1,
            unchanged: 1,
        });
        expect(state.counters['again']).toMatchObject({ in: 4 });
        expect(state.markers.get('write read 0 0')?.result.verdicts).toBe('=UCDX 0-4');
    });

    it('rejects the records that the plan rejects, with the record, the field and the reason', async () => {
        const { state } = await runPipeline(pipeline([{ id: 1 }, { id: 2, bad: true }]));
        expect([...state.rejects.values()]).toEqual([
            {
                stepKey: 'write',
                sourceKey: 'read',
                seq: 1,
                ordinal: 0,
                code: 'RECORD_INVALID',
                path: 'bad',
                message: 'Field "bad": it is bad.',
                facts: expect.objectContaining({ path: 'bad' }) as object,
                payload: { id: 2, bad: true },
            },
        ]);
    });

    it('finds the record that the database rejects and writes all others of the batch', async () => {
        const records = Array.from({ length: 20 }, (_, id): JsonObject =>
            id === 13 || id === 4 ? { id, poison: true } : { id },
        );
        const { state, end } = await runPipeline(pipeline(records));
        expect(end).toMatchObject({
            end: 'completed',
            outcome: 'PARTIAL',
            counters: { write: { created: 18, rejected: 2 }, again: { created: 18 } },
        });
        expect([...state.rejects.values()]).toMatchObject([
            {
                seq: 4,
                code: 'RECORD_REFUSED',
                facts: { problem: 't/4 is poison' },
                payload: { id: 4, poison: true },
            },
            { seq: 13, code: 'RECORD_REFUSED' },
        ]);
    });

    it('names the record that its plan rejects, also when the database rejects another one of the batch', async () => {
        const records = Array.from({ length: 8 }, (_, id): JsonObject => ({
            id,
            ...(id === 2 && { poison: true }),
            ...(id === 6 && { bad: true }),
        }));
        const { state } = await runPipeline(pipeline(records));
        expect([...state.rejects.values()].map(({ seq, payload }) => [seq, payload])).toEqual([
            [2, { id: 2, poison: true }],
            [6, { id: 6, bad: true }],
        ]);
    });

    it('stores the rejects of a load with the load, not a second time', async () => {
        const points: string[] = [];
        await runPipeline(pipeline([{ id: 1, bad: true }]), { at: async point => void points.push(point) });
        expect(points).not.toContain('rejects.addAll.before');
    });

    it('counts a batch that was loaded before a crash from its marker', async () => {
        const state = new MemoryState();
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.after') throw flowError('DATABASE_LOST', { problem: 'gone' });
        };
        const records: JsonObject[] = [{ id: 1 }, { id: 2, bad: true }];
        expect((await runPipeline(pipeline(records), { state, at })).end.end).toBe('stopped');
        expect(state.commits).toEqual([]);
        state.shop.set('t/1', { id: 1, changed: 'meanwhile' });
        await runPipeline(pipeline(records), { state });
        expect(state.counters['write']).toMatchObject({ created: 1, updated: 0, rejected: 1 });
        expect(state.shop.get('t/1')).toEqual({ id: 1, changed: 'meanwhile' });
        expect(state.rejects.size).toBe(1);
    });

    it('plans and writes nothing in a dry run, counts as if it had, and keeps the rejects', async () => {
        const state = shopWith({ id: 'new', v: 1 }, { id: 'same' });
        const before = new Map(state.shop);
        const { end } = await runPipeline(
            pipeline([{ id: 'new', v: 2 }, { id: 'same' }, { id: 'first' }, { id: 'bad', bad: true }]),
            {
                state,
                input: { mode: 'dryRun' },
            },
        );
        expect(end).toMatchObject({
            end: 'completed',
            counters: { write: { created: 1, updated: 1, unchanged: 1, rejected: 1 } },
        });
        expect(state.shop).toEqual(before);
        expect(state.markers.size).toBe(0);
        expect([...state.rejects.keys()]).toEqual(['write read 3 0']);
        const planned = state.events.filter(event => event.type === 'change.planned' && event.stepKey === 'write');
        expect(planned).toEqual([
            {
                type: 'change.planned',
                stepKey: 'write',
                seq: 0,
                at: { sourceKey: 'read', batchNo: 0, visit: 0, place: 0 },
                change: { action: 'update', key: 't/new', before: { id: 'new', v: 1 }, after: { id: 'new', v: 2 } },
            },
            {
                type: 'change.planned',
                stepKey: 'write',
                seq: 2,
                at: { sourceKey: 'read', batchNo: 0, visit: 0, place: 2 },
                change: { action: 'create', key: 't/first', after: { id: 'first' } },
            },
        ]);
    });

    it('opens its loader once a run', async () => {
        let opened = 0;
        const loader = toyLoader(async () => void opened++);
        await runPipeline(pipeline([{ id: 1 }, { id: 2 }, { id: 3 }], 1), { adapters: [loader] });
        expect(opened).toBe(2); // two steps
    });

    it('fails the run, not the records, if the records do not cause the failure', async () => {
        const broken = defineLoader({
            ...toyLoader(),
            open: async () => ({
                locks: () => [],
                *plan(batch) {
                    yield { fail: flowError('DATABASE_REFUSED', { problem: 'no such table' }) } satisfies ShopRequest;
                    return { changes: batch.map(() => ({ action: 'unchanged' as const, key: 'x' })), apply: nothing };
                },
            }),
        });
        const { end, state } = await runPipeline(pipeline([{ id: 1 }]), { adapters: [broken] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_REFUSED' }, stepKey: 'write' });
        expect(state.rejects.size).toBe(0);
    });

    it('takes a plan of the wrong length for a bug', async () => {
        const short = defineLoader({
            ...toyLoader(),
            open: async () => ({
                locks: () => [],
                *plan() {
                    yield { read: [] } satisfies ShopRequest;
                    return { changes: [], apply: nothing };
                },
            }),
        });
        const { end } = await runPipeline(pipeline([{ id: 1 }]), { adapters: [short] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'BUG' } });
    });

    it('digests equal inputs equally, and different ones differently', () => {
        const digest = (...data: readonly JsonObject[]): string => digestOf(data.map(one => ({ data: one })));
        expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }));
        expect(digest({ a: 1 }, { b: 1 })).not.toBe(digest({ b: 1 }, { a: 1 }));
        const large = Array.from({ length: 3_000 }, (_, i) => ({ i, text: 'x'.repeat(50) }));
        expect(digest(...large)).not.toBe(digest(...large.slice(1), large[0]!));
        expect(digest()).toMatch(/^[0-9a-f]{64}$/);
    });
});

const KNOWN: KnownFields = new Map<string, KnownFields | undefined>([
    ['id', undefined],
    ['bad', undefined],
    ['parts', new Map([['id', undefined]])],
    ['texts', new Map([['name', undefined]])],
    ['free', undefined],
]);

/** A toy loader that knows its fields, and takes the blanks round ids for a mistake. */
function particular() {
    const loader = toyLoader();
    return defineLoader({
        ...loader,
        fields: () => KNOWN,
        open: async (config, cx) => ({
            ...(await loader.open(config, cx)),
            trimmed(batch) {
                const ids = batch
                    .map(({ data }) => data['id'])
                    .filter(id => typeof id === 'string' && id !== id.trim());
                return ids.length === 0 ? undefined : { records: ids.length, path: 'id', value: String(ids[0]) };
            },
        }),
    });
}

describe('the summary of a load step about its records', () => {
    const one = (records: readonly JsonObject[]) =>
        sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
                write: ['LOAD', { adapterCode: 'toyUpsert' }],
            },
            edges: ['start > read > write'],
            throughput: { batchSize: 1 },
            errorHandling: { maxRetries: 0 },
        });
    const warnings = (state: MemoryState): ReadonlyArray<{ readonly code: unknown; readonly facts: unknown }> =>
        state.events.flatMap(event =>
            event.type === 'log' && event.level === 'WARN' ? [{ code: event.code, facts: event.facts }] : [],
        );
    const notLoaded = (...fields: readonly string[]) => ({
        code: 'FIELDS_NOT_LOADED',
        facts: { loader: 'toyUpsert', fields },
    });
    const blanks = (records: number, value: string) => ({
        code: 'BLANKS_LEFT_OUT',
        facts: { records, path: 'id', value: `"${value}"` },
    });
    const run = async (records: readonly JsonObject[], options: RunOptions = {}) =>
        runPipeline(one(records), { adapters: [particular()], ...options });

    it('names the fields that its loader does not know, wherever they are', async () => {
        const { state } = await run([
            { id: 1, brand: 'x', free: { any: 1 } },
            { id: 2, parts: [{ id: 1 }, { id: 2, colour: 'red' }], texts: { de: { name: 'a', hint: 'b' } } },
            { id: 3, brand: null, ean: '1', parts: 'none', bad: true },
        ]);
        expect(warnings(state)).toEqual([notLoaded('brand', 'parts.colour', 'texts.hint', 'ean')]);
    });

    it('is empty if it knows all of them, and for a loader that does not declare its fields', async () => {
        expect(warnings((await run([{ id: 1, parts: [{ id: 2 }], texts: { de: { name: 'x' } } }])).state)).toEqual([]);
        expect(warnings((await runPipeline(one([{ id: 1, brand: 'x' }]))).state)).toEqual([]);
    });

    it('counts the records with texts that it has read without the blanks round them', async () => {
        const { state } = await run([{ id: 'a' }, { id: ' b' }, { id: 'c ' }]);
        expect(warnings(state)).toEqual([blanks(2, ' b')]);
    });

    it('counts the records of which the loader notes something, in whatever parts their batch was loaded, and not the rejected', async () => {
        const loader = toyLoader();
        let why: { readonly why?: string } = {};
        const noting = defineLoader({
            ...loader,
            open: async (config, cx) => {
                const session = await loader.open(config, cx);
                return {
                    ...session,
                    *plan(batch, ready) {
                        const plan = yield* session.plan(batch, ready);
                        const note = { code: 'TOYS_MADE', what: 'Toys were made', ...why };
                        const changes = plan.changes.map(change =>
                            change.action === 'create' ? { ...change, note: { ...note, example: change.key } } : change,
                        );
                        return { ...plan, changes };
                    },
                };
            },
        });
        const records: JsonObject[] = [{ id: 'a', bad: true }, { id: 'b' }, { id: 'c', poison: true }, { id: 'd' }];
        const definition = { ...one(records), throughput: { batchSize: 5, concurrency: 1, rateLimitRps: 0 } };
        for (const mode of ['live', 'dryRun'] as const) {
            const { state } = await runPipeline(definition, { adapters: [noting], input: { mode } });
            const lines = state.events.filter(event => event.type === 'log' && event.facts?.['code'] === 'TOYS_MADE');
            // In a dry run, no transaction rejects the poisoned record.
            const facts = { what: 'Toys were made', records: mode === 'live' ? 2 : 3, example: '"t/b"' };
            expect(lines).toMatchObject([{ code: 'LOAD_NOTE', facts }]);
        }
        // A reason of usual length is reported completely, and a page of text by its beginning.
        why = { why: `is wooden ${'and old '.repeat(100)}` };
        const { state } = await runPipeline(definition, { adapters: [noting], input: { mode: 'dryRun' } });
        const reason = why.why!.slice(0, 200);
        const facts = { code: 'TOYS_MADE', what: 'Toys were made', records: 3, example: '"t/b"', why: `${reason}…` };
        expect(warnings(state)).toContainEqual({ code: 'LOAD_NOTE_WHY', facts });
    });

    it('is logged in a dry run and in a run that fails as well', async () => {
        const dry = await run([{ id: ' a', brand: 'x' }], { input: { mode: 'dryRun' } });
        expect(warnings(dry.state)).toHaveLength(2);
        const at = async (point: string): Promise<void> => {
            if (point === 'journal.flush.before') throw flowError('DATABASE_REFUSED', { problem: 'full' });
        };
        const failed = await run([{ id: 1, brand: 'x' }], { at });
        expect(failed.end.end).toBe('stopped');
        expect(warnings(failed.state)).toHaveLength(1);
    });

    it('is logged once for a run in slices, and includes all of them', async () => {
        const state = new MemoryState();
        const records: readonly JsonObject[] = [
            { id: ' a', brand: 1 },
            { id: 'b', ean: 1 },
            { id: 'c ', ean: 2, brand: 2 },
            { id: 'd' },
        ];
        const over = new AbortController();
        over.abort();
        const ends: string[] = [];
        for (let i = 0; i < 4; i++) ends.push((await run(records, { state, yieldSignal: over.signal })).end.end);
        expect([ends, warnings(state)]).toEqual([['yielded', 'yielded', 'yielded', 'yielded'], []]);
        await run(records, { state });
        expect(warnings(state)).toEqual([notLoaded('brand', 'ean'), blanks(2, ' a')]);
    });

    it('counts records of a worker that died before the commit only once', async () => {
        const state = new MemoryState();
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.after') throw flowError('DATABASE_LOST', { problem: 'gone' });
        };
        await run([{ id: ' a', brand: 1 }], { state, at });
        expect(warnings(state)).toEqual([]);
        await run([{ id: ' a', brand: 1 }], { state });
        expect(warnings(state)).toEqual([notLoaded('brand'), blanks(1, ' a')]);
    });

    it('keeps no more of long names and texts than a message shows, and writes it once', async () => {
        const long = 'x'.repeat(10_000);
        const records = Array.from({ length: 20 }, (_, i) => ({
            id: ` ${i}${long}`,
            [`${long}${i % 2}`]: 1,
            brand: 1,
        }));
        const { state } = await run(records);
        const stateEntries = state.commits.map(commit => JSON.stringify(commit.memos));
        expect(stateEntries.filter(text => text.includes('brand'))).toHaveLength(1);
        expect(stateEntries.filter(text => text.length > 1_000)).toEqual([]);
        expect(JSON.stringify(state.events).length).toBeLessThan(2_000);
        expect(warnings(state)).toEqual([notLoaded(`${'x'.repeat(64)}…`, 'brand'), blanks(20, ` 0${'x'.repeat(58)}…`)]);
    });

    it('limits the number of fields that it names', async () => {
        const records = Array.from({ length: 60 }, (_, i) => ({ id: i, [`field${i}`]: 1 }));
        const fields = Array.from({ length: 50 }, (_, i) => `field${i}`);
        expect(warnings((await run(records)).state)).toEqual([notLoaded(...fields, '…')]);
    });
});
