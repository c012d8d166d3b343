import { collection } from '../entity-descriptions/collection';
import { CollectionState } from '../entity-descriptions/collection-state';
import { Columns } from '../entities/columns';
import { UnitOfWork } from '../entities/unit-of-work';
import type { Id } from '../../database/write';
import { isBelow } from './tree';

/** A tree 1 > 2 > 3 > 4 that is stored, of which only some collections have been read. */
function tree(...read: readonly number[]) {
    const collections = new UnitOfWork().of(collection);
    const states = new Map<number, CollectionState>();
    for (const id of read) {
        const state = new CollectionState(id, new Columns({ parentId: id === 1 ? null : id - 1 }), `c${id}`);
        collections.addRead(state, state.key);
        states.set(id, state);
    }
    const parents = new Map<Id, Id | null>([1, 2, 3, 4].map(id => [id, id === 1 ? null : id - 1]));
    return { at: (id: number) => states.get(id)!, below: { collections, parents } };
}

describe('whether a collection is another one or below it', () => {
    it('goes by what is stored, also by collections in between that have not been read', () => {
        const { at, below } = tree(1, 2, 4);
        expect([isBelow(at(4), at(2), below), isBelow(at(4), at(4), below)]).toEqual([true, true]);
        expect([isBelow(at(2), at(4), below), isBelow(at(1), at(2), below)]).toEqual([false, false]);
    });

    it('goes by what is planned, if a collection has been moved', () => {
        const { at, below } = tree(1, 2, 3, 4);
        at(3).parent = at(1);
        expect([isBelow(at(4), at(2), below), isBelow(at(4), at(3), below)]).toEqual([false, true]);
        expect(isBelow(at(4), at(1), below)).toBe(true);
    });

    it('knows new collections, which have no id', () => {
        const { at, below } = tree(1, 2);
        const made = new CollectionState(undefined, new Columns({}), 'made');
        made.parent = at(2);
        expect([isBelow(made, at(1), below), isBelow(made, made, below), isBelow(at(2), made, below)]).toEqual([
            true,
            true,
            false,
        ]);
    });

    it('ends where parents are stored in a circle', () => {
        const { at, below } = tree(3);
        const parents = new Map<Id, Id | null>([
            [2, 3],
            [3, 2],
        ]);
        const other = new CollectionState(9, new Columns({ parentId: null }), 'other');
        expect(isBelow(at(3), other, { ...below, parents })).toBe(false);
    });
});
