import type { PimCatalogue } from '../test/kit/pim/catalogue';

const CHANGED = 100;
const DELETED = 20;
const UNPUBLISHED = 50;

/** A day's changes in the PIM: 100 products changed, 20 deleted, 50 unpublished. They are the same in every process. */
export function changePim(catalogue: PimCatalogue): void {
    const all = [...catalogue.products.values()];
    for (const product of all.slice(0, CHANGED))
        catalogue.touch(product, one => {
            one.price += 1;
            one.name = { ...one.name, de: `${one.name['de']!} neu` };
        });
    for (const { id } of all.slice(CHANGED, CHANGED + DELETED)) catalogue.products.delete(id);
    for (const product of all.slice(CHANGED + DELETED, CHANGED + DELETED + UNPUBLISHED))
        catalogue.touch(product, one => (one.isPublished = false));
}
