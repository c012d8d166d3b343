import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { type Finished, ids, pages, sketched, straight } from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { toyRegistry } from '../../../test/kit/toy-adapters';
import type { AdapterDefinition } from '../../core/adapter/definition';
import { noResources } from '../../core/adapter/no-resources';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject } from '../../core/value/json';
import type { Hooks } from '../../core/pipeline/hook-definition';
import { checkDefinition } from '../../core/pipeline/parse';
import { compilePipeline } from '../../core/run/compile';
import { endedBy, executeRun } from '../../core/run/execute';
import { EventLoopYield } from '../../core/concurrency/event-loop-yield';
import type { JournalEvent } from '../../core/ports/ports';
import { callEndHooks } from '../../core/run/run-hooks';
import { sandbox } from '../../io/sandbox/sandbox';
import { javascript } from './javascript';

// The engine is a process, and starting it takes its time on a machine that is busy.
jest.setTimeout(120_000);

afterAll(() => sandbox.rest());

const interceptor = (
    code: string,
    more: { readonly name?: string; readonly failOnError?: boolean; readonly timeoutMs?: number } = {},
) => ({ type: 'INTERCEPTOR', code, timeoutMs: 20_000, ...more }) as const;

/** Runs records through `read > write` with hooks, by the real clock, since another process is waited for. */
async function run(records: JsonObject[], hooks: Hooks): Promise<Finished> {
    const input = { runId: 'run', mode: 'live', triggerKey: 'start', startedAt: 0 } as const;
    const kit = { registry: toyRegistry(javascript), clock: systemClock, platform: undefined, resources: noResources };
    const state = new MemoryState();
    const pipeline = compilePipeline(sketched({ ...straight(pages(records)), hooks }), input, kit);
    const ports = memoryPorts(state);
    const { signal } = new AbortController();
    const end = await executeRun(pipeline, ports, { signal });
    const ended = endedBy(end, pipeline.shape);
    if (ended)
        await callEndHooks(pipeline, ended, {
            journal: ports.journal,
            pace: new EventLoopYield({ clock: systemClock }),
            signal,
        });
    return { end, state };
}

const linesOf = ({ events }: MemoryState) =>
    events.filter((event): event is Extract<JournalEvent, { type: 'log' }> => event.type === 'log');
const stored = ({ shop }: MemoryState): JsonObject[] => [...shop.values()];

describe('an INTERCEPTOR hook', () => {
    it('changes the batch, leaves records out and adds some', async () => {
        const { end, state } = await run(ids(4), {
            AFTER_EXTRACT: [
                interceptor(
                    'return records.filter(({ id }) => id % 2 === 0).map(record => ({ ...record, stage: context.stage }));',
                ),
                interceptor('return [...records, { id: 99, after: records.length }];'),
            ],
        });
        expect(end.end).toBe('completed');
        expect(stored(state)).toEqual([
            { id: 0, stage: 'AFTER_EXTRACT' },
            { id: 2, stage: 'AFTER_EXTRACT' },
            { id: 99, after: 2 },
        ]);
        expect(state.counters).toMatchObject({ read: { in: 4, filtered: 1, out: 3 } });
    });

    it('leaves the batch unchanged if it returns nothing', async () => {
        const { state } = await run(ids(2), {
            BEFORE_LOAD: [interceptor('for (const record of records) record.id = 7;')],
        });
        expect(stored(state)).toEqual(ids(2));
    });

    it('keeps the numbers of the records that it hands back, in any order', async () => {
        const { state } = await run([{ id: 0 }, { id: 1 }, { id: 2, poison: true }], {
            BEFORE_LOAD: [interceptor('return [records[2], records[0]]')],
        });
        expect(stored(state)).toEqual([{ id: 0 }]);
        expect([...state.rejects.values()].map(({ seq }) => seq)).toEqual([2]);
        expect(state.counters).toMatchObject({ write: { in: 3, filtered: 1, rejected: 1 } });
    });

    it('gets its location in the pipeline and cannot change it', async () => {
        const { end, state } = await run(ids(1), {
            RUN_STARTED: [interceptor('console.log(Object.keys(context).sort().join(), records.length); return 7;')],
            RUN_COMPLETED: [interceptor('console.warn(context.stage, context.outcome);')],
        });
        expect(end.end).toBe('completed');
        expect(linesOf(state).map(({ level, message }) => [level, message])).toEqual([
            ['INFO', 'mode,runId,stage 0'],
            ['WARN', 'RUN_COMPLETED SUCCESS'],
        ]);
    });

    it('warns by name when it fails and lets the batch continue; with failOnError the run fails', async () => {
        const { end, state } = await run(ids(1), {
            AFTER_EXTRACT: [interceptor('\nrecords[5].id = 1;', { name: 'odd' })],
        });
        expect(end.end).toBe('completed');
        expect(stored(state)).toEqual(ids(1));
        const facts = {
            number: 1,
            stage: 'AFTER_EXTRACT',
            hook: 'INTERCEPTOR "odd"',
            problem: expect.stringMatching(naming('TypeError', "'id'", 'line 2')) as string,
        };
        expect(linesOf(state)).toMatchObject([
            { level: 'WARN', code: 'HOOK_FAILED', facts: { error: { code: 'HOOK_FAILED', facts } } },
        ]);
        const failing = await run(ids(1), {
            AFTER_EXTRACT: [interceptor('while (true) {}', { failOnError: true, timeoutMs: 50 })],
        });
        expect(failing.end).toMatchObject({
            end: 'stopped',
            error: {
                code: 'HOOK_FAILED',
                facts: { number: 1, stage: 'AFTER_EXTRACT', problem: expect.stringMatching(naming(50)) },
                cause: { code: 'SCRIPT_TIMEOUT' },
            },
        });
        expect(failing.state.shop.size).toBe(0);
    });

    it('is checked when the definition is: it must compile, and the shop must allow it', () => {
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'toyPages', pages: [] } },
            ],
            edges: [{ from: 'start', to: 'in' }],
            hooks: {
                AFTER_EXTRACT: [
                    { type: 'INTERCEPTOR', code: 'return records' },
                    { type: 'INTERCEPTOR', code: 'return records +;' },
                    { type: 'INTERCEPTOR' },
                ],
            },
        };
        const issuesOf = (...adapters: readonly AdapterDefinition[]) =>
            checkDefinition(definition, toyRegistry(...adapters))
                .issues.filter(({ path }) => path.startsWith('hooks'))
                .map(({ code, path, message }) => ({ code, path, message }));
        const issue = (index: number, message: unknown): unknown => ({
            code: 'VALUE_INVALID',
            path: `hooks.AFTER_EXTRACT[${index}].code`,
            message,
        });
        expect(issuesOf(javascript)).toEqual([
            issue(1, expect.stringMatching(naming('line 1', "';'"))),
            issue(2, expect.not.stringMatching(naming('line'))),
        ]);
        const rejected = expect.stringMatching(naming('security.inlineScripts', 'false')) as unknown;
        expect(issuesOf()).toEqual(expect.arrayContaining([issue(0, rejected), issue(1, rejected)]));
    });
});
