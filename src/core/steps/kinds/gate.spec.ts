import { z } from 'zod';
import { ids, LOAD, pages, runPipeline, sketched, type Sketch } from '../../../../test/kit/pipeline';
import { MemoryState } from '../../../../test/kit/memory-ports';
import { toyRegistry } from '../../../../test/kit/toy-adapters';
import { manual } from '../../triggers/manual';
import { checkDefinition } from '../../pipeline/parse';
import { compilePipeline } from '../../run/compile';
import { executeRun } from '../../run/execute';
import { TestRun } from '../../run/test-run';
import { noResources } from '../../adapter/no-resources';
import { systemClock } from '../../concurrency/clock';
import type { JsonObject } from '../../value/json';

const gated = (config: JsonObject, more: Partial<Sketch> = {}): Sketch => ({
    steps: {
        start: ['TRIGGER', { type: 'MANUAL' }],
        read: ['EXTRACT', pages(ids(10))],
        check: ['VALIDATE', { rules: [{ type: 'business', spec: { field: 'id', min: 2 } }] }],
        gate: ['GATE', config],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > check > gate > write'],
    ...more,
});
const MANUAL: JsonObject = { approvalType: 'MANUAL' };

describe('a gate', () => {
    it('holds records, and passes them to the next step when they are released', async () => {
        const state = new MemoryState();
        const definition = sketched(gated(MANUAL));
        const { end } = await runPipeline(definition, { state });
        expect(end).toMatchObject({ end: 'paused', stepKey: 'gate', records: 8 });
        expect(end).not.toHaveProperty('opening');
        expect(state.shop.size).toBe(0);
        state.release('gate');
        expect((await runPipeline(definition, { state })).end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(state.counters).toMatchObject({
            read: { in: 10 },
            check: { in: 10, rejected: 2 },
            gate: { in: 8, out: 8, held: 0 },
            write: { created: 8 },
        });
    });

    it('reports after what time it opens by itself', async () => {
        const { end } = await runPipeline(sketched(gated({ approvalType: 'TIMEOUT', timeoutSeconds: 60 })));
        expect(end).toMatchObject({ end: 'paused', opening: { by: 'TIMEOUT', seconds: 60 } });
    });

    it.each([
        [20.1, { by: 'THRESHOLD' }],
        [100, { by: 'THRESHOLD' }],
        [20, undefined],
        [0, undefined],
    ])('with a threshold of %d opens by itself if fewer of 100 records were rejected: %j', async (percent, opening) => {
        const definition = sketched(gated({ approvalType: 'THRESHOLD', errorThresholdPercent: percent }));
        const { end } = await runPipeline(definition);
        expect(end).toMatchObject({ end: 'paused', records: 8 });
        expect('opening' in end ? end.opening : undefined).toEqual(opening);
    });

    it('holds what its own hooks leave, and released records pass the hooks after it', async () => {
        const state = new MemoryState();
        const definition = sketched(
            gated(MANUAL, {
                hooks: {
                    BEFORE_GATE: [{ type: 'SCRIPT', scriptName: 'firstThree' }],
                    AFTER_GATE: [{ type: 'SCRIPT', scriptName: 'firstTwo' }],
                    RUN_PAUSED: [{ type: 'LOG', message: 'it waits' }],
                },
            }),
        );
        const first = (name: string, count: number) =>
            ({
                kind: 'script',
                code: name,
                config: z.strictObject({}),
                run: (records: readonly JsonObject[]) => records.slice(0, count),
            }) as never;
        const adapters = [first('firstThree', 3), first('firstTwo', 2)];
        expect((await runPipeline(definition, { state, adapters })).end).toMatchObject({ records: 3 });
        state.release('gate');
        await runPipeline(definition, { state, adapters });
        expect(state.counters).toMatchObject({
            gate: { in: 8, out: 2, filtered: 6, held: 0 },
            write: { created: 2 },
        });
    });

    it('passes records if no one can approve them', async () => {
        const definition = sketched(gated(MANUAL, { edges: ['start > read > check > gate'] }));
        const testRun = new TestRun();
        const compiled = compilePipeline(
            definition,
            { runId: 'run', mode: 'dryRun', triggerKey: 'start', startedAt: 0 },
            { registry: toyRegistry(), clock: systemClock, platform: undefined, resources: noResources },
        );
        const ports = testRun.ports(() => Promise.reject(new Error('nothing is read')));
        const end = await executeRun(compiled, ports, { signal: new AbortController().signal });
        expect(end).toMatchObject({ end: 'completed', counters: { gate: { in: 8, out: 8, held: 0 } } });
    });

    it.each([
        [
            { approvalType: 'MANUAL', timeoutSeconds: 5, errorThresholdPercent: 1 },
            ['timeoutSeconds', 'errorThresholdPercent'],
        ],
        [{ approvalType: 'TIMEOUT', timeoutSeconds: 5, errorThresholdPercent: 1 }, ['errorThresholdPercent']],
        [{ approvalType: 'THRESHOLD', timeoutSeconds: 5, errorThresholdPercent: 1 }, ['timeoutSeconds']],
    ])('accepts settings that its approval does not use, with a warning: %j', (config, fields) => {
        const { issues } = checkDefinition(sketched(gated(config)), toyRegistry(manual));
        expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual(
            fields.map(field => `WITHOUT_EFFECT steps[3].config.${field}`),
        );
    });

    it('warns of a threshold that no share is below', () => {
        const { issues } = checkDefinition(
            sketched(gated({ approvalType: 'THRESHOLD', errorThresholdPercent: 0 })),
            toyRegistry(manual),
        );
        expect(issues).toMatchObject([{ code: 'LIKELY_MISTAKE', path: 'steps[3].config.errorThresholdPercent' }]);
    });
});
