import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, runPipeline, sketched, type Sketch } from '../../../test/kit/pipeline';
import { ToyTarget } from '../../../test/kit/toy-sink';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { Sink, SinkSession } from '../adapter/sink';
import { hookScripts } from '../adapter/script';
import { flowError } from '../errors/flow-error';
import type { Hooks } from '../pipeline/hook-definition';
import type { JsonObject } from '../value/json';

/** From one source into one sink, and after it into the shop. */
const into = (records: readonly JsonObject[], config: JsonObject = {}, more: Partial<Sketch> = {}) =>
    sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
            send: ['SINK', { adapterCode: 'toySink', ...config }],
            after: ['LOAD', { adapterCode: 'toyUpsert', table: 'after' }],
        },
        edges: ['start > read > send > after'],
        errorHandling: { maxRetries: 2 },
        ...more,
    });

/** Dies when a point is reached for the n-th time. */
const dies = (point: string, time = 1) => {
    let left = time;
    return async (reached: string): Promise<void> => {
        if (reached === point && --left === 0) throw flowError('DATABASE_LOST', { problem: 'gone' });
    };
};

describe('a sink step', () => {
    it('delivers records, removes those that ask for it, and counts both', async () => {
        const target = new ToyTarget();
        const records: readonly JsonObject[] = [
            { id: 1, name: 'a' },
            { id: 2, __operation: 'CREATE' },
            { id: '003', __operation: 'DELETE' },
            { id: 4, __operation: 'UPDATE' },
        ];
        const { end, state } = await runPipeline(into(records), { adapters: [target.sink] });
        expect(end).toMatchObject({
            end: 'completed',
            counters: { send: { in: 4, out: 4, updated: 3, deleted: 1, rejected: 0 }, after: { in: 4 } },
        });
        expect(target.calls.map(({ did, of }) => [did, of])).toEqual([
            ['deliver', [1, 2]],
            ['remove', ['003']],
            ['deliver', [4]],
        ]);
        expect(target.records).toEqual([{ id: 1, name: 'a' }, { id: 2 }, { id: 4 }]);
        expect(state.rejects.size).toBe(0);
    });

    it('uses the operation of the step for records without one', async () => {
        const target = new ToyTarget();
        await runPipeline(into([{ id: 1 }, { id: 2, __operation: 'UPSERT' }], { defaultOperation: 'DELETE' }), {
            adapters: [target.sink],
        });
        expect(target.calls.map(({ did, of }) => [did, of])).toEqual([
            ['remove', ['1']],
            ['deliver', [2]],
        ]);
    });

    describe('with a hook at BEFORE_SINK', () => {
        const RECORDS: readonly JsonObject[] = [{ id: 1 }, { id: 2, __operation: 'UPDATE' }, { id: 3 }];
        const hooks = { BEFORE_SINK: [{ type: 'SCRIPT', scriptName: 'look' }] } as unknown as Hooks;
        type Change = (records: ReadonlyArray<Record<string, unknown>>) => unknown;
        const hooked = async (config: JsonObject, change: Change) => {
            const target = new ToyTarget();
            const seen: unknown[] = [];
            const look: Change = records => {
                seen.push(...records.map(({ id, __operation }) => [id, __operation]));
                return change(records);
            };
            const { state } = await runPipeline(into(RECORDS, config, { hooks }), {
                adapters: [target.sink, ...hookScripts({ look: look as never })],
            });
            const calls = target.calls.map(({ did, of }) => [did, of]);
            return { seen, calls, after: [...state.shop.values()] };
        };

        it.each<[string, JsonObject, string]>([
            ['UPSERT', {}, 'UPSERT'],
            ['the default of the step', { defaultOperation: 'DELETE' }, 'DELETE'],
        ])('shows every record with its operation: %s', async (_, config, operation) => {
            const { seen } = await hooked(config, () => undefined);
            expect(seen).toEqual([
                [1, operation],
                [2, 'UPDATE'],
                [3, operation],
            ]);
        });

        it('uses the operations of the hook, and passes on those of the records', async () => {
            const { calls, after } = await hooked({}, records =>
                records.map(record => ({
                    ...record,
                    ...(record['id'] === 3 && { __operation: 'DELETE' }),
                    seen: true,
                })),
            );
            expect(calls).toEqual([
                ['deliver', [1, 2]],
                ['remove', ['3']],
            ]);
            expect(after).toEqual([
                { id: 1, seen: true },
                { id: 2, seen: true, __operation: 'UPDATE' },
                { id: 3, seen: true, __operation: 'DELETE' },
            ]);
        });

        it('marks no record for deletion in later steps because this one deletes by default', async () => {
            for (const change of [
                () => undefined,
                (records: ReadonlyArray<object>) => records.map(one => ({ ...one })),
            ]) {
                const { after } = await hooked({ defaultOperation: 'DELETE' }, change);
                expect(after).toEqual(RECORDS);
            }
        });
    });

    it('rejects what cannot be delivered, and what the target rejects; the others continue', async () => {
        const target = new ToyTarget();
        const records: readonly JsonObject[] = [
            { id: 1, bad: true },
            { id: 2, refused: true },
            { id: 3, __operation: 'MERGE' },
            { __operation: 'DELETE' },
            { id: 5 },
        ];
        const { end, state } = await runPipeline(into(records), { adapters: [target.sink] });
        expect(end).toMatchObject({ counters: { send: { updated: 1, rejected: 4 }, after: { in: 1 } } });
        expect([...state.rejects.values()].map(({ seq, path }) => [seq, path]).sort()).toEqual([
            [0, 'bad'],
            [1, 'refused'],
            [2, '__operation'],
            [3, '__operation'],
        ]);
        expect(target.delivered).toEqual([2, 5]);
    });

    it('rejects records to be removed if the target cannot remove', async () => {
        const target = new ToyTarget(undefined, { remove: undefined as never });
        const { end } = await runPipeline(into([{ id: 1, __operation: 'DELETE' }]), { adapters: [target.sink] });
        expect(end).toMatchObject({ counters: { send: { rejected: 1 } } });
        expect(target.calls).toEqual([]);
    });

    it('sends nothing and finishes nothing in a dry run, and counts the planned changes', async () => {
        const target = new ToyTarget();
        const records: readonly JsonObject[] = [{ id: 1 }, { id: 2, __operation: 'DELETE' }, { id: 3, bad: true }];
        const { end, state } = await runPipeline(into(records), {
            adapters: [target.sink],
            input: { mode: 'dryRun' },
        });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 1, deleted: 1, rejected: 1 } } });
        expect([target.calls, target.finished, state.markers.size]).toEqual([[], [], 0]);
    });

    it.each([
        ['set below the batches', 2, undefined, [2, 1, 2, 1, 1]],
        ['set as large as the batches', 3, undefined, [3, 3, 1]],
        ['the default, below the batches', undefined, 2, [2, 1, 2, 1, 1]],
        ['the default, above the batches', undefined, 100, [3, 3, 1]],
    ])('sends the records of one batch, at most its batchSize at a time: %s', async (_, set, usual, sent) => {
        const target = new ToyTarget(undefined, usual === undefined ? {} : { batchSize: usual });
        const definition = into(ids(7), set === undefined ? {} : { batchSize: set }, { throughput: { batchSize: 3 } });
        await runPipeline(definition, { adapters: [target.sink] });
        expect(target.calls.map(({ of }) => of.length)).toEqual(sent);
        expect(target.delivered).toEqual(ids(7).map(({ id }) => id));
    });

    it('never overlaps its calls, whatever the concurrency', async () => {
        const clock = new VirtualClock();
        const target = new ToyTarget(() => clock.sleep(10));
        const throughput = { batchSize: 2, concurrency: 4 };
        const { end } = await runPipeline(into(ids(16), {}, { throughput }), { adapters: [target.sink], clock });
        expect(end).toMatchObject({ counters: { send: { updated: 16 } } });
        expect([target.calls.length, target.mostUnderWay]).toEqual([8, 1]);
    });

    it('gives its target the run', async () => {
        const target = new ToyTarget();
        const runs: unknown[] = [];
        const { sink } = target;
        const telling: Sink = {
            ...sink,
            open: (config, cx) => {
                runs.push(cx.run);
                return sink.open(config, cx);
            },
        };
        await runPipeline(into(ids(1)), {
            adapters: [telling],
            input: { pipelineId: '7', pipelineCode: 'feed', revisionNumber: 3 },
        });
        expect(runs).toEqual([
            expect.objectContaining({ runId: 'run', pipelineId: '7', pipelineCode: 'feed', revision: 3 }),
        ]);
    });
});

