import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import {
    compiled,
    ids,
    LOAD,
    pages,
    runPipeline,
    type RunOptions,
    sketched,
    type Sketch,
    straight,
} from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { type HookContext, hookScripts, type ScriptFunction, type ScriptRecord } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import type { Hooks } from '../pipeline/hook-definition';
import { endedBy, executeRun } from '../run/execute';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import type { JournalEvent } from '../ports/ports';
import { callEndHooks } from '../run/run-hooks';

const script = (
    scriptName: string,
    more: { readonly failOnError?: boolean; readonly timeoutMs?: number; readonly args?: JsonObject } = {},
) => ({ type: 'SCRIPT', scriptName, ...more }) as const;

interface Case extends RunOptions {
    readonly hooks: Hooks;
    readonly scripts?: Readonly<Record<string, ScriptFunction>>;
    readonly more?: Partial<Sketch>;
}

/** Runs records through `read > write` with hooks. */
function run(records: JsonObject[], { hooks, scripts = {}, more, ...options }: Case) {
    return runPipeline(
        sketched(straight(pages(records), { errorHandling: { maxRetries: 2, retryDelayMs: 10 }, ...more, hooks })),
        { adapters: hookScripts(scripts), ...options },
    );
}

const linesOf = ({ events }: MemoryState) =>
    events.filter((event): event is Extract<JournalEvent, { type: 'log' }> => event.type === 'log');
const stored = ({ shop }: MemoryState): JsonObject[] => [...shop.values()];

/** Keeps what it was called with. */
function spy(answer?: ScriptFunction): {
    readonly calls: Array<{ records: ScriptRecord[]; context: HookContext; args: JsonObject }>;
    readonly run: ScriptFunction;
} {
    const calls: Array<{ records: ScriptRecord[]; context: HookContext; args: JsonObject }> = [];
    return {
        calls,
        run: (records, context, args) => {
            calls.push({ records, context, args });
            return answer?.(records, context, args);
        },
    };
}

