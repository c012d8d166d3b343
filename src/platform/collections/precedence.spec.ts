import fc from 'fast-check';
import { RecordIssues } from '../entities/record-issues';
import { foldName } from '../../core/data/fold-name';
import { sortByPrecedence, sortByTree } from './precedence';
import type { DesiredCollection } from './read-collection';

const ordered = (before: ReadonlyArray<readonly number[]>) => sortByPrecedence(before.length, i => before[i]!);

describe('an order of records', () => {
    it('is their own where nothing has to come before', () => {
        expect(ordered([[], [], []])).toEqual([0, 1, 2]);
    });

    it('has each after those that it needs, once', () => {
        expect(ordered([[2], [0], [3], []])).toEqual([3, 2, 0, 1]);
        expect(ordered([[1, 2], [2], []])).toEqual([2, 1, 0]);
    });

    it('continues if they need each other', () => {
        expect(ordered([[1], [0], [2], [0, 1]])).toEqual([1, 0, 2, 3]);
    });

    it('takes a branch as long as a file', () => {
        const many = 50_000;
        const order = sortByPrecedence(many, i => (i + 1 < many ? [i + 1] : []));
        expect([order.length, order[0], order[many - 1]]).toEqual([many, many - 1, 0]);
    });
});

const SEED = 20_261_128;
/** Names that slugs make alike. */
const names = fc.uniqueArray(
    fc
        .string({ unit: fc.constantFrom(...'aAbÄäe15 -+#!?'), minLength: 1, maxLength: 3 })
        .filter(name => /[a-zä15]/i.test(name)),
    { minLength: 2, maxLength: 12, selector: foldName },
);

describe('an order of collections', () => {
    const sound = new RecordIssues();
    const recordOf = (desired: Partial<DesiredCollection>) => ({
        desired: { isDelete: false, ...desired } as DesiredCollection,
        faults: sound,
    });
    const orderOf = (records: ReadonlyArray<Partial<DesiredCollection>>) => sortByTree(records.map(recordOf), () => []);

    it(`has each after its parent, however alike their slugs are (seed ${SEED})`, () => {
        fc.assert(
            fc.property(names, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.nat()), (list, parents, places) => {
                const tree = list.map((name, i) => ({
                    name,
                    parent: i === 0 ? null : list[parents.next().value! % i]!,
                }));
                const shuffled = [...tree]
                    .map(record => [places.next().value!, record] as const)
                    .sort(([one], [other]) => one - other)
                    .map(([, record]) => record);
                const decided = orderOf(shuffled).map(i => shuffled[i]!);
                const late = decided.filter(({ parent }, at) => {
                    const above = decided.findIndex(({ name }) => name === parent);
                    return above > at;
                });
                expect([shuffled, late]).toEqual([shuffled, []]);
            }),
            { seed: SEED, numRuns: 2_000 },
        );
    });

    it('takes a parent for the collection with that slug first, and then for the one with that name', () => {
        const records = [
            { name: 'Child', parent: 'shoes' },
            { name: 'Shoes', parent: 'Child' },
            { key: 'shoes', name: 'Footwear', parent: null },
        ];
        expect(orderOf(records)).toEqual([2, 0, 1]);
        expect(orderOf([{ name: 'Child', parent: 'Shoes' }, ...records.slice(1)])).toEqual([1, 0, 2]);
    });
});
