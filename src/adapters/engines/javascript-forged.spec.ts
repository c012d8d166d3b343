import { z } from 'zod';
import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { LOAD, pages, sketched } from '../../../test/kit/pipeline';
import { toyRegistry } from '../../../test/kit/toy-adapters';
import { noResources } from '../../core/adapter/no-resources';
import { recordOperator } from '../../core/adapter/operator';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject } from '../../core/value/json';
import { compilePipeline } from '../../core/run/compile';
import { executeRun } from '../../core/run/execute';
import { GIVEN, timeoutFor } from '../../../test/fixtures/forged';
import { FORGED_BATCHES } from '../../../test/fixtures/forged-lists';
import { sandbox } from '../../io/sandbox/sandbox';
import { javascript } from './javascript';

// The engine is a process, and starting it takes its time on a machine that is busy.
jest.setTimeout(120_000);

afterAll(() => sandbox.rest());

/**
 * Runs two pages through a hook with this code. Returns the records after the hook, its warnings, and the run's
 * counters.
 */
async function run(code: string, timeoutMs: number) {
    const seen: JsonObject[] = [];
    const see = recordOperator({
        code: 'see',
        category: 'Toys',
        title: 'See',
        summary: 'Sees what comes.',
        config: z.strictObject({}),
        examples: [],
        compile: () => data => {
            seen.push(data);
            return data;
        },
    });
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', pages([...GIVEN], [{ id: 'D' }])],
            see: ['TRANSFORM', { operators: [{ op: 'see', args: {} }] }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > see > write'],
        throughput: { batchSize: 3 },
        hooks: { AFTER_EXTRACT: [{ type: 'INTERCEPTOR', code, timeoutMs }] },
    });
    const kit = {
        registry: toyRegistry(javascript, see),
        clock: systemClock,
        platform: undefined,
        resources: noResources,
    };
    const state = new MemoryState();
    const input = { runId: 'run', mode: 'live', triggerKey: 'start', startedAt: 0 } as const;
    const { end } = await executeRun(compilePipeline(definition, input, kit), memoryPorts(state), {
        signal: new AbortController().signal,
    });
    const warnings = state.events.flatMap(event => (event.type === 'log' ? [event.message] : []));
    return { end, seen, warnings, counted: state.counters };
}

describe('an INTERCEPTOR hook that returns something other than its records', () => {
    it('is tried in sixty ways and more', () => expect(FORGED_BATCHES.length).toBeGreaterThanOrEqual(60));

    it.each(FORGED_BATCHES)('changes that one batch, or fails with it: %s', async (_, code, told) => {
        const { end, seen, warnings, counted } = await run(
            `if (records.length === 1) return records; ${code}`,
            timeoutFor(told),
        );
        const expected = [...(told instanceof RegExp ? GIVEN : told), { id: 'D' }];
        expect(end).toBe('completed');
        expect(seen).toEqual(expected);
        expect(counted).toMatchObject({ read: { in: 4, out: expected.length }, see: { in: expected.length } });
        expect(warnings).toEqual(told instanceof RegExp ? [expect.stringMatching(told)] : []);
    });
});
