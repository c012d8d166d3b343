import { precedenceOrder } from './in-order';

const ordered = (before: ReadonlyArray<readonly number[]>) => precedenceOrder(before.length, i => before[i]!);

describe('an order of records', () => {
    it('is their own where nothing has to come before', () => {
        expect(ordered([[], [], []])).toEqual([0, 1, 2]);
    });

    it('has each behind what it needs, once', () => {
        expect(ordered([[2], [0], [3], []])).toEqual([3, 2, 0, 1]);
        expect(ordered([[1, 2], [2], []])).toEqual([2, 1, 0]);
    });

    it('goes on where they need each other', () => {
        expect(ordered([[1], [0], [2], [0, 1]])).toEqual([1, 0, 2, 3]);
    });

    it('takes a branch as long as a file', () => {
        const many = 50_000;
        const order = precedenceOrder(many, i => (i + 1 < many ? [i + 1] : []));
        expect([order.length, order[0], order[many - 1]]).toEqual([many, many - 1, 0]);
    });
});
