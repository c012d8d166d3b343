import type { JsonValue } from '../../src/core/value/json';
import type { StoredStateEntry } from '../../src/core/progress/state-entries';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { RunLeases, type ClaimedRun } from '../../src/plugin/stores/leases';
import { StateEntries } from '../../src/plugin/stores/state-entries';
import { Offsets } from '../../src/plugin/stores/offsets';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import type { Database } from './databases';
import { commit, LOST, type OpenStores, type StoreBench } from './store-bench';

/** What the steps of a pipeline store from run to run. */
export function memorySuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    beforeAll(async () => {
        bench = await open();
    });

    const stateEntry = (key: string, value: JsonValue, stepKey = 'delta'): StoredStateEntry => ({
        stepKey,
        key,
        value,
    });
    const keep = (run: ClaimedRun, ...stateEntries: StoredStateEntry[]): Promise<void> =>
        new Offsets(bench.env, run).commit({ ...commit(1, 1), memos: stateEntries });
    const recalled = async (run: ClaimedRun, keys: readonly string[], stepKey = 'delta'): Promise<object> =>
        Object.fromEntries(await new StateEntries(bench.env, run).recall(stepKey, keys));
    const end = (run: ClaimedRun) => new RunTransitions(bench.env).finish(run, { status: 'CANCELLED' } as never);
    /** Two runs of one pipeline, the second of which may be a dry run. */
    const twoRuns = async (isDry = false): Promise<readonly [ClaimedRun, ClaimedRun]> => {
        const {
            runs: [first, second],
        } = await bench.waitingRuns(2);
        const one = await bench.claim(first!);
        return [one, { ...(await claimedNext(one, second!)), dryRun: isDry }];
    };
    const claimedNext = async (one: ClaimedRun, next: ClaimedRun['runId']): Promise<ClaimedRun> => {
        await keep(one, stateEntry('a', 1), stateEntry('B', { list: [null, 'ä'] }), stateEntry('a', 'other', 'Delta'));
        await end(one);
        return bench.claim(next);
    };

    it('is found by the next run, by step and key; the newest value counts', async () => {
        const [, next] = await twoRuns();
        await keep(next, stateEntry('c', false), stateEntry('a', 2));
        expect(await recalled(next, ['a', 'b', 'B', 'c', 'd'])).toEqual({ a: 2, B: { list: [null, 'ä'] }, c: false });
        expect(await recalled(next, ['a', 'c'], 'Delta')).toEqual({ a: 'other' });
        expect(await recalled(next, [])).toEqual({});
    });

    it('belongs to one pipeline alone', async () => {
        await keep(await bench.claimed(), stateEntry('mine', 1));
        expect(await recalled(await bench.claimed(), ['mine'])).toEqual({});
    });

    it('is not changed by a dry run, which reads its own values on top of it until it ends', async () => {
        const [, dry] = await twoRuns(true);
        await keep(dry, stateEntry('a', 'dry'), stateEntry('new', 'dry'));
        expect(await recalled(dry, ['a', 'new', 'B'])).toEqual({ a: 'dry', new: 'dry', B: { list: [null, 'ä'] } });
        expect((await new Offsets(bench.env, dry).load()).positions).toEqual({ extract: commit(1, 1).position });
        await end(dry);
        expect(await recalled({ ...dry, dryRun: false }, ['a', 'new'])).toEqual({ a: 1 });
        expect(await bench.dataSource.getRepository(FlowCheckpoint).countBy({ scope: `run:${dry.runId}` })).toBe(0);
    });

    it('is found only by its run if that is its scope, and is deleted when the run has ended', async () => {
        const [, run] = await twoRuns();
        await keep(run, { ...stateEntry('a', 'of the run'), scope: 'run' }, stateEntry('new', 1));
        const ofRun = async (): Promise<object> =>
            Object.fromEntries(await new StateEntries(bench.env, run).recall('delta', ['a', 'new', 'B'], 'run'));
        expect(await ofRun()).toEqual({ a: 'of the run' });
        expect(await recalled(run, ['a', 'new'])).toEqual({ a: 1, new: 1 });
        await end(run);
        expect(await ofRun()).toEqual({});
        expect(await recalled(run, ['a', 'new'])).toEqual({ a: 1, new: 1 });
    });

    it('is not changed by a worker that has lost the run', async () => {
        const run = await bench.claimed();
        await keep(run, stateEntry('a', 1));
        await new RunLeases(bench.env, 30_000).release(run);
        const next = await bench.claim(run.runId);
        await expect(keep(run, stateEntry('a', 2), stateEntry('b', 2))).rejects.toEqual(LOST);
        expect(await recalled(next, ['a', 'b'])).toEqual({ a: 1 });
    });

    it('stores and returns a large batch', async () => {
        const run = await bench.claimed();
        const keys = Array.from({ length: 10_000 }, (_, i) => `deltaFilter:"${i}"`);
        await keep(run, ...keys.map((key, i) => stateEntry(key, i)));
        const found = await new StateEntries(bench.env, run).recall('delta', keys);
        expect(found.size).toBe(10_000);
        expect(found.get('deltaFilter:"9999"')).toBe(9_999);
    });

    if (database !== 'sqlite') {
        it('costs one statement to read, and one more than a position to store', async () => {
            const run = await bench.claimed();
            await keep(run, stateEntry('a', 1));
            expect(await bench.statementsOf(() => recalled(run, ['a', 'b']))).toHaveLength(1);
            const kept = await bench.statementsOf(() => keep(run, stateEntry('a', 2), stateEntry('b', 2)));
            expect(kept.filter(text => !/^(START TRANSACTION|BEGIN|COMMIT|SET )/i.test(text))).toHaveLength(2);
        });
    }
}
