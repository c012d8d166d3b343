import type { Batch } from '../../core/data/record';
import type { JsonObject } from '../../core/value/json';
import { type GivenKey, KeyVariants } from './key-variants';
import { slugOf } from './slug';

const keyOf = ({ slug, name, gone = false }: JsonObject): GivenKey | undefined =>
    typeof slug === 'string'
        ? { given: slug, stored: slugOf(slug), name: name as string | undefined, isDelete: gone as boolean }
        : undefined;
const batch = (...records: readonly JsonObject[]): Batch => records.map(data => ({ data })) as unknown as Batch;
const variantsOfRun = (): KeyVariants => new KeyVariants(records => records.map(({ data }) => keyOf(data)));
const FLOUR = { slug: 'Mehl 1,5 kg', name: 'Flour' };
const STORED = 'mehl-15-kg';

describe('keys that a run has given in another spelling', () => {
    const conflict = (variants: KeyVariants, name: string | undefined, key = STORED) =>
        variants.conflict(key, { name, called: 'product' });

    it('belong to the entity of that record: the stored spelling with another name does not', () => {
        expect(slugOf(FLOUR.slug)).toBe(STORED);
        const variants = variantsOfRun();
        variants.loaded(batch(FLOUR));
        expect(conflict(variants, 'Sugar')).toContain('Mehl 1,5 kg');
        expect([conflict(variants, 'FLOUR'), conflict(variants, 'Sugar', 'sugar')]).toEqual([undefined, undefined]);
        // Without a name, a record is called like its key.
        expect(conflict(variants, undefined)).toBeDefined();
    });

    it('count from the next batch on, since the records of one batch are compared elsewhere', () => {
        const variants = variantsOfRun();
        variants.add({ given: FLOUR.slug, stored: STORED, name: FLOUR.name });
        variants.add({ given: 'plain', stored: 'plain', name: 'Plain' });
        expect(conflict(variants, 'Sugar')).toBeUndefined();
        variants.endBatch();
        expect(conflict(variants, 'Sugar')).toBeDefined();
        expect(conflict(variants, 'Other', 'plain')).toBeUndefined();
    });

    it('are stored with their records, except those of deletes and those that are stored as they are given', () => {
        const records = batch(FLOUR, { ...FLOUR, gone: true }, { slug: 'sugar', name: 'Sugar' }, { name: 'None' });
        const memos = variantsOfRun().loaded(records);
        expect(memos).toEqual([{ record: records[0], key: STORED, value: ['Mehl 1,5 kg', 'Flour'] }]);
    });

    it('are looked up for unknown keys in the stored spelling, and are known afterwards', () => {
        const variants = variantsOfRun();
        const records = batch({ slug: STORED, name: 'Sugar' }, FLOUR, { name: 'None' });
        expect(variants.keysOf(records)).toEqual([STORED]);
        variants.recalled(new Map([[STORED, ['Mehl 1,5 kg', 'Flour']]]));
        expect([variants.keysOf(records), conflict(variants, 'Sugar') === undefined]).toEqual([[], false]);
    });

    it('are forgotten, the first one first, if a run has too many', () => {
        const variants = variantsOfRun();
        const many = Array.from({ length: 50_001 }, (_, i) => [`key-${i}`, [`Key ${i}`, `Name ${i}`]] as const);
        variants.recalled(new Map(many.slice(0, 50_000)));
        expect([variants.isWhole, conflict(variants, 'x', 'key-0') === undefined]).toEqual([true, false]);
        variants.recalled(new Map(many.slice(50_000)));
        expect([variants.isWhole, conflict(variants, 'x', 'key-0') === undefined]).toEqual([false, true]);
        expect(conflict(variants, 'x', 'key-50000')).toBeDefined();
    });
});
