import { customerGroupUpsert } from './loaders/customer-group-upsert';
import { facetUpsert } from './loaders/facet-upsert';
import { facetValueUpsert } from './loaders/facet-value-upsert';
import { priceUpdate } from './loaders/price-update';
import { productUpsert } from './loaders/product-upsert';
import { stockAdjust } from './loaders/stock-adjust';
import { stockLocationUpsert } from './loaders/stock-location-upsert';
import { variantUpsert } from './loaders/variant-upsert';
import { reference } from './rules/reference';

/** The loads that write the shop. */
export const loaders = [
    productUpsert,
    variantUpsert,
    stockAdjust,
    priceUpdate,
    facetUpsert,
    facetValueUpsert,
    stockLocationUpsert,
    customerGroupUpsert,
] as const;

/** The rules that look into the shop. */
export const shopRules = [reference] as const;