describe('a batch of which a part is delivered', () => {
    it('stores the outcomes of each part before the next one is sent', async () => {
        const state = new MemoryState();
        const target = new ToyTarget(dies('deliver send', 3));
        const options = { state, adapters: [target.sink] };
        const first = await runPipeline(into(ids(10), { batchSize: 3 }), options);
        expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' }, stepKey: 'send' });
        await runPipeline(into(ids(10), { batchSize: 3 }), options);
        expect(target.calls.map(({ of }) => of)).toEqual([[0, 1, 2], [3, 4, 5], [6, 7, 8], [6, 7, 8], [9]]);
        expect(target.calls[3]!.ids).toEqual(target.calls[2]!.ids);
        expect(state.counters['send']).toMatchObject({ in: 10, out: 10, updated: 10 });
        expect(target.finished).toEqual(['send']);
    });

    it('delivers the records that an earlier step did not pass on before its worker died', async () => {
        const state = new MemoryState();
        const target = new ToyTarget();
        // The worker dies after all that it had was acknowledged, and before the position was committed.
        const at = dies('positions.commit.before');
        const part = (records: readonly JsonObject[]): unknown => records.slice(0, part.count);
        part.count = 1;
        const hooks: Hooks = { BEFORE_SINK: [{ type: 'SCRIPT', scriptName: 'part' }] };
        const options = { state, adapters: [target.sink, ...hookScripts({ part: part as never })] };
        const first = await runPipeline(into(ids(4), {}, { hooks }), { ...options, at });
        expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
        part.count = 4;
        const { end } = await runPipeline(into(ids(4), {}, { hooks }), options);
        expect(end).toMatchObject({ end: 'completed', counters: { send: { in: 4, out: 4, updated: 4, filtered: 0 } } });
        expect(target.calls.flatMap(({ of }) => of)).toEqual([0, 1, 2, 3]);
    });

    it('is repeated only with those that the target has not decided about, and rejects none of them', async () => {
        const target = new ToyTarget();
        const told: unknown[] = [];
        const records: readonly JsonObject[] = [
            { id: 1 },
            { id: 2, late: true },
            { id: 3, refused: true },
            { id: 4, late: true },
            { id: 5 },
        ];
        const hooks = { ON_RECORD_ERROR: [{ type: 'SCRIPT', scriptName: 'tell' }] } as Hooks;
        const tell = (rejected: readonly JsonObject[]): void => void told.push(...rejected.map(({ id }) => id));
        const { end, state } = await runPipeline(into(records, {}, { hooks }), {
            adapters: [target.sink, ...hookScripts({ tell: tell as never })],
        });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { in: 5, updated: 4, rejected: 1 } } });
        expect(target.calls.map(({ of }) => of)).toEqual([
            [1, 2, 3, 4, 5],
            [2, 4],
        ]);
        expect([...state.rejects.values()].map(({ seq }) => seq)).toEqual([2]);
        expect(told).toEqual([3]);
    });

    it('distinguishes records with one number', async () => {
        const target = new ToyTarget();
        const copies = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [{ id: 'a', copies: 3 }] }] }],
                copy: ['TRANSFORM', { operators: [{ op: 'toyCopies', args: { field: 'copies' } }] }],
                mark: ['TRANSFORM', { operators: [{ op: 'toySet', args: { field: 'late', value: true } }] }],
                send: ['SINK', { adapterCode: 'toySink', batchSize: 1 }],
            },
            edges: ['start > read > copy > mark > send'],
            errorHandling: { maxRetries: 3 },
        });
        const { end } = await runPipeline(copies, { adapters: [target.sink] });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { in: 3, updated: 3 } } });
        // Each of them is busy once.
        expect(target.delivered).toEqual(['a.0', 'a.0', 'a.1', 'a.1', 'a.2', 'a.2']);
        const byId = new Map(target.calls.map(({ of, ids: named }) => [of[0], named[0]]));
        expect(new Set(byId.values()).size).toBe(3);
    });
});

