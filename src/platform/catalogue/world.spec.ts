import { Columns } from '../entities/columns';
import { ProductState, VariantState } from './state';
import { slugKey, World } from './world';

function product(id: number | undefined, slug: string): ProductState {
    const state = new ProductState(id, new Columns({ enabled: true }));
    state.texts.set('en', { id: undefined, columns: new Columns({ name: slug, slug }) });
    return state;
}

const variant = (id: number | undefined, sku: string, of: ProductState): VariantState =>
    new VariantState(id, new Columns({ sku }), of);

describe('the products and variants of a dry run', () => {
    it('are let go of when their batch ends, save those for which something is planned', () => {
        const world = new World('en');
        const [read, changed, made] = [product(1, 'read'), product(2, 'changed'), product(undefined, 'made')];
        for (const one of [read, changed, made]) world.addProduct(one);
        for (const [one, of] of [
            [variant(1, 'R', read), read],
            [variant(2, 'C', changed), changed],
            [variant(undefined, 'M', made), made],
        ] as const)
            world.addVariant(Object.assign(one, { isTouched: of === changed }));
        changed.isTouched = true;
        world.forgetUnchanged();
        expect(['read', 'changed', 'made'].map(slug => world.bySlug.has(slug))).toEqual([false, true, true]);
        expect(['R', 'C', 'M'].map(sku => world.bySku.has(sku))).toEqual([false, true, true]);
        expect([world.variantsOf(changed), world.variantsOf(made)].map(({ length }) => length)).toEqual([1, 1]);
    });

    it('keep the slugs that they would have, and ask anew who has the others', () => {
        const world = new World('en');
        const moved = product(1, 'old');
        world.addProduct(moved);
        world.claimStored(slugKey('en', 'old'), 1);
        world.claimStored(slugKey('en', 'other'), 2);
        moved.texts.get('en')!.columns.set('slug', 'new');
        world.moveSlug(moved, 'en', { from: 'old', to: 'new' });
        moved.isTouched = true;
        world.probedSlugs.add('old');
        world.forgetUnchanged();
        expect([...world.slugs.keys()]).toEqual([slugKey('en', 'new')]);
        expect([world.probedSlugs.size, world.bySlug.get('new')]).toEqual([0, moved]);
    });

    it('take no longer to end a batch for all that was planned before', () => {
        const looks = (before: number): number => {
            const world = new World('en');
            let count = 0;
            const watched = <T extends ProductState | VariantState>(state: T): T =>
                new Proxy(state, {
                    get(target, property) {
                        count++;
                        return Reflect.get(target, property) as unknown;
                    },
                });
            for (let i = 0; i < before; i++) {
                const planned = watched(product(undefined, `${i}`));
                world.addProduct(planned);
                world.addVariant(watched(variant(undefined, `${i}`, planned)));
            }
            world.forgetUnchanged();
            world.addProduct(watched(product(before, 'read')));
            count = 0;
            world.forgetUnchanged();
            return count;
        };
        expect(looks(1000)).toBe(looks(10));
    });
});
