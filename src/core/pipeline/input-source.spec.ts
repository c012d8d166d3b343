import { MemoryState } from '../../../test/kit/memory-ports';

import { ids, LOAD, runPipeline, sketched } from '../../../test/kit/pipeline';
import { flowError } from '../errors/flow-error';
import { providedRecords } from '../adapter/provided-records';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import type { PipelineDefinition } from './definition';
import {
    inputFileIds,
    withInputFiles,
    withInputRecords,
    withoutSpooledSources,
    withRejectedRecords,
    inputFilesProblem,
} from './input-source';

const definition = sketched({
    steps: {
        start: ['TRIGGER', { type: 'MANUAL' }],
        'start-': ['TRIGGER', { type: 'MANUAL' }],
        read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 100) }] }],
        aside: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 200) }] }],
        other: ['EXTRACT', { adapterCode: 'toyPages', fileId: 'own', pages: [] }],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > write', 'start > aside > write', 'start- > other > write'],
    throughput: { batchSize: 3 },
});
const loaded = ({ shop }: MemoryState): readonly unknown[] =>
    [...shop.values()].map((record: JsonObject) => record['id']);
const given = ids(7);
const run = (state: MemoryState, more: Parameters<typeof runPipeline>[1] = {}) => {
    const executed = withInputRecords(definition, 'start', given);
    return runPipeline(executed.definition, {
        ...more,
        adapters: [providedRecords, ...(more.adapters ?? [])],
        state,
        input: { triggerKey: executed.triggerKey },
    });
};

describe('a run that is given its records', () => {
    it('reads them at its trigger, and every EXTRACT step after it passes them to its next step', async () => {
        const state = new MemoryState();
        const { end } = await run(state);
        expect(end).toMatchObject({ end: 'completed' });
        expect(loaded(state)).toEqual([0, 1, 2, 3, 4, 5, 6]);
        // Two ways lead to the load, and each brings all of them.
        expect(end.counters['write']).toMatchObject({ in: 14, created: 7, unchanged: 7 });
        expect(Object.keys(end.counters).sort()).toEqual(['start', 'write']);
    });

    it('resumes after its last committed batch if its worker was stopped, wherever that was', async () => {
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
        const { definition: executed, triggerKey } = withInputRecords(definition, 'start', []);
        expect(definition).toEqual(before);
        expect(triggerKey).toBe('start--');
        const keys = executed.steps.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
    });
});

describe('a run that is given files', () => {
    const files = (changed: PipelineDefinition): readonly unknown[] =>
        changed.steps.filter(({ kind }) => kind === 'EXTRACT').map(({ config }) => config['fileId']);

    it('has them read by the EXTRACT steps directly after its trigger that read files', () => {
        const own = [undefined, undefined, 'own'];
        const another = [undefined, undefined, 'another'];
        expect(files(withInputFiles(definition, 'start-', { fileId: 'another' }))).toEqual(another);
        const named = { files: [{ stepKey: 'other', fileId: 'another' }] };
        expect(files(withInputFiles(definition, 'start-', named))).toEqual(another);
        expect(files(withInputFiles(definition, 'start', named))).toEqual(own);
        expect(files(definition)).toEqual(own);
        expect(inputFileIds(named)).toEqual(['another']);
    });

    it('needs such steps, which are enabled', () => {
        const given = { fileId: 'another' };
        expect(inputFilesProblem(definition, 'start-', given)).toBeUndefined();
        expect(inputFilesProblem(definition, 'start', given)).toContain('"start"');
        const steps = definition.steps.map(step => ({ ...step, disabled: true }));
        expect(inputFilesProblem({ ...definition, steps }, 'start-', given)).toContain('"start-"');
        const odd = { files: [{ stepKey: 'read', fileId: 'another' }] };
        expect(inputFilesProblem(definition, 'start-', odd)).toContain('allowed: "other"');
    });
});