describe('finishing a sink', () => {
    it('is every sink that wrote in the run, once, before the run has completed', async () => {
        const state = new MemoryState();
        const target = new ToyTarget();
        const definition = into(ids(5), {}, { throughput: { batchSize: 2 } });
        const slice = new AbortController();
        slice.abort();
        const options = { state, adapters: [target.sink] };
        for (let slices = 0; slices < 2; slices++) {
            const { end } = await runPipeline(definition, { ...options, yieldSignal: slice.signal });
            expect(end.end).toBe('yielded');
            expect(target.finished).toEqual([]);
        }
        expect((await runPipeline(definition, options)).end.end).toBe('completed');
        expect(target.finished).toEqual(['send']);
    });

    it('is skipped if nothing was written, or the run has failed', async () => {
        const nothing = new ToyTarget();
        await runPipeline(into([{ id: 1, refused: true }]), { adapters: [nothing.sink] });
        expect(nothing.finished).toEqual([]);
        const failing = new ToyTarget();
        const definition = into([{ id: 1 }, { id: 2, refused: true }], {}, { errorHandling: { maxErrors: 0 } });
        const { end } = await runPipeline(definition, { adapters: [failing.sink] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'ERROR_BUDGET_EXCEEDED' } });
        expect(failing.finished).toEqual([]);
    });

    it('waits until held records are done as well', async () => {
        const state = new MemoryState();
        const target = new ToyTarget();
        const options = { state, adapters: [target.sink], holding: ['send'] };
        expect((await runPipeline(into(ids(2)), options)).end.end).toBe('paused');
        expect(target.finished).toEqual([]);
        state.release('send');
        expect((await runPipeline(into(ids(2)), options)).end.end).toBe('completed');
        expect([target.finished, target.delivered]).toEqual([['send'], [0, 1]]);
    });

    it('is repeated if a worker has died in it, and delivers nothing again', async () => {
        const state = new MemoryState();
        const target = new ToyTarget(dies('finish send'));
        const options = { state, adapters: [target.sink] };
        const first = await runPipeline(into(ids(2)), options);
        expect(first.end).toMatchObject({ end: 'stopped', stepKey: 'send' });
        expect((await runPipeline(into(ids(2)), options)).end.end).toBe('completed');
        expect([target.finished, target.delivered]).toEqual([['send'], [0, 1]]);
    });

    it('fails the run at its step if it fails', async () => {
        const target = new ToyTarget(async point => {
            if (point.startsWith('finish')) throw flowError('REMOTE_REFUSED', { host: 'toy', problem: 'answered 403' });
        });
        const { end } = await runPipeline(into(ids(2)), { adapters: [target.sink] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' }, stepKey: 'send' });
    });
});

describe('an exception of a sink from defineSink', () => {
    const failing = (session: Partial<SinkSession>) => new ToyTarget(undefined, session).sink;
    const status = (code: number): Error => Object.assign(new Error('no'), { status: code });

    it('rejects the records that it is thrown for, or is tried again, and is never a bug of Flow', async () => {
        const picky = failing({
            deliver: async batch => {
                if (batch.some(({ data }) => data['id'] === 1)) throw status(422);
                return batch.map(() => ({ ok: true }));
            },
        });
        const { end, state } = await runPipeline(into(ids(4)), { adapters: [picky] });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 3, rejected: 1 } } });
        expect([...state.rejects.values()]).toMatchObject([{ seq: 1, code: 'TARGET_REFUSED' }]);
        const down = failing({ deliver: () => Promise.reject(new Error('boom')) });
        expect((await runPipeline(into(ids(1)), { adapters: [down] })).end).toMatchObject({
            error: { code: 'SINK_FAILED' },
        });
    });

    it.each<[string, Partial<SinkSession>, string]>([
        ['returns too few outcomes', { deliver: async () => [] }, 'SINK_RESULT_INVALID'],
        ['returns none', { deliver: async () => undefined as never }, 'SINK_RESULT_INVALID'],
        [
            'cannot say whom a record is for',
            {
                keeps: () => {
                    throw new Error('boom');
                },
            },
            'SINK_FAILED',
        ],
        ['cannot finish', { finish: () => Promise.reject(status(404)) }, 'REMOTE_REFUSED'],
    ])('has a separate code if it %s', async (_, session, code) => {
        const { end } = await runPipeline(into(ids(2)), { adapters: [failing(session)] });
        expect(end).toMatchObject({ end: 'stopped', error: { code } });
    });

    it('rejects a record that it cannot look at', async () => {
        const check = ({ id }: JsonObject): void => {
            if (id === 1) throw new TypeError('boom');
        };
        const { end } = await runPipeline(into(ids(3)), { adapters: [failing({ check })] });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2, rejected: 1 } } });
    });

    it('is handled when it is opened as well', async () => {
        const { sink } = new ToyTarget();
        const closed: Sink = { ...sink, open: () => Promise.reject(status(503)) };
        expect((await runPipeline(into(ids(1)), { adapters: [closed] })).end).toMatchObject({
            error: { code: 'REMOTE_BUSY' },
        });
    });
});

