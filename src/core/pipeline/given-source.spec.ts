import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, runPipeline, sketched } from '../../../test/kit/pipeline';
import { flowError } from '../errors/flow-error';
import { givenRecords } from '../adapter/given-records';
import type { JsonObject } from '../value/json';
import type { PipelineDefinition } from './definition';
import { readingFile, readingGiven } from './given-source';

const definition = sketched({
    steps: {
        start: ['TRIGGER', { type: 'MANUAL' }],
        'start-': ['TRIGGER', { type: 'MANUAL' }],
        read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 100) }] }],
        beside: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 200) }] }],
        other: ['EXTRACT', { adapterCode: 'toyPages', fileId: 'own', pages: [] }],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > write', 'start > beside > write', 'start- > other > write'],
    throughput: { batchSize: 3 },
});
const loaded = ({ shop }: MemoryState): readonly unknown[] =>
    [...shop.values()].map((record: JsonObject) => record['id']);
const given = ids(7);
const run = (state: MemoryState, more: Parameters<typeof runPipeline>[1] = {}) => {
    const executed = readingGiven(definition, 'start', given);
    return runPipeline(executed.definition, {
        ...more,
        adapters: [givenRecords, ...(more.adapters ?? [])],
        state,
        input: { triggerKey: executed.triggerKey },
    });
};

describe('a run that is given its records', () => {
    it('reads them at its trigger, and every EXTRACT step behind it hands them on', async () => {
        const state = new MemoryState();
        const { end } = await run(state);
        expect(end).toMatchObject({ end: 'completed' });
        expect(loaded(state)).toEqual([0, 1, 2, 3, 4, 5, 6]);
        // Two ways lead to the load, and each brings all of them.
        expect(end.counters['write']).toMatchObject({ in: 14, created: 7, unchanged: 7 });
        expect(Object.keys(end.counters).sort()).toEqual(['start', 'write']);
    });

    it('goes on behind its last committed batch where its worker was stopped, wherever that was', async () => {
        for (let committed = 0; committed < 3; committed++) {
            const state = new MemoryState();
            let commits = 0;
            const { end } = await run(state, {
                at: async point => {
                    if (point === 'positions.commit.before' && ++commits > committed)
                        throw flowError('WORKER_STOPPED', {});
                },
            });
            expect(end).toMatchObject({ end: 'stopped', error: { code: 'WORKER_STOPPED' } });
            expect(loaded(state).length).toBeGreaterThan(committed);
            const again = await run(state);
            expect(again.end).toMatchObject({ end: 'completed', counters: { start: { in: 7 } } });
            expect(loaded(state)).toEqual([0, 1, 2, 3, 4, 5, 6]);
        }
    });

    it('leaves the definition as it was, and gives its trigger a key that no step has', () => {
        const before = structuredClone(definition);
        const { definition: executed, triggerKey } = readingGiven(definition, 'start', []);
        expect(definition).toEqual(before);
        expect(triggerKey).toBe('start--');
        const keys = executed.steps.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        const disabled = executed.steps.filter(step => step.disabled).map(({ key }) => key);
        expect(disabled).toEqual(['read', 'beside']);
    });
});

describe('a run that is given a file', () => {
    const files = (changed: PipelineDefinition | undefined) =>
        changed?.steps.filter(({ kind }) => kind === 'EXTRACT').map(({ config }) => config['fileId']);

    it('has it read by the EXTRACT step right behind its trigger that reads a file', () => {
        expect(files(readingFile(definition, 'start-', 'another'))).toEqual([undefined, undefined, 'another']);
        expect(files(definition)).toEqual([undefined, undefined, 'own']);
    });

    it('needs such a step, which is enabled', () => {
        expect(readingFile(definition, 'start', 'another')).toBeUndefined();
        const steps = definition.steps.map(step => ({ ...step, disabled: true }));
        expect(readingFile({ ...definition, steps }, 'start-', 'another')).toBeUndefined();
    });
});
