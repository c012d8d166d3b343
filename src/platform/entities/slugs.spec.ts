import type { VendurePlatform } from '../context';
import { product as products } from '../entity-descriptions/product';
import { ProductState } from '../entity-descriptions/product-state';
import { Columns } from './columns';
import { UnitOfWork } from './unit-of-work';
import { moveSlug, slugReservations } from './slugs';

const english = { entity: products, platform: { ctx: { languageCode: 'en' } } as VendurePlatform };

/** A stored product that a dry run has read. */
function read(work: UnitOfWork, id: number, slug: string): ProductState {
    const state = new ProductState(id, new Columns({}), slug);
    state.setText('en', { id, columns: new Columns({ slug }) });
    work.of(products).addRead(state, slug);
    return state;
}

describe('the slugs of a dry run', () => {
    it('are those that its products would have, and the next batch reads the others again', () => {
        const work = new UnitOfWork();
        const claims = slugReservations(work, products);
        const moved = read(work, 1, 'old');
        claims.claimStored('en', 'old', moved.token);
        claims.claimStored('en', 'other', 'stored 2');
        claims.known(['old', 'other']);
        moveSlug(work, english, { state: moved, language: 'en', from: 'old', to: 'new' });
        work.of(products).touch(moved);
        work.settle();
        const taken = ['old', 'other', 'new'].map(slug => claims.isTaken({ language: 'en', slug, token: undefined }));
        expect(taken).toEqual([false, false, true]);
        expect([claims.isKnown('old'), work.of(products).find('new'), work.of(products).find('old')]).toEqual([
            false,
            [moved],
            [],
        ]);
    });

    it('of other languages do not find a product', () => {
        const work = new UnitOfWork();
        const moved = read(work, 1, 'lamp');
        moveSlug(work, english, { state: moved, language: 'de', from: undefined, to: 'lampe' });
        expect([work.of(products).find('lamp'), work.of(products).find('lampe')]).toEqual([[moved], []]);
        expect(slugReservations(work, products).isTaken({ language: 'de', slug: 'lampe', token: 'stored 2' })).toBe(
            true,
        );
    });
});