describe('a hook at a data stage', () => {
    it('changes the records before and after a step; hooks of one stage run one after another', async () => {
        const { end, state } = await run(ids(3), {
            hooks: {
                AFTER_EXTRACT: [script('mark', { args: { field: 'a' } }), script('mark', { args: { field: 'b' } })],
                BEFORE_LOAD: [script('odd')],
                AFTER_LOAD: [script('mark', { args: { field: 'c' } })],
            },
            scripts: {
                mark: (records, _, { field }) =>
                    records.map(record => ({ ...record, [String(field)]: Object.keys(record).length })),
                odd: async records => records.filter(({ id }) => Number(id) % 2 === 1),
            },
            more: {
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(3))],
                    write: ['LOAD', LOAD],
                    again: ['LOAD', { adapterCode: 'toyUpsert', table: 'again' }],
                },
                edges: ['start > read > write > again'],
            },
        });
        expect(end.end).toBe('completed');
        expect(stored(state)).toEqual([
            { id: 1, a: 1, b: 2 },
            { id: 1, a: 1, b: 2, c: 3 },
        ]);
        expect(state.counters).toMatchObject({
            read: { in: 3, out: 3, filtered: 0 },
            write: { in: 3, filtered: 2, out: 1, created: 1 },
            again: { in: 1, out: 1, created: 1 },
        });
    });

    it('counts what it adds at its own step', async () => {
        const { state } = await run(ids(2), {
            hooks: { AFTER_EXTRACT: [script('twice')], AFTER_LOAD: [script('none')] },
            scripts: {
                twice: records => records.flatMap(record => [record, { ...record, id: `${String(record['id'])}'` }]),
                none: () => [],
            },
        });
        expect(state.counters).toMatchObject({
            read: { in: 2, expanded: 2, out: 4 },
            write: { in: 4, filtered: 4, out: 0, created: 4 },
        });
        expect(state.shop.size).toBe(4);
    });

    it('gets copies: neither the engine nor the next hook sees what a script does to them', async () => {
        const source = ids(1).map(record => ({ ...record, deep: { list: [1] } }));
        const seen = spy();
        const { state } = await run(source, {
            hooks: {
                BEFORE_LOAD: [script('tamper', { args: { list: [] } }), script('see')],
                AFTER_LOAD: [script('tamper', { args: { list: [] } })],
            },
            scripts: {
                tamper: (records, context, args) => {
                    (records[0]!['deep'] as { list: number[] }).list.push(2);
                    (args['list'] as unknown[]).push(1);
                    Object.assign(context, { stage: 'tampered', note: 'left for the next' });
                    records.pop();
                },
                see: seen.run,
            },
        });
        expect(stored(state)).toEqual([{ id: 0, deep: { list: [1] } }]);
        expect(seen.calls[0]!.records).toEqual([{ id: 0, deep: { list: [1] } }]);
        expect(seen.calls[0]!.context).not.toHaveProperty('note');
        expect(seen.calls[0]!.context.stage).toBe('BEFORE_LOAD');
        expect(linesOf(state)).toEqual([]);
    });

    it('gets its location, and whether the run is a dry run', async () => {
        const seen = spy();
        await run(ids(3), {
            hooks: { BEFORE_EXTRACT: [script('see')], BEFORE_LOAD: [script('see', { args: { a: 1 } })] },
            scripts: { see: seen.run },
            input: { mode: 'dryRun', pipelineCode: 'prices' },
            more: { throughput: { batchSize: 2 } },
        });
        expect(
            seen.calls.map(
                ({ records, context: { stage, stepKey, sourceKey, batchNo, runId, pipelineCode, mode }, args }) => ({
                    ids: records.map(({ id }) => id),
                    stage,
                    stepKey,
                    sourceKey,
                    batchNo,
                    runId,
                    pipelineCode,
                    mode,
                    args,
                }),
            ),
        ).toEqual([
            {
                ids: [],
                stage: 'BEFORE_EXTRACT',
                stepKey: 'read',
                sourceKey: 'read',
                batchNo: undefined,
                runId: 'run',
                pipelineCode: 'prices',
                mode: 'dryRun',
                args: {},
            },
            {
                ids: [0, 1],
                stage: 'BEFORE_LOAD',
                stepKey: 'write',
                sourceKey: 'read',
                batchNo: 0,
                runId: 'run',
                pipelineCode: 'prices',
                mode: 'dryRun',
                args: { a: 1 },
            },
            {
                ids: [2],
                stage: 'BEFORE_LOAD',
                stepKey: 'write',
                sourceKey: 'read',
                batchNo: 1,
                runId: 'run',
                pipelineCode: 'prices',
                mode: 'dryRun',
                args: { a: 1 },
            },
        ]);
    });

    it('is not called with an empty batch, and neither is the step after a hook that left nothing', async () => {
        const seen = spy();
        const { state } = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('none'), script('see')], AFTER_LOAD: [script('see')] },
            scripts: { none: () => [], see: seen.run },
        });
        expect(seen.calls).toEqual([]);
        expect([...state.markers]).toEqual([]);
        expect(state.counters).toMatchObject({ write: { in: 2, filtered: 2, out: 0, created: 0 } });
    });

    it('is outside of retries: a retried batch does not pass it again', async () => {
        const seen = spy(records => records.map(record => ({ ...record, seen: true })));
        let failures = 2;
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before' && failures-- > 0)
                throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const { state } = await run(ids(1), {
            hooks: { BEFORE_LOAD: [script('see')] },
            scripts: { see: seen.run },
            at,
        });
        expect(stored(state)).toEqual([{ id: 0, seen: true }]);
        expect(seen.calls).toHaveLength(1);
    });

    it('distinguishes the records of one origin if a batch comes to a step twice', async () => {
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages([{ id: 1, bad: true }])],
                    left: ['TRANSFORM', { operators: [] }],
                    right: ['TRANSFORM', { operators: [] }],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > left > write', 'read > right > write'],
                hooks: { BEFORE_LOAD: [script('thrice')] },
            }),
            { adapters: hookScripts({ thrice: ([record]) => [record!, record!, record!] }) },
        );
        expect([...state.rejects.values()].map(({ seq, ordinal }) => [seq, ordinal])).toEqual([
            [0, 0],
            [0, 1],
            [0, 2],
            [0, 3],
            [0, 4],
            [0, 5],
        ]);
        expect(state.counters['write']).toMatchObject({ in: 2, expanded: 4, rejected: 6, out: 0 });
    });

    it('writes LOG lines under the step, at their level', async () => {
        const { state } = await run(ids(2), {
            hooks: {
                BEFORE_EXTRACT: [{ type: 'LOG', message: 'soon' }],
                AFTER_LOAD: [{ type: 'LOG', level: 'WARN', message: 'done' }],
            },
        });
        expect(linesOf(state)).toEqual([
            {
                type: 'log',
                level: 'INFO',
                stepKey: 'read',
                message: 'soon',
                code: 'HOOK_LINE',
                facts: { text: 'soon', stage: 'BEFORE_EXTRACT' },
            },
            {
                type: 'log',
                level: 'WARN',
                stepKey: 'write',
                message: 'done',
                code: 'HOOK_LINE',
                facts: { text: 'done', stage: 'AFTER_LOAD', records: 2 },
            },
        ]);
    });
});

