import { pimAsset } from './asset-operator';
import { pimCategory } from './category-operator';
import { pimProduct } from './product-operator';

/** The operators that make records for the shop's loaders from the PIM's data. */
export const pimOperators = [pimProduct, pimCategory, pimAsset] as const;
