import { withDefaultSort } from './list-order';

describe('the order of a list', () => {
    const usual = { createdAt: 'DESC', id: 'DESC' } as const;

    it('is the default unless another one is requested', () => {
        expect(withDefaultSort(undefined, usual)).toEqual(usual);
        expect(withDefaultSort({ sort: {} }, usual)).toEqual(usual);
        expect(withDefaultSort({ sort: { createdAt: null } }, usual)).toEqual(usual);
    });

    it('adds nothing to a requested order but the ids, in its own direction, for rows that are equal', () => {
        expect(withDefaultSort({ sort: { createdAt: 'ASC' } }, usual)).toEqual({ id: 'ASC' });
        expect(withDefaultSort({ sort: { id: 'ASC' } }, usual)).toEqual({});
    });
});
