import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import {
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
import { toyPages } from '../../../test/kit/toy-adapters';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { defineConnection, type Notice } from '../adapter/connection';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import type { Hooks } from '../pipeline/hook-definition';
import type { HookStage } from '../adapter/hook-stages';

const webhook = (more: { readonly failOnError?: boolean; readonly timeoutMs?: number } = {}) =>
    ({ type: 'WEBHOOK', connectionCode: 'erp', path: 'told', ...more }) as const;
const at = (...stages: readonly HookStage[]): Hooks => Object.fromEntries(stages.map(stage => [stage, [webhook()]]));

type Told = Notice & { readonly code: string };

/** Runs a pipeline whose webhooks are heard; `answer` is what the other side does about each. */
async function run(
    sketch: Sketch,
    {
        answer,
        ...options
    }: RunOptions & { readonly answer?: (notice: Notice, signal: AbortSignal) => Promise<void> } = {},
) {
    const eventRecords: Told[] = [];
    const erp = defineConnection({
        code: 'ERP',
        category: 'HTTP',
        title: 'ERP',
        summary: 'Is notified of events.',
        config: z.strictObject({}),
        notify: async ({ code }, notice, { signal }) => {
            eventRecords.push({ ...notice, code });
            await answer?.(notice, signal);
        },
    });
    const resources = { connections: { get: (code: string) => ({ code, type: 'ERP', settings: {} }) } };
    const { end, state } = await runPipeline(sketched(sketch), {
        ...options,
        adapters: [erp, ...(options.adapters ?? [])],
        resources,
    });
    const lines = state.events.flatMap(event => (event.type === 'log' ? [event] : []));
    return { end, state, told: eventRecords, lines, ids: eventRecords.map(({ id }) => id) };
}

/** The facts of an error of its first hook before a load. */
const ERP = { number: 1, stage: 'BEFORE_LOAD', hook: 'WEBHOOK "erp"' };

const twice = (list: readonly string[]): readonly string[] => list.filter((id, index) => list.indexOf(id) !== index);
const bodyOf = ({ body }: Told): unknown => JSON.parse(JSON.stringify(body));

/** Two branches that lead to one step, which leads to the load on two ways. */
const WAYS: Sketch = {
    steps: {
        start: ['TRIGGER', {}],
        read: ['EXTRACT', pages([{ id: 0 }, { id: 1 }, { id: 2, bad: true }, { id: 3, bad: true }])],
        split: ['ROUTE', { branches: [{ name: 'odd', when: [{ field: 'id', cmp: 'in', value: [1, 3] }] }] }],
        both: ['TRANSFORM', { operators: [] }],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > split', 'split [odd] > both', 'split [default] > both', 'both > write'],
};

describe('a WEBHOOK hook', () => {
    it('sends its facts through the connection, and omits missing ones', async () => {
        const { told } = await run(
            { ...straight(pages(ids(2))), hooks: at('BEFORE_LOAD', 'RUN_COMPLETED') },
            { input: { pipelineCode: 'prices' } },
        );
        expect(told.map(({ code, path, timeoutMs }) => [code, path, timeoutMs])).toEqual([
            ['erp', 'told', 5_000],
            ['erp', 'told', 5_000],
        ]);
        expect(told.map(bodyOf)).toEqual([
            {
                id: 'run/BEFORE_LOAD/1/step=write/source=read/batch=0/visit=0',
                stage: 'BEFORE_LOAD',
                runId: 'run',
                pipelineCode: 'prices',
                mode: 'live',
                stepKey: 'write',
                sourceKey: 'read',
                batchNo: 0,
                visit: 0,
                records: [{ id: 0 }, { id: 1 }],
            },
            {
                id: 'run/RUN_COMPLETED/1',
                stage: 'RUN_COMPLETED',
                runId: 'run',
                pipelineCode: 'prices',
                mode: 'live',
                outcome: 'SUCCESS',
                totals: expect.objectContaining({ recordsLoaded: 2 }),
            },
        ]);
        expect(told.every(({ id, body }) => body['id'] === id)).toBe(true);
    });

    it('hands the records on as they are, without a copy of a large batch', async () => {
        const { told } = await run({ ...straight(pages(ids(1))), hooks: { BEFORE_LOAD: [webhook(), webhook()] } });
        const [one, other] = told.map(({ body }) => (body['records'] as readonly JsonObject[])[0]);
        expect(one).toEqual({ id: 0 });
        expect(other).toBe(one);
    });

    it('names each call otherwise: branches, ways to a step, batches and hooks of one stage', async () => {
        const stages = [
            'AFTER_EXTRACT',
            'BEFORE_ROUTE',
            'AFTER_ROUTE',
            'BEFORE_TRANSFORM',
            'AFTER_TRANSFORM',
            'BEFORE_LOAD',
            'AFTER_LOAD',
            'ON_RECORD_ERROR',
            'RUN_COMPLETED',
        ] as const;
        const hooks = Object.fromEntries(stages.map(stage => [stage, [webhook(), webhook()]]));
        const { end, ids: given } = await run({ ...WAYS, hooks, throughput: { batchSize: 2 } });
        expect(end.end).toBe('completed');
        expect(twice(given)).toEqual([]);
        expect(given).toEqual(
            expect.arrayContaining([
                'run/AFTER_ROUTE/2/step=split/source=read/batch=0/visit=0/branch=odd',
                'run/AFTER_ROUTE/1/step=split/source=read/batch=0/visit=0/branch=default',
                'run/BEFORE_TRANSFORM/1/step=both/source=read/batch=0/visit=1',
                'run/ON_RECORD_ERROR/1/step=write/source=read/batch=1/visit=0',
                'run/ON_RECORD_ERROR/1/step=write/source=read/batch=1/visit=1',
            ]),
        );
    });

    it('names a call that is repeated after a crash as before', async () => {
        const hooks = at(
            'RUN_STARTED',
            'BEFORE_EXTRACT',
            'AFTER_EXTRACT',
            'AFTER_ROUTE',
            'BEFORE_TRANSFORM',
            'BEFORE_LOAD',
            'AFTER_LOAD',
        );
        const state = new MemoryState();
        const crash = async (point: string): Promise<void> => {
            if (point === 'positions.commit.before') throw flowError('LEASE_LOST', {});
        };
        const first = await run({ ...WAYS, hooks }, { state, at: crash });
        const again = await run({ ...WAYS, hooks }, { state });
        expect(again.end.end).toBe('completed');
        expect(first.ids.length).toBeGreaterThan(8);
        expect(again.ids).toEqual(first.ids);
    });

    it('reports each retry under a separate name, with its batch', async () => {
        // Of each kind of work three tries fail.
        const failures = new Map<string, number>();
        const busy = async (point: string): Promise<void> => {
            const failed = failures.get(point) ?? 0;
            if (!/(load|commit|addAll|flush)\.before$/.test(point) || failed === 3) return;
            failures.set(point, failed + 1);
            throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const source = {
            adapterCode: 'toyPages',
            pages: [{ records: ids(1), faults: [{ index: 0, data: {}, path: 'row', problem: 'ragged' }] }],
        };
        const {
            end,
            told,
            ids: given,
        } = await run(
            { ...straight(source), hooks: at('ON_RETRY'), errorHandling: { maxRetries: 3, retryDelayMs: 1 } },
            { at: busy },
        );
        expect(end.end).toBe('completed');
        expect(twice(given)).toEqual([]);
        expect(given).toHaveLength(15);
        expect(given).toEqual(
            expect.arrayContaining(
                [1, 2, 3].map(
                    retry => `run/ON_RETRY/1/step=write/source=read/batch=0/visit=0/work=step/retry=${retry}`,
                ),
            ),
        );
        expect(given).toEqual(
            expect.arrayContaining([
                'run/ON_RETRY/1/work=positions/retry=1',
                'run/ON_RETRY/1/step=read/source=read/batch=0/work=rejects/retry=3',
                'run/ON_RETRY/1/source=read/batch=0/work=commit/retry=2',
                'run/ON_RETRY/1/work=journal/retry=3',
            ]),
        );
        expect(told.map(bodyOf)).toContainEqual(
            expect.objectContaining({
                stepKey: 'write',
                sourceKey: 'read',
                batchNo: 0,
                visit: 0,
                retry: expect.objectContaining({ number: 2, of: 3 }),
            }),
        );
    });

    it('distinguishes the retries of a source by the batch that is read next', async () => {
        const failures = ['page 0', 'page 2', 'page 2'];
        const source = toyPages(async point => {
            if (point !== failures[0]) return;
            failures.shift();
            throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        });
        const sketch = {
            ...straight(pages(ids(1), ids(1, 1), ids(1, 2))),
            hooks: at('ON_RETRY'),
            throughput: { batchSize: 1 },
        };
        const { end, ids: given } = await run(sketch, { adapters: [source] });
        expect(end.end).toBe('completed');
        expect(given).toEqual(
            ['batch=0/work=read/retry=1', 'batch=2/work=read/retry=1', 'batch=2/work=read/retry=2'].map(
                rest => `run/ON_RETRY/1/step=read/source=read/${rest}`,
            ),
        );
    });

    it.each(['dryRun', 'preview'] as const)('sends nothing in a run of mode %s, and logs it', async mode => {
        const { end, told, lines } = await run(
            { ...straight(pages(ids(2))), hooks: at('BEFORE_LOAD', 'RUN_COMPLETED') },
            { input: { mode } },
        );
        expect({ end: end.end, told }).toEqual({ end: 'completed', told: [] });
        expect(lines).toMatchObject(
            ['BEFORE_LOAD', 'RUN_COMPLETED'].map(stage => ({
                level: 'DEBUG',
                code: 'WEBHOOK_HOOK_SKIPPED',
                facts: { stage },
            })),
        );
    });

    it('that fails is a warning, and the batch continues', async () => {
        const answer = () => Promise.reject(new Error('it answered 500'));
        const { end, state, lines } = await run({ ...straight(pages(ids(2))), hooks: at('BEFORE_LOAD') }, { answer });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(state.shop.size).toBe(2);
        expect(lines).toMatchObject([
            {
                level: 'WARN',
                stepKey: 'write',
                code: 'HOOK_FAILED',
                facts: { error: { code: 'HOOK_FAILED', facts: { ...ERP, problem: 'it answered 500' } } },
            },
        ]);
    });

    it('that fails ends the run with failOnError', async () => {
        const hooks = { BEFORE_LOAD: [webhook({ failOnError: true })] };
        const { end, state } = await run(
            { ...straight(pages(ids(2))), hooks },
            { answer: () => Promise.reject(new Error('it answered 500')) },
        );
        expect(end).toMatchObject({
            end: 'stopped',
            stepKey: 'write',
            error: {
                code: 'HOOK_FAILED',
                facts: { ...ERP, problem: 'it answered 500' },
            },
        });
        expect(state.shop.size).toBe(0);
    });

    it('is waited for no longer than its timeout, and its signal is aborted then', async () => {
        const clock = new VirtualClock();
        let aborted = false;
        const answer = async (_: Notice, signal: AbortSignal): Promise<void> => {
            signal.addEventListener('abort', () => {
                aborted = true;
            });
            await clock.sleep(60_000);
        };
        const { end, told, lines } = await run(
            { ...straight(pages(ids(1))), hooks: { BEFORE_LOAD: [webhook({ timeoutMs: 70 })] } },
            { answer, clock },
        );
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(told[0]!.timeoutMs).toBe(70);
        expect(aborted).toBe(true);
        expect(lines).toMatchObject([
            {
                code: 'HOOK_FAILED',
                facts: { error: { facts: { ...ERP, problem: expect.stringMatching(naming(70)) as string } } },
            },
        ]);
    });
});

describe('the visit that is passed to a script', () => {
    it('counts the paths on which a batch has reached the step', async () => {
        const seen: unknown[] = [];
        const scripts = hookScripts({ see: (_, { stage, stepKey, visit }) => void seen.push([stage, stepKey, visit]) });
        const see = [{ type: 'SCRIPT', scriptName: 'see' }] as const;
        await run(
            { ...WAYS, hooks: { AFTER_EXTRACT: see, BEFORE_TRANSFORM: see, ON_RECORD_ERROR: see, RUN_COMPLETED: see } },
            { adapters: scripts },
        );
        expect(seen).toEqual([
            ['AFTER_EXTRACT', 'read', undefined],
            ['BEFORE_TRANSFORM', 'both', 0],
            ['ON_RECORD_ERROR', 'write', 0],
            ['BEFORE_TRANSFORM', 'both', 1],
            ['ON_RECORD_ERROR', 'write', 1],
            ['RUN_COMPLETED', undefined, undefined],
        ]);
    });
});