describe('a hook that fails', () => {
    const failing: ReadonlyArray<readonly [string, ScriptFunction, string]> = [
        [
            'throws',
            () => {
                throw new Error('no stock file.');
            },
            'no stock file',
        ],
        ['rejects', () => Promise.reject(new Error('gone')), 'gone'],
        [
            'answers something else',
            () => 'ok' as never,
            'it answered "ok"; allowed: a list of records, or undefined to leave them as they are',
        ],
    ];

    it.each(failing)('because it %s is a warning, and the batch continues unchanged', async (_, fails, problem) => {
        const seen = spy();
        const { end, state } = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('fails'), script('see')] },
            scripts: { fails, see: seen.run },
        });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(stored(state)).toEqual(ids(2));
        expect(seen.calls).toHaveLength(1);
        expect(linesOf(state)).toMatchObject([
            {
                level: 'WARN',
                stepKey: 'write',
                message: `Hook 1 of BEFORE_LOAD (SCRIPT "fails") failed: ${problem}.`,
                code: 'HOOK_FAILED',
                facts: { error: { code: 'HOOK_FAILED' }, stage: 'BEFORE_LOAD' },
            },
        ]);
    });

    it.each(failing)('because it %s fails the run with failOnError', async (_, fails, problem) => {
        const { end, state } = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('fails', { failOnError: true })] },
            scripts: { fails },
        });
        expect(end).toMatchObject({
            end: 'stopped',
            stepKey: 'write',
            error: { code: 'HOOK_FAILED', message: `Hook 1 of BEFORE_LOAD (SCRIPT "fails") failed: ${problem}.` },
        });
        expect(stored(state)).toEqual([]);
    });

    it('by taking too long is no longer waited for; its signal is aborted, and a late result is ignored', async () => {
        const clock = new VirtualClock();
        let aborted: unknown;
        const late: ScriptFunction = async (records, { signal }) => {
            signal.addEventListener('abort', () => {
                aborted = (signal.reason as Error).message;
            });
            await clock.sleep(6_000);
            return records.slice(1);
        };
        const slow = await run(ids(2), { hooks: { BEFORE_LOAD: [script('late')] }, scripts: { late }, clock });
        expect(stored(slow.state)).toEqual(ids(2));
        expect(linesOf(slow.state)).toMatchObject([
            {
                level: 'WARN',
                code: 'HOOK_FAILED',
                facts: {
                    error: {
                        code: 'HOOK_FAILED',
                        facts: { number: 1, stage: 'BEFORE_LOAD', hook: 'SCRIPT "late"', problem: aborted },
                    },
                },
            },
        ]);
        expect(aborted).toMatch(naming(5000));

        const patient = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('late', { timeoutMs: 7_000 })] },
            scripts: { late },
            clock,
        });
        expect(stored(patient.state)).toEqual([{ id: 1 }]);
    });

    it('does so without harm when a late script throws after all', async () => {
        const clock = new VirtualClock();
        const late: ScriptFunction = async () => {
            await clock.sleep(20);
            throw new Error('too late to matter');
        };
        const { end } = await run(ids(1), {
            hooks: { BEFORE_LOAD: [script('late', { timeoutMs: 10 })], RUN_COMPLETED: [script('wait')] },
            scripts: { late, wait: () => clock.sleep(100) },
            clock,
        });
        expect(end.end).toBe('completed');
    });

    it('because the run is cancelled is not a failure: the script is notified, and nothing is waited for', async () => {
        const cancel = new AbortController();
        let reason: unknown;
        const cancelled: ScriptFunction = (_, { signal }) =>
            new Promise(() => {
                signal.addEventListener('abort', () => {
                    reason = signal.reason;
                });
                cancel.abort(flowError('RUN_CANCELLED', {}));
            });
        const { end, state } = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('cancelled', { failOnError: true, timeoutMs: 300_000 })] },
            scripts: { cancelled },
            signal: cancel.signal,
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(reason).toMatchObject({ code: 'RUN_CANCELLED' });
        expect(linesOf(state)).toEqual([]);
    });
});