describe('a definition for the records that a gate holds', () => {
    const gated = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            'start-': ['TRIGGER', { type: 'MANUAL' }],
            held: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 100) }] }],
            before: ['LOAD', { ...LOAD, table: 'before' }],
            gate: ['GATE', { approvalType: 'MANUAL' }],
            after: ['LOAD', { ...LOAD, table: 'after' }],
            aside: ['LOAD', { ...LOAD, table: 'aside' }],
        },
        edges: ['start > held > before > gate > after', 'start- > held', 'held > aside'],
        hooks: {
            BEFORE_LOAD: [{ type: 'LOG', message: 'a load' }],
            BEFORE_EXTRACT: [{ type: 'LOG', message: 'a source' }],
            BEFORE_GATE: [{ type: 'LOG', message: 'a gate' }],
            RUN_STARTED: [{ type: 'LOG', message: 'a start' }],
        },
    });

    it('has them continue after the gate, and nothing else', async () => {
        const part = withoutSpooledSources(gated, 'gate', given);
        expect(part.steps.map(({ key, kind }) => `${kind} ${key}`)).toEqual([
            'TRIGGER start--',
            'EXTRACT held-',
            'GATE gate',
            'LOAD after',
        ]);
        expect(Object.keys(part.hooks)).toEqual(['BEFORE_LOAD']);
        const state = new MemoryState();
        const options = { state, adapters: [providedRecords], input: { triggerKey: 'start--' } };
        expect((await runPipeline(part, options)).end).toMatchObject({ end: 'paused', stepKey: 'gate', records: 7 });
        state.release('gate');
        await runPipeline(part, options);
        expect([...state.shop.keys()]).toEqual(given.map(({ id }) => `after/${String(id)}`));
    });
});

describe('a run that is given rejected records', () => {
    const hooked = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4, 100) }] }],
            shape: ['TRANSFORM', { operators: [{ op: 'toySet', args: { field: 'shaped', value: true } }] }],
            check: ['VALIDATE', { rules: [{ type: 'required', spec: { field: 'name' } }] }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > shape > check > write'],
        hooks: Object.fromEntries(
            ['BEFORE_EXTRACT', 'AFTER_EXTRACT', 'BEFORE_TRANSFORM', 'BEFORE_VALIDATE', 'BEFORE_LOAD'].map(stage => [
                stage,
                [{ type: 'SCRIPT', scriptName: 'see' }],
            ]),
        ),
    });
    const replay = async (rejected: Parameters<typeof withRejectedRecords>[1]) => {
        const state = new MemoryState();
        const seen: unknown[] = [];
        const { definition: executed, triggerKey, returning } = withRejectedRecords(hooked, rejected);
        const { end } = await runPipeline(executed, {
            adapters: [
                providedRecords,
                ...hookScripts({
                    see: (records, { stage, stepKey }) => void seen.push([stage, stepKey, records.length]),
                }),
            ],
            state,
            input: { triggerKey, returning },
        });
        return { end, state, seen };
    };

    it('begins at these steps, reads nothing else, and calls only hooks that have not seen the records', async () => {
        const { end, state, seen } = await replay([
            { stepKey: 'check', records: [{ id: 1, name: 'a' }, { id: 2 }], places: ['line 3', null] },
            { stepKey: 'write', records: [{ id: 3 }], places: [null] },
        ]);
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(loaded(state)).toEqual([1, 3]);
        expect([...state.shop.values()]).toEqual([{ id: 1, name: 'a' }, { id: 3 }]);
        expect(seen).toEqual([['BEFORE_LOAD', 'write', 1]]);
        expect([...state.rejects.values()]).toMatchObject([
            { stepKey: 'check', sourceKey: 'replay-1', seq: 1, payload: { id: 2 } },
        ]);
    });

    it('processes rows that a source could not read in all steps', async () => {
        const { state, seen } = await replay([
            { stepKey: 'read', records: [{ id: 1, name: 'a' }], places: ['line 3'] },
        ]);
        expect([...state.shop.values()]).toEqual([{ id: 1, name: 'a', shaped: true }]);
        expect(seen.map(seenAt => (seenAt as readonly unknown[])[0])).toEqual([
            'BEFORE_EXTRACT',
            'AFTER_EXTRACT',
            'BEFORE_TRANSFORM',
            'BEFORE_VALIDATE',
            'BEFORE_LOAD',
        ]);
    });

    it('reports the location of a record at its first source when it is rejected again', async () => {
        const { state } = await replay([
            { stepKey: 'check', records: [{ id: 1 }, { id: 2 }], places: [null, 'line 4'] },
        ]);
        expect([...state.rejects.values()].map(({ place }) => place)).toEqual([undefined, 'line 4']);
    });
});
