import { variant as variants } from '../entity-descriptions/variant';
import { VariantState } from '../entity-descriptions/variant-state';
import { ProductState } from '../entity-descriptions/product-state';
import { Columns } from './columns';
import { EntityState } from './entity-state';
import { EntitySet, UnitOfWork, type WorkPart } from './unit-of-work';

const stored = (id: number, key: string): EntityState => new EntityState(id, new Columns({}), key);
const planned = (key: string): EntityState => new EntityState(undefined, new Columns({}), key);

/** A set that has read entities of these keys. */
function setOf(...keys: readonly string[]): EntitySet {
    const set = new EntitySet();
    keys.forEach((key, i) => set.addRead(stored(i + 1, key), key));
    return set;
}

describe('the entities that are being worked on', () => {
    it('are read from the database once a batch', () => {
        const set = setOf('a');
        expect([set.mustAsk('a'), set.mustAsk('b'), set.mustAsk('b')]).toEqual([true, true, false]);
        set.settle();
        expect([set.mustAsk('a'), set.mustAsk('b')]).toEqual([true, true]);
    });

    it('may be several of one key', () => {
        const set = setOf('a', 'a');
        expect(set.find('a').map(({ id }) => id)).toEqual([1, 2]);
    });

    it('are written where they are new, changed or deleted, and not where they came and went', () => {
        const set = setOf('changed', 'deleted', 'read');
        set.touch(set.find('changed')[0]!);
        set.remove(set.find('deleted')[0]!);
        const [kept, gone] = [planned('kept'), planned('gone')];
        set.addNew(kept, 'kept');
        set.addNew(gone, 'gone');
        set.remove(gone);
        expect([set.created, set.changed, set.deleted].map(states => states.map(({ key }) => key))).toEqual([
            ['kept'],
            ['changed'],
            ['deleted'],
        ]);
        expect([set.find('deleted'), set.find('gone')]).toEqual([[], []]);
    });

    it('of a dry run are found by later batches as they were planned', () => {
        const set = setOf('changed', 'deleted', 'read', 'referred');
        const [changed] = set.find('changed');
        set.touch(changed!);
        set.remove(set.find('deleted')[0]!);
        const made = planned('made');
        set.addNew(made, 'made');
        set.keep(set.find('referred')[0]!);
        set.settle();
        expect([set.find('made'), set.find('changed')]).toEqual([[made], [changed]]);
        // The database still has it, and a later read must know that.
        expect(set.withId(2)?.isDeleted).toBe(true);
        expect([set.withId(3), set.withId(4)?.key]).toEqual([undefined, 'referred']);
    });

    it('whose keys an index keeps unique are known by what a database may take for the same', () => {
        const set = new EntitySet(true);
        const [shade, cafe] = [stored(1, 'shade'), planned('Café')];
        set.addRead(shade, 'shade');
        set.addNew(cafe, 'Café');
        expect(['SHADE', 'shade', 'cafe ', 'cafeteria'].map(key => set.alike(key))).toEqual([
            'shade',
            undefined,
            'Café',
            undefined,
        ]);
        set.remove(shade);
        expect([set.alike('SHADE'), setOf('shade').alike('SHADE')]).toEqual([undefined, undefined]);
    });

    it('are counted with the planned changes, if their number was read', () => {
        const set = setOf('a', 'b');
        set.count = 2;
        set.remove(set.find('a')[0]!);
        set.addNew(planned('c'), 'c');
        set.remove(set.find('b')[0]!);
        expect(set.count).toBe(1);
    });

    it('of a dry run are forgotten from the first on where there are too many, which is said', () => {
        const set = new EntitySet(false, 2);
        for (const key of ['a', 'b']) set.addNew(planned(key), key);
        expect(set.settle()).toBe(false);
        set.addNew(planned('c'), 'c');
        expect(set.settle()).toBe(true);
        expect(['a', 'b', 'c'].map(key => set.find(key).length)).toEqual([0, 1, 1]);
    });

    it('of a dry run leave their keys where they are large, and one that is looked for is said', () => {
        const set = new EntitySet(false, 2, { key: variants.key, mostPlanned: 2 });
        set.addRead(stored(7, 'stored'), 'stored');
        set.touch(set.find('stored')[0]!);
        for (const key of ['a', 'b', 'c']) set.addNew(planned(key), key);
        expect(set.settle()).toBe(false);
        expect(['stored', 'a', 'b', 'c', 'd'].map(key => set.isForgotten(key))).toEqual([
            false,
            true,
            false,
            false,
            false,
        ]);
        expect([set.firstSeen('d'), set.settle()]).toEqual([undefined, false]);
        expect([set.firstSeen('a'), set.settle(), set.settle()]).toEqual([undefined, true, false]);
        set.addNew(planned('a'), 'a');
        expect(set.isForgotten('a')).toBe(false);
    });

    it('may get another key', () => {
        const set = setOf('a', 'b');
        const [first] = set.find('a');
        set.rename(first!, 'b');
        expect([set.find('a'), set.find('b').map(({ id }) => id)]).toEqual([[], [2, 1]]);
    });

    it('are found by what they belong to, stored or planned, as long as they are there', () => {
        const set = new UnitOfWork().of(variants);
        const [stored_, made] = [
            new ProductState(7, new Columns({}), 'lamp'),
            new ProductState(undefined, new Columns({}), 'sofa'),
        ];
        const [read, planned_] = [
            new VariantState(1, new Columns({ productId: 7 }), 'L'),
            new VariantState(undefined, new Columns({}), 'S'),
        ];
        planned_.madeFor = made;
        set.addRead(read, 'L');
        set.addNew(planned_, 'S');
        expect([set.ownedBy(stored_), set.ownedBy(made)]).toEqual([[read], [planned_]]);
        set.remove(planned_);
        set.settle();
        expect([set.ownedBy(stored_), set.ownedBy(made)]).toEqual([[], []]);
    });

    it('that others refer to are released if there are too many, since they can be read again', () => {
        const set = new EntitySet(false, 2);
        for (const [i, key] of ['a', 'b', 'c'].entries()) {
            set.addRead(stored(i + 1, key), key);
            set.keep(set.find(key)[0]!);
        }
        expect(set.settle()).toBe(false);
        expect(['a', 'b', 'c'].map(key => set.find(key).length)).toEqual([0, 1, 1]);
    });

    it('share their work with other parts, whose batches end with theirs', () => {
        class Asked extends Set<string> implements WorkPart {
            settle(): void {
                this.clear();
            }
        }
        const work = new UnitOfWork();
        work.part(Asked).add('lamp');
        expect(work.part(Asked).has('lamp')).toBe(true);
        work.settle();
        expect(work.part(Asked).has('lamp')).toBe(false);
    });

    it('take no longer to settle for all that was planned before', () => {
        const looks = (before: number): number => {
            const set = new EntitySet();
            let count = 0;
            const watched = (state: EntityState): EntityState =>
                new Proxy(state, {
                    get(target, property) {
                        count++;
                        return Reflect.get(target, property) as unknown;
                    },
                });
            for (let i = 0; i < before; i++) set.addNew(watched(planned(`${i}`)), `${i}`);
            set.addRead(watched(stored(1, 'read')), 'read');
            count = 0;
            set.settle();
            expect(set.find('read')).toEqual([]);
            return count;
        };
        expect(looks(1000)).toBe(looks(10));
    });
});
