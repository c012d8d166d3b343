import { unlessSorted } from './list-order';

describe('the order of a list', () => {
    const usual = { createdAt: 'DESC', id: 'DESC' } as const;

    it('is the usual one when nobody asks for another', () => {
        expect(unlessSorted(undefined, usual)).toEqual(usual);
        expect(unlessSorted({ sort: {} }, usual)).toEqual(usual);
        expect(unlessSorted({ sort: { createdAt: null } }, usual)).toEqual(usual);
    });

    it('adds nothing to a requested order but the ids, in its own direction, for rows that are equal', () => {
        expect(unlessSorted({ sort: { createdAt: 'ASC' } }, usual)).toEqual({ id: 'ASC' });
        expect(unlessSorted({ sort: { id: 'ASC' } }, usual)).toEqual({});
    });
});
