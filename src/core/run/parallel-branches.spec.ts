import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, runPipeline, sketched, type Sketch } from '../../../test/kit/pipeline';
import { ToyTarget } from '../../../test/kit/toy-sink';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { flowError } from '../errors/flow-error';
import type { JsonObject } from '../value/json';

const SINK = ['SINK', { adapterCode: 'toySink' }] as const;
const LOAD_INTO = (table: string) => ['LOAD', { adapterCode: 'toyUpsert', table }] as const;
const SHAPE = ['TRANSFORM', { operators: [{ op: 'toySet', args: { field: 'shaped', value: true } }] }] as const;

/** Ways that leave one source. */
const from = (steps: Sketch['steps'], edges: readonly string[], more: Partial<Sketch> = {}) =>
    sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(2) as JsonObject[] }] }],
            ...steps,
        },
        edges: ['start > read', ...edges.map(edge => `read > ${edge}`)],
        errorHandling: { maxRetries: 0 },
        ...more,
    });

/** How far the calls of the steps overlap: each takes a while, and is noted when it begins and ends. */
function watched() {
    const clock = new VirtualClock();
    const log: string[] = [];
    const target = new ToyTarget(async point => {
        const step = point.replace('deliver ', '');
        if (!point.startsWith('deliver')) return;
        log.push(`${step} begins`);
        await clock.sleep(10);
        log.push(`${step} ends`);
    });
    return { clock, log, target, adapters: [target.sink] };
}

describe('branches that leave a step', () => {
    it('run in parallel if they only write to other systems', async () => {
        const { clock, log, adapters } = watched();
        const definition = from({ a: SINK, shape: SHAPE, b: SINK, c: SINK }, ['a', 'shape > b', 'c']);
        const { end } = await runPipeline(definition, { clock, adapters });
        expect(end).toMatchObject({ end: 'completed', counters: { a: { updated: 2 }, b: { updated: 2 } } });
        expect(log.slice(0, 3).sort()).toEqual(['a begins', 'b begins', 'c begins']);
    });

    it('keep their order next to loads into the shop', async () => {
        const { clock, log, adapters } = watched();
        const state = new MemoryState();
        const definition = from({ a: SINK, write: LOAD_INTO('t'), b: SINK, c: SINK }, ['a', 'write', 'b', 'c']);
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') log.push('write');
        };
        await runPipeline(definition, { clock, adapters, state, at });
        expect(log.slice(0, 3)).toEqual(['a begins', 'a ends', 'write']);
        expect(log.slice(3, 5).sort()).toEqual(['b begins', 'c begins']);
    });

    it.each([
        ['something after one of them is in the shop', { a: SINK, write: LOAD_INTO('t'), b: SINK }, ['a > write', 'b']],
        ['they lead to a common step', { a: SINK, b: SINK, c: SINK }, ['a > c', 'b > c']],
    ] as const)('run one after another if %s', async (_, steps, edges) => {
        const { clock, log, adapters } = watched();
        await runPipeline(from(steps, edges), { clock, adapters });
        expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('b begins'));
    });

    it('run one after another if a step of one holds records', async () => {
        const { clock, log, adapters } = watched();
        await runPipeline(from({ a: SINK, b: SINK }, ['a', 'b']), { clock, adapters, holding: ['a'] });
        expect(log.indexOf('a ends')).toBeLessThan(log.indexOf('b begins'));
    });

    it('of a ROUTE step get their own records each', async () => {
        const { clock, log, target, adapters } = watched();
        const route = [
            'ROUTE',
            { branches: [{ name: 'first', when: [{ field: 'id', cmp: 'eq', value: 0 }] }] },
        ] as const;
        const definition = from({ route, a: SINK, b: SINK }, ['route']);
        const edges = [
            ...definition.edges,
            { from: 'route', to: 'a', branch: 'first' },
            { from: 'route', to: 'b', branch: 'default' },
        ];
        await runPipeline({ ...definition, edges }, { clock, adapters });
        expect(log.slice(0, 2).sort()).toEqual(['a begins', 'b begins']);
        expect(target.calls.map(({ step, of }) => [step, of]).sort()).toEqual([
            ['a', [0]],
            ['b', [1]],
        ]);
    });
});

describe('a branch that fails next to others', () => {
    it('fails the run at its own step, and acknowledged deliveries of the others are not repeated', async () => {
        const clock = new VirtualClock();
        let isDown = true;
        const target = new ToyTarget(async point => {
            if (point === 'deliver a' || point === 'deliver c') await clock.sleep(point === 'deliver a' ? 10 : 500);
            if (point === 'deliver b' && isDown) throw flowError('REMOTE_REFUSED', { host: 'b', problem: 'is down' });
        });
        const state = new MemoryState();
        const definition = from({ a: SINK, b: SINK, c: SINK, last: SINK }, ['a', 'b', 'c > last']);
        const options = { clock, state, adapters: [target.sink] };
        const first = await runPipeline(definition, options);
        expect(first.end).toMatchObject({
            end: 'stopped',
            error: { code: 'REMOTE_REFUSED' },
            stepKey: 'b',
            counters: { a: { updated: 2 }, c: { updated: 2 }, last: { updated: 2 } },
        });
        expect([...state.markers.keys()].sort()).toEqual(['a read 0 0', 'c read 0 0', 'last read 0 0']);

        // The worker was thought to have died: another one takes the run over.
        isDown = false;
        const before = target.calls.length;
        const second = await runPipeline(definition, { ...options, state: takenOver(state) });
        expect(second.end).toMatchObject({ end: 'completed', counters: { a: { updated: 2 }, b: { updated: 2 } } });
        expect(target.calls.slice(before).map(({ step }) => step)).toEqual(['b']);
    });

    it('does not have the others wait for their next tries', async () => {
        const clock = new VirtualClock(0);
        const target = new ToyTarget(async point => {
            if (point === 'deliver a') throw flowError('REMOTE_BUSY', { host: 'a', problem: 'is busy', attempts: 1 });
            if (point !== 'deliver b') return;
            await clock.sleep(10);
            throw flowError('REMOTE_REFUSED', { host: 'b', problem: 'is down' });
        });
        const errorHandling = { maxRetries: 9, retryDelayMs: 300_000, backoffMultiplier: 1 };
        const definition = from({ a: SINK, b: SINK }, ['a', 'b'], { errorHandling });
        const { end } = await runPipeline(definition, { clock, adapters: [target.sink] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' }, stepKey: 'b' });
        expect(clock.now()).toBe(10);
    });
});

/** The state as the next worker of the same run finds it. */
function takenOver(state: MemoryState): MemoryState {
    state.fence++;
    return state;
}