describe('a hook that observes', () => {
    const ALL: Hooks = Object.fromEntries(
        (['RUN_STARTED', 'RUN_COMPLETED', 'RUN_FAILED', 'RUN_CANCELLED', 'ON_RECORD_ERROR', 'ON_RETRY'] as const).map(
            stage => [stage, [script('see')]],
        ),
    );

    it('sees the beginning and the end of a run, with its totals', async () => {
        const seen = spy(() => [{ ignored: true }]);
        const { end } = await run(ids(3), { hooks: ALL, scripts: { see: seen.run } });
        expect(end.end).toBe('completed');
        expect(seen.calls.map(({ context: { stage } }) => stage)).toEqual(['RUN_STARTED', 'RUN_COMPLETED']);
        expect(seen.calls[1]).toMatchObject({
            records: [],
            context: {
                stepKey: undefined,
                outcome: 'SUCCESS',
                totals: { recordsRead: 3, recordsLoaded: 3, recordsRejected: 0 },
            },
        });
    });

    it('sees each rejected record with its error, wherever it was rejected', async () => {
        const seen = spy();
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: [
                        'EXTRACT',
                        {
                            adapterCode: 'toyPages',
                            pages: [
                                {
                                    records: [
                                        { id: 0, throws: true },
                                        { id: 1, bad: true },
                                        { id: 2, poison: true },
                                        { id: 3 },
                                    ],
                                    faults: [{ index: 0, data: { row: '?' }, path: 'row', problem: 'ragged' }],
                                },
                            ],
                        },
                    ],
                    shape: ['TRANSFORM', { operators: [{ op: 'toyThrow', args: { field: 'throws' } }] }],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > shape > write'],
                hooks: { ON_RECORD_ERROR: [script('see')] },
            }),
            { adapters: hookScripts({ see: seen.run }) },
        );
        expect(
            seen.calls.map(({ records, context }) => ({
                records,
                stepKey: context.stepKey,
                sourceKey: context.sourceKey,
                batchNo: context.batchNo,
                errors: context.errors,
            })),
        ).toMatchObject([
            {
                records: [{ row: '?' }],
                stepKey: 'read',
                sourceKey: 'read',
                batchNo: 0,
                errors: [{ code: 'RECORD_INVALID', seq: 0, path: 'row' }],
            },
            { records: [{ id: 0, throws: true }], stepKey: 'shape', errors: [{ code: 'OPERATOR_FAILED', seq: 1 }] },
            {
                records: [
                    { id: 1, bad: true },
                    { id: 2, poison: true },
                ],
                stepKey: 'write',
                errors: [
                    { code: 'RECORD_INVALID', seq: 2, path: 'bad' },
                    { code: 'RECORD_REFUSED', seq: 3 },
                ],
            },
        ]);
        expect(state.rejects.size).toBe(4);
    });

    it('sees why a run has failed, and cannot change that', async () => {
        const seen = spy(() => {
            throw new Error('the pager is off');
        });
        const { end, state } = await run([{ id: 1 }], {
            hooks: {
                BEFORE_LOAD: [script('fails', { failOnError: true })],
                RUN_FAILED: [script('see', { failOnError: true })],
            },
            scripts: {
                fails: () => {
                    throw new Error('no');
                },
                see: seen.run,
            },
        });
        expect(end).toMatchObject({
            end: 'stopped',
            stepKey: 'write',
            error: { code: 'HOOK_FAILED', message: expect.stringContaining('BEFORE_LOAD') },
        });
        expect(seen.calls[0]!.context).toMatchObject({
            stage: 'RUN_FAILED',
            stepKey: 'write',
            error: { code: 'HOOK_FAILED', stepKey: 'write' },
            totals: { recordsRead: 1 },
        });
        expect(linesOf(state)).toMatchObject([
            {
                level: 'ERROR',
                stepKey: 'write',
                message: 'Hook 1 of RUN_FAILED (SCRIPT "see") failed: the pager is off.',
            },
        ]);
    });

    it('sees that a run was cancelled, with a signal that lets it work', async () => {
        const cancel = new AbortController();
        const seen: Array<readonly [string, boolean]> = [];
        const { end } = await run(ids(2), {
            hooks: { BEFORE_LOAD: [script('cancel')], RUN_CANCELLED: [script('see')], RUN_FAILED: [script('see')] },
            scripts: {
                cancel: () => cancel.abort(flowError('RUN_CANCELLED', {})),
                see: (_, { stage, signal }) => {
                    seen.push([stage, signal.aborted]);
                },
            },
            signal: cancel.signal,
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(seen).toEqual([['RUN_CANCELLED', false]]);
    });

    it('is not notified of an end while the run continues elsewhere', async () => {
        const seen = spy();
        const lost = new AbortController();
        const { end } = await run(ids(2), {
            hooks: { ...ALL, BEFORE_LOAD: [script('lose')] },
            signal: lost.signal,
            scripts: { see: seen.run, lose: () => lost.abort(flowError('LEASE_LOST', {})) },
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'LEASE_LOST' } });
        expect(seen.calls.map(({ context }) => context.stage)).toEqual(['RUN_STARTED']);
    });

    it('sees retries before they are waited for, and ends them if it fails with failOnError', async () => {
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const seen = spy();
        const given = await run(ids(1), { hooks: { ON_RETRY: [script('see')] }, scripts: { see: seen.run }, at });
        expect(given.end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_BUSY' } });
        expect(
            seen.calls.map(({ context: { stepKey, retry, error } }) => ({
                stepKey,
                number: retry?.number,
                of: retry?.of,
                code: error?.code,
            })),
        ).toEqual([
            { stepKey: 'write', number: 1, of: 2, code: 'DATABASE_BUSY' },
            { stepKey: 'write', number: 2, of: 2, code: 'DATABASE_BUSY' },
        ]);
        const ended = await run(ids(1), {
            hooks: { ON_RETRY: [script('fails', { failOnError: true })] },
            scripts: {
                fails: () => {
                    throw new Error('enough');
                },
            },
            at,
        });
        expect(ended.end).toMatchObject({ end: 'stopped', stepKey: 'write', error: { code: 'HOOK_FAILED' } });
    });

    it('does not change a state that the run has reached: a failure with failOnError is an ERROR there', async () => {
        const seen = spy();
        const strict = [script('fails', { failOnError: true }), script('see')];
        const { end, state } = await run(ids(1), {
            hooks: { RUN_STARTED: strict, RUN_COMPLETED: strict },
            scripts: {
                fails: () => {
                    throw new Error('not today');
                },
                see: seen.run,
            },
        });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(state.shop.size).toBe(1);
        expect(linesOf(state)).toMatchObject(
            ['RUN_STARTED', 'RUN_COMPLETED'].map(stage => ({
                level: 'ERROR',
                code: 'END_HOOK_FAILED',
                facts: { error: { facts: { number: 1, stage, hook: 'SCRIPT "fails"', problem: 'not today' } } },
            })),
        );
        expect(seen.calls).toEqual([]);
    });

    it('is notified of an end by the caller that has stored it, not by the execution', async () => {
        const seen = spy();
        const state = new MemoryState();
        const pipeline = compiled(sketched({ ...straight(pages(ids(1))), hooks: ALL }), {
            adapters: hookScripts({ see: seen.run }),
        });
        const ports = memoryPorts(state);
        const { signal } = new AbortController();
        const end = await executeRun(pipeline, ports, { signal });
        expect(seen.calls.map(({ context }) => context.stage)).toEqual(['RUN_STARTED']);
        const parts = { journal: ports.journal, pace: new EventLoopYield({ clock: new VirtualClock() }), signal };
        await callEndHooks(pipeline, endedBy(end, pipeline.shape)!, parts);
        expect(seen.calls.map(({ context }) => context.stage)).toEqual(['RUN_STARTED', 'RUN_COMPLETED']);
    });

    it('is notified of the start until something is committed, and of a source until something of it is', async () => {
        const seen = spy();
        const state = new MemoryState();
        const slice = new AbortController();
        const hooks: Hooks = { ...ALL, BEFORE_EXTRACT: [script('see')], BEFORE_LOAD: [script('yield')] };
        const scripts = { see: seen.run, yield: () => slice.abort() };
        const first = await run(ids(4), {
            hooks,
            scripts,
            state,
            yieldSignal: slice.signal,
            more: { throughput: { batchSize: 2 } },
        });
        expect(first.end.end).toBe('yielded');
        const second = await run(ids(4), { hooks, scripts, state, more: { throughput: { batchSize: 2 } } });
        expect(second.end.end).toBe('completed');
        expect(seen.calls.map(({ context }) => context.stage)).toEqual([
            'RUN_STARTED',
            'BEFORE_EXTRACT',
            'RUN_COMPLETED',
        ]);
    });
});