describe('a newer record', () => {
    const states = (...more: JsonObject[]): JsonObject[] => [{ id: 1, n: 1 }, ...more, { id: 1, n: 2 }];

    it('is never in one call with an older one of the same identity, unless a call counts as a whole', async () => {
        const apart = new ToyTarget();
        await runPipeline(into(states({ id: 2 })), { adapters: [apart.sink] });
        expect(apart.calls.map(({ of }) => of)).toEqual([[1, 2], [1]]);
        const together = new ToyTarget(undefined, { takesWhole: true });
        await runPipeline(into(states({ id: 2 })), { adapters: [together.sink] });
        expect(together.calls.map(({ of }) => of)).toEqual([[1, 2, 1]]);
    });

    it('waits for an older one that is undecided, be it an upsert or a delete', async () => {
        const target = new ToyTarget();
        const records: JsonObject[] = [
            { id: 1, n: 1, late: true },
            { id: 2 },
            { id: 1, n: 2 },
            { id: 1, __operation: 'DELETE' },
        ];
        const { end } = await runPipeline(into(records), { adapters: [target.sink] });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 3, deleted: 1 } } });
        expect(target.calls.map(({ did, of }) => [did, of])).toEqual([
            ['deliver', [1, 2]],
            ['deliver', [1]],
            ['deliver', [1]],
            ['remove', ['1']],
        ]);
    });

    it('never overtakes an older one, whatever the concurrency and whichever batch is delayed', async () => {
        const clock = new VirtualClock();
        const target = new ToyTarget(() => clock.sleep(5));
        const records = Array.from({ length: 12 }, (_, n): JsonObject => ({
            id: 1,
            n,
            ...(n === 1 && { late: true }),
        }));
        const throughput = { batchSize: 2, concurrency: 6 };
        const { end } = await runPipeline(into(records, {}, { throughput }), { adapters: [target.sink], clock });
        expect(end.end).toBe('completed');
        const taken = target.records.map(({ n }) => n);
        expect(taken).toEqual([0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    });
});

it('counts records as filtered that are not meant for a target', async () => {
    const target = new ToyTarget(undefined, { keeps: ({ id }) => id !== 2 });
    const { end } = await runPipeline(into(ids(4)), { adapters: [target.sink] });
    expect(end).toMatchObject({ counters: { send: { in: 4, out: 3, filtered: 1, updated: 3 }, after: { in: 3 } } });
    expect(target.delivered).toEqual([0, 1, 3]);
});

it('informs a target that it has all of its sources, or why it has not', async () => {
    const told: unknown[] = [];
    const target = () => new ToyTarget(undefined, { finish: async ({ lack: gap }) => void told.push(gap) }).sink;
    await runPipeline(into(ids(2)), { adapters: [target()] });
    await runPipeline(into([...ids(2), { id: 3, bad: true }]), { adapters: [target()] });
    expect(told).toMatchObject([undefined, { event: 'RUN_HAS_REJECTED' }]);
});
