import type { INestApplication } from '@nestjs/common';
import type { VendureConfig } from '@vendure/core';

/**
 * A shop that Flow has come to: a file in `shops/` each. Its database, with Flow's tables, is made once in a process of its own, since a
 * process can boot only one set of plugins, and is copied for each suite.
 */
export interface Shop {
    /** Custom fields, plugins with tables of their own, strategies. */
    readonly config: Partial<VendureConfig>;
    /** What it has beside the initial data. */
    readonly populate?: (app: INestApplication) => Promise<void>;
}

/** The names of the files in `shops/`. */
export type ShopName = 'plain' | 'catalogue';

/** Loads a shop by the name of its file. */
export function loadShop(name: ShopName): Shop {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- only the shop that is asked for may be evaluated
    return (require(`./shops/${name}`) as { shop: Shop }).shop;
}