describe('a script that returns something else when a batch is repeated', () => {
    const again = async (first: (records: ScriptRecord[]) => JsonObject[], second: typeof first) => {
        const state = new MemoryState();
        const records: JsonObject[] = [{ id: 0 }, { id: 1, bad: true }, { id: 2 }];
        const hooks: Hooks = { BEFORE_LOAD: [script('fickle')] };
        // The load is durable, its position is not.
        const at = async (point: string): Promise<void> => {
            if (point === 'positions.commit.before') throw flowError('LEASE_LOST', {});
        };
        await run(records, { hooks, scripts: { fickle: first }, state, at });
        const { end } = await run(records, { hooks, scripts: { fickle: second }, state });
        expect(end).toMatchObject({ end: 'completed' });
        const { in: came, expanded, out, filtered, rejected } = state.counters['write']!;
        expect(came + expanded).toBe(out + filtered + rejected);
        return state;
    };

    it('keeps the loaded records if it returns fewer, and loads the others if it returns more', async () => {
        const fewer = await again(
            records => records,
            ([first]) => [first!],
        );
        expect([...fewer.shop.keys()]).toEqual(['t/0', 't/2']);
        expect(fewer.counters['write']).toMatchObject({ in: 3, created: 2, rejected: 1 });
        const more = await again(
            ([first]) => [first!],
            records => records,
        );
        expect([...more.shop.keys()]).toEqual(['t/0', 't/2']);
        expect(more.counters['write']).toMatchObject({ in: 3, created: 2, rejected: 1, out: 2, filtered: 0 });
    });
});
