import { platformQuery } from './extractors/platform-query';
import { assetAttach } from './loaders/asset-attach';
import { applyCoupon } from './loaders/apply-coupon';
import { assetImport } from './loaders/asset-import';
import { channelUpsert } from './loaders/channel-upsert';
import { collectionUpsert } from './loaders/collection-upsert';
import { customerGroupUpsert } from './loaders/customer-group-upsert';
import { customerUpsert } from './loaders/customer-upsert';
import { entityDelete } from './loaders/entity-delete';
import { facetUpsert } from './loaders/facet-upsert';
import { facetValueUpsert } from './loaders/facet-value-upsert';
import { orderNote } from './loaders/order-note';
import { orderTransition } from './loaders/order-transition';
import { orderUpsert } from './loaders/order-upsert';
import { paymentMethodUpsert } from './loaders/payment-method-upsert';
import { priceUpdate } from './loaders/price-update';
import { productUpsert } from './loaders/product-upsert';
import { promotionUpsert } from './loaders/promotion-upsert';
import { shippingMethodUpsert } from './loaders/shipping-method-upsert';
import { stockAdjust } from './loaders/stock-adjust';
import { stockLocationUpsert } from './loaders/stock-location-upsert';
import { taxRateUpsert } from './loaders/tax-rate-upsert';
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
    taxRateUpsert,
    channelUpsert,
    assetAttach,
    promotionUpsert,
    shippingMethodUpsert,
    paymentMethodUpsert,
    assetImport,
    collectionUpsert,
    customerUpsert,
    orderUpsert,
    entityDelete,
    orderNote,
    orderTransition,
    applyCoupon,
] as const;

/** The rules that look into the shop. */
export const shopRules = [reference] as const;

/** The sources that read the shop. */
export const shopExtractors = [platformQuery] as const;
