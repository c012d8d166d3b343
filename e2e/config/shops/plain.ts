import type { Shop } from '../shop';

/** Vendure as it comes. */
export const shop: Shop = { config: {} };
