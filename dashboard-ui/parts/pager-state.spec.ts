import { pagerState } from './pager-state';

describe('a page of a list', () => {
    it.each([
        ['the only one', { skip: 0, take: 10, total: 3 }, { first: 1, last: 3, isFirst: true, isLast: true }],
        ['a full one', { skip: 0, take: 10, total: 10 }, { first: 1, last: 10, isFirst: true, isLast: true }],
        ['the first', { skip: 0, take: 10, total: 11 }, { first: 1, last: 10, isFirst: true, isLast: false }],
        ['the last', { skip: 10, take: 10, total: 11 }, { first: 11, last: 11, isFirst: false, isLast: true }],
        ['a full last one', { skip: 10, take: 10, total: 20 }, { first: 11, last: 20, isFirst: false, isLast: true }],
    ])('that is %s says so, with its rows', (_, list, bounds) => {
        expect(pagerState(list)).toEqual(bounds);
    });
});
