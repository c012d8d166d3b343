import type { JsonValue } from '../../src/core/value/json';
import type { StoredMemo } from '../../src/core/progress/memos';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { RunLeases, type ClaimedRun } from '../../src/plugin/stores/leases';
import { Memories } from '../../src/plugin/stores/memories';
import { Positions } from '../../src/plugin/stores/positions';
import { RunEndings } from '../../src/plugin/stores/run-endings';
import type { Database } from './databases';
import { commit, LOST, type OpenStores, type StoreBench } from './store-bench';

/** What the steps of a pipeline remember from run to run. */
export function memorySuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    beforeAll(async () => {
        bench = await open();
    });

    const memo = (key: string, value: JsonValue, stepKey = 'delta'): StoredMemo => ({ stepKey, key, value });
    const keep = (run: ClaimedRun, ...memos: StoredMemo[]): Promise<void> =>
        new Positions(bench.env, run).commit({ ...commit(1, 1), memos });
    const recalled = async (run: ClaimedRun, keys: readonly string[], stepKey = 'delta'): Promise<object> =>
        Object.fromEntries(await new Memories(bench.env, run).recall(stepKey, keys));
    const end = (run: ClaimedRun) => new RunEndings(bench.env).finish(run, { status: 'CANCELLED' } as never);
    /** Two runs of one pipeline, the second of which may be a dry run. */
    const twoRuns = async (isDry = false): Promise<readonly [ClaimedRun, ClaimedRun]> => {
        const {
            runs: [first, second],
        } = await bench.waitingRuns(2);
        const one = await bench.claim(first!);
        return [one, { ...(await claimedNext(one, second!)), dryRun: isDry }];
    };
    const claimedNext = async (one: ClaimedRun, next: ClaimedRun['runId']): Promise<ClaimedRun> => {
        await keep(one, memo('a', 1), memo('B', { list: [null, 'ä'] }), memo('a', 'other', 'Delta'));
        await end(one);
        return bench.claim(next);
    };

    it('is found by the next run, by step and key; the newest counts', async () => {
        const [, next] = await twoRuns();
        await keep(next, memo('c', false), memo('a', 2));
        expect(await recalled(next, ['a', 'b', 'B', 'c', 'd'])).toEqual({ a: 2, B: { list: [null, 'ä'] }, c: false });
        expect(await recalled(next, ['a', 'c'], 'Delta')).toEqual({ a: 'other' });
        expect(await recalled(next, [])).toEqual({});
    });

    it('is that of one pipeline alone', async () => {
        await keep(await bench.claimed(), memo('mine', 1));
        expect(await recalled(await bench.claimed(), ['mine'])).toEqual({});
    });

    it('is left as it is by a dry run, which finds its own on top of it until it ends', async () => {
        const [, dry] = await twoRuns(true);
        await keep(dry, memo('a', 'dry'), memo('new', 'dry'));
        expect(await recalled(dry, ['a', 'new', 'B'])).toEqual({ a: 'dry', new: 'dry', B: { list: [null, 'ä'] } });
        expect((await new Positions(bench.env, dry).load()).positions).toEqual({ extract: commit(1, 1).position });
        await end(dry);
        expect(await recalled({ ...dry, dryRun: false }, ['a', 'new'])).toEqual({ a: 1 });
        expect(await bench.dataSource.getRepository(FlowCheckpoint).countBy({ scope: `run:${dry.runId}` })).toBe(0);
    });

    it('is found by nobody but its run where that is its scope, and gone when the run has ended', async () => {
        const [, run] = await twoRuns();
        await keep(run, { ...memo('a', 'of the run'), scope: 'run' }, memo('new', 1));
        const ofRun = async (): Promise<object> =>
            Object.fromEntries(await new Memories(bench.env, run).recall('delta', ['a', 'new', 'B'], 'run'));
        expect(await ofRun()).toEqual({ a: 'of the run' });
        expect(await recalled(run, ['a', 'new'])).toEqual({ a: 1, new: 1 });
        await end(run);
        expect(await ofRun()).toEqual({});
        expect(await recalled(run, ['a', 'new'])).toEqual({ a: 1, new: 1 });
    });

    it('is not changed by a worker that has lost the run', async () => {
        const run = await bench.claimed();
        await keep(run, memo('a', 1));
        await new RunLeases(bench.env, 30_000).release(run);
        const next = await bench.claim(run.runId);
        await expect(keep(run, memo('a', 2), memo('b', 2))).rejects.toEqual(LOST);
        expect(await recalled(next, ['a', 'b'])).toEqual({ a: 1 });
    });

    it('holds and answers a large batch', async () => {
        const run = await bench.claimed();
        const keys = Array.from({ length: 10_000 }, (_, i) => `deltaFilter:"${i}"`);
        await keep(run, ...keys.map((key, i) => memo(key, i)));
        const found = await new Memories(bench.env, run).recall('delta', keys);
        expect(found.size).toBe(10_000);
        expect(found.get('deltaFilter:"9999"')).toBe(9_999);
    });

    if (database !== 'sqlite') {
        it('costs one statement to ask for, and one more than a position to keep', async () => {
            const run = await bench.claimed();
            await keep(run, memo('a', 1));
            expect(await bench.statementsOf(() => recalled(run, ['a', 'b']))).toHaveLength(1);
            const kept = await bench.statementsOf(() => keep(run, memo('a', 2), memo('b', 2)));
            expect(kept.filter(text => !/^(START TRANSACTION|BEGIN|COMMIT|SET )/i.test(text))).toHaveLength(2);
        });
    }
}
