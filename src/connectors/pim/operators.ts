import { pimAsset } from './asset-operator';
import { pimCategory } from './category-operator';
import { pimProduct } from './product-operator';

/** What makes records for the shop's loads of what the PIM has. */
export const pimOperators = [pimProduct, pimCategory, pimAsset] as const;
