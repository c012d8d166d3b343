import { flowError } from '../../core/errors/flow-error';
import type { Row } from '../../database/write';
import { RunInserts } from './run-inserts';

function stage(refuse: (rows: readonly Row[]) => Error | undefined = () => undefined) {
    const statements: unknown[][] = [];
    const inserts = new RunInserts(async rows => {
        statements.push(rows.map(({ n }) => n));
        await new Promise(resolve => setImmediate(resolve));
        const error = refuse(rows);
        if (error) throw error;
        return rows.map(({ n }) => `run ${String(n)}`);
    });
    return { inserts, statements };
}

describe('runs that are to be stored', () => {
    it('are stored at once where one comes alone, and together where they come meanwhile', async () => {
        const { inserts, statements } = stage();
        const ids = await Promise.all([1, 2, 3].map(n => inserts.add({ n }, 10)));
        expect(ids).toEqual(['run 1', 'run 2', 'run 3']);
        expect(await inserts.add({ n: 4 }, 10)).toBe('run 4');
        expect(statements).toEqual([[1], [2, 3], [4]]);
    });

    it('are inserted together up to a number of rows and a size', async () => {
        const { inserts, statements } = stage();
        await Promise.all(Array.from({ length: 120 }, (_, n) => inserts.add({ n }, 10)));
        expect(statements.map(({ length }) => length)).toEqual([1, 50, 50, 19]);
        statements.length = 0;
        const large = 3 * 1024 * 1024;
        await Promise.all([0, 1, 2, 3].map(n => inserts.add({ n }, n === 2 ? 9 * large : large)));
        expect(statements).toEqual([[0], [1], [2], [3]]);
    });

    it('are stored separately if the database rejects one of them', async () => {
        const { inserts, statements } = stage(rows =>
            rows.some(({ n }) => n === 2) ? flowError('RECORD_REFUSED', { problem: 'no' }) : undefined,
        );
        const settled = await Promise.allSettled([0, 1, 2, 3].map(n => inserts.add({ n }, 10)));
        expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
        expect(statements).toEqual([[0], [1, 2, 3], [1], [2], [3]]);
    });

    it('are not tried again where the database does not say what has become of them', async () => {
        const { inserts, statements } = stage(() => flowError('DATABASE_LOST', { problem: 'gone' }));
        const settled = await Promise.allSettled([0, 1, 2].map(n => inserts.add({ n }, 10)));
        expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
        expect(statements).toEqual([[0], [1, 2]]);
    });
});
