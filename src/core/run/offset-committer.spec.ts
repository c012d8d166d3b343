import { OffsetCommitter } from './offset-committer';
import { NO_COUNTS, type Counters } from '../progress/counters';
import type { StoredStateEntry } from '../progress/state-entries';
import type { Commit, SourceOffset } from '../ports/ports';

const at = (batchNo: number): SourceOffset => ({ token: batchNo, skip: 0, batchNo, seq: batchNo * 10, done: false });
const counted = (n: number): Counters => ({ step: { ...NO_COUNTS, in: n, out: n } });

/** Of batches with an even number under one key, of the others under another. */
const memoOf = (n: number): StoredStateEntry => ({ stepKey: 'step', key: n % 2 === 0 ? 'even' : 'odd', value: n });

/** A line whose writes wait until the test lets them land. */
function line() {
    const commits: Commit[] = [];
    const landing: Array<{ land: () => void; fail: (error: Error) => void }> = [];
    const seen = { committed: 0, failed: [] as unknown[], closed: false };
    const offsetCommitter = new OffsetCommitter('source', {
        commit: commit => {
            commits.push(commit);
            return new Promise((resolve, reject) => landing.push({ land: resolve, fail: reject }));
        },
        committed: batches => void (seen.committed += batches),
        failed: error => void seen.failed.push(error),
        isClosed: () => seen.closed,
    });
    const pendingOffsets = [1, 2, 3, 4, 5].map(n => offsetCommitter.enter(at(n), n < 5));
    const settle = (...numbers: number[]): void =>
        numbers.forEach(n =>
            offsetCommitter.settle(pendingOffsets[n - 1]!, { counters: counted(n), memos: [memoOf(n)] }),
        );
    const next = async (what: 'land' | Error): Promise<void> => {
        const write = landing.shift()!;
        if (what === 'land') write.land();
        else write.fail(what);
        await new Promise(resolve => setImmediate(resolve));
    };
    return { commitLine: offsetCommitter, commits, seen, settle, next };
}

describe('CommitLine', () => {
    it('commits nothing while the first batch has not settled', () => {
        const { commits, settle } = line();
        settle(2, 3);
        expect(commits).toEqual([]);
    });

    it('commits up to the first hole, as one write', () => {
        const { commits, settle } = line();
        settle(2, 4, 1);
        expect(commits).toEqual([
            {
                sourceKey: 'source',
                position: at(2),
                counters: counted(3),
                batches: 2,
                memos: [memoOf(1), memoOf(2)],
                held: [],
            },
        ]);
    });

    it('has one write in progress, and combines batches that settle in the meantime', async () => {
        const { commits, settle, next, seen } = line();
        settle(1, 2, 3);
        expect(commits.map(({ position }) => position.batchNo)).toEqual([1]);
        await next('land');
        expect(seen.committed).toBe(1);
        expect(commits[1]).toEqual({
            sourceKey: 'source',
            position: at(3),
            counters: counted(5),
            batches: 2,
            memos: [memoOf(2), memoOf(3)],
            held: [],
        });
    });

    it('does not count the end of the source as a batch', async () => {
        const { commits, settle, next } = line();
        settle(1, 2, 3, 4, 5);
        await next('land');
        expect(commits[1]).toMatchObject({ position: { batchNo: 5 }, batches: 3 });
    });

    it('flushes when everything that has settled is committed', async () => {
        const { commitLine, settle, next } = line();
        settle(1, 2);
        let flushed = false;
        const flush = commitLine.flush().then(() => (flushed = true));
        await next('land');
        expect(flushed).toBe(false);
        await next('land');
        await flush;
        expect(flushed).toBe(true);
        await commitLine.flush();
    });

    it('reports a write that fails and writes nothing after it', async () => {
        const { commits, settle, next, seen } = line();
        settle(1);
        await next(new Error('fenced'));
        settle(2, 3);
        expect(seen).toMatchObject({ committed: 0, failed: [new Error('fenced')] });
        expect(commits).toHaveLength(1);
    });

    it('writes nothing once it is closed', async () => {
        const { commits, settle, next, seen } = line();
        settle(1, 2);
        seen.closed = true;
        await next('land');
        settle(3);
        expect(commits).toHaveLength(1);
    });
});
