import { z } from 'zod';
import { ids, LOAD, pages, runPipeline, sketched, type Sketch } from '../../../test/kit/pipeline';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { defineExtractor } from '../adapter/extractor';
import type { JsonObject } from '../value/json';
import type { Node } from '../steps/step';
import type { Source } from './compile';
import { sourceGroupsOf } from './source-groups';

const node = (key: string, more: { readonly remembers?: boolean; readonly next?: readonly Node[] } = {}): Node => ({
    step: { key, remembers: more.remembers ?? false, open: () => Promise.reject(new Error('not opened here')) },
    kind: 'TRANSFORM',
    next: more.next ?? [],
});
const source = (key: string, ...next: readonly Node[]): Source => ({
    step: {
        key,
        read: () => {
            throw new Error('not read here');
        },
    },
    next,
    adds: [],
});
const keysOf = (sourceGroups: ReadonlyArray<readonly Source[]>): readonly string[][] =>
    sourceGroups.map(taskQueue => taskQueue.map(({ step }) => step.key));

describe('the lanes of sources', () => {
    it('are one, in the order of the edges, if batches run one after another', () => {
        expect(keysOf(sourceGroupsOf([source('b'), source('a')], 1))).toEqual([['b', 'a']]);
        expect(sourceGroupsOf([], 1)).toEqual([]);
    });

    it('are as many as sources that lead to no common step which remembers', () => {
        const joined = node('joined');
        const own = node('own', { remembers: true, next: [joined] });
        expect(keysOf(sourceGroupsOf([source('a', own), source('b', joined), source('c', joined)], 2))).toEqual([
            ['a'],
            ['b'],
            ['c'],
        ]);
    });

    it('contain all that lead to one step that remembers, even through another source, in the order of the edges', () => {
        const [x, y] = [node('x', { remembers: true }), node('y', { remembers: true })];
        const sources = [source('a', node('before', { next: [x] })), source('b'), source('c', y), source('d', x, y)];
        expect(keysOf(sourceGroupsOf(sources, 2))).toEqual([['b'], ['a', 'c', 'd']]);
    });
});

/** Fails after a while. */
const toyBroken = (clock: VirtualClock) =>
    defineExtractor({
        code: 'toyBroken',
        title: 'Toy broken',
        summary: 'Fails after a while.',
        config: z.strictObject({}),
        // eslint-disable-next-line require-yield -- it has nothing to give
        async *extract() {
            await clock.sleep(60);
            throw new Error('the source broke');
        },
    });

describe('the sources of a run', () => {
    const two = (steps: Sketch['steps'], edges: readonly string[], concurrency = 2): Sketch => ({
        steps: {
            start: ['TRIGGER', {}],
            a: ['EXTRACT', pages(ids(6))],
            b: ['EXTRACT', pages(ids(6, 3))],
            write: ['LOAD', LOAD],
            ...steps,
        },
        edges: ['start > a', 'start > b', ...edges],
        throughput: { batchSize: 1, concurrency },
    });
    const direct = two({}, ['a > write', 'b > write']);

    /** From which source each load came, in their order, when each takes a while; and how many were at work at most. */
    async function loaded(sketch: Sketch) {
        const clock = new VirtualClock();
        let [now, most] = [0, 0];
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') most = Math.max(most, ++now);
            await clock.sleep(10);
            if (point === 'loads.commit.after') now--;
        };
        const { end, state } = await runPipeline(sketched(sketch), { clock, at });
        expect(end.end).toBe('completed');
        const loads = state.history.filter(line => line.startsWith('load ')).map(line => line.split(' ')[2]!);
        return { loads, most, state };
    }

    it('are read side by side, under the places that they share', async () => {
        const { loads, most, state } = await loaded(direct);
        expect(loads.slice(0, 4).sort()).toEqual(['a', 'a', 'b', 'b']);
        expect(most).toBe(2);
        expect(state.positions).toMatchObject({ a: { done: true, seq: 6 }, b: { done: true, seq: 6 } });
    });

    it('run one after another if they lead to a common rule that remembers, which sees the records of all of them', async () => {
        const unique: JsonObject = { rules: [{ type: 'unique', spec: { field: 'id' } }] };
        const { loads, state } = await loaded(
            two({ check: ['VALIDATE', unique] }, ['a > check > write', 'b > check'], 3),
        );
        expect(loads).toEqual([...Array<string>(6).fill('a'), ...Array<string>(3).fill('b')]);
        expect([...state.rejects.keys()]).toEqual(['check b 0 0', 'check b 1 0', 'check b 2 0']);
    });

    it('all stop if one of them fails, and batches in progress settle', async () => {
        const clock = new VirtualClock();
        const at = async (point: string): Promise<void> => {
            await clock.sleep(point.startsWith('loads') ? 50 : 1);
        };
        const sketch = two({ b: ['EXTRACT', { adapterCode: 'toyBroken' }] }, ['a > write', 'b > write']);
        const { end, state } = await runPipeline(sketched(sketch), { clock, at, adapters: [toyBroken(clock)] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'BUG' }, stepKey: 'b' });
        expect(state.positions['a']).toMatchObject({ batchNo: state.markers.size, done: false });
        expect(state.markers.size).toBeLessThan(6);
        expect(state.markers.size).toBeGreaterThan(0);
    });
});
