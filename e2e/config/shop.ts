import type { INestApplication } from '@nestjs/common';
import type { VendureConfig } from '@vendure/core';

/**
 * A shop that uses Flow: one file in `shops/` each. Its database, with Flow's tables, is created once in a separate process, since a
 * process can start only one set of plugins, and is copied for each suite.
 */
export interface Shop {
    /** Custom fields, plugins with tables, strategies. */
    readonly config: Partial<VendureConfig>;
    /** What it has in addition to the initial data. */
    readonly populate?: (app: INestApplication) => Promise<void>;
}

/** The names of the files in `shops/`. */
export type ShopName = 'plain' | 'catalogue';

/** Loads a shop by the name of its file. */
export function loadShop(name: ShopName): Shop {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- only the requested shop may be evaluated
    return (require(`./shops/${name}`) as { shop: Shop }).shop;
}
