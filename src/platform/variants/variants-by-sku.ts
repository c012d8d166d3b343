import { ProductVariant } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { Dialect } from '../../database/dialect';
import { column, name, select, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { Foreseen } from './foreseen';

/** A variant as a load that changes something of it finds it. */
export interface FoundVariant {
    readonly id: Id;
    readonly sku: string;
    /** How many variants of the channel have this SKU; no unique index keeps it at one. */
    readonly namesakes: number;
    /** Below it a plain number of stock is refused; undefined where the shop's own applies. */
    readonly outOfStockThreshold: number | undefined;
}

interface Row {
    readonly id: Id;
    readonly sku: string;
    readonly threshold: number;
    readonly usesGlobal: boolean | number;
}

/** Where variants are looked for. */
export interface VariantSearch {
    readonly channelId: Id;
    /** In a dry run: variants that it would have deleted, or put another in the place of, are left out. */
    readonly foreseen: Foreseen | undefined;
}

/** Finds variants of one channel by their SKUs, deleted ones left out: one statement. */
export class VariantFinder {
    private readonly variants;
    private readonly channels;

    constructor(
        dataSource: DataSource,
        private readonly dialect: Dialect,
        private readonly search: VariantSearch,
    ) {
        this.variants = tableOf(dataSource, ProductVariant);
        this.channels = joinTableOf(dataSource, ProductVariant, 'channels');
    }

    *find(skus: readonly string[]): Script<ReadonlyMap<string, FoundVariant>> {
        const found = new Map<string, FoundVariant>();
        if (skus.length === 0) return found;
        const { variants, channels, dialect } = this;
        const own = (property: string) => column('v', variants.column(property).name);
        const rows = yield* select<Row>(sql`
            SELECT ${own('id')} AS ${name('id')}, ${own('sku')} AS ${name('sku')},
                ${own('outOfStockThreshold')} AS ${name('threshold')}, ${own('useGlobalOutOfStockThreshold')} AS ${name('usesGlobal')}
            FROM ${variants.name} AS ${name('v')}
            JOIN ${channels.name} AS ${name('c')} ON ${column('c', channels.column('productVariantId').name)} = ${own('id')}
                AND ${column('c', channels.column('channelId').name)} = ${this.search.channelId}
            WHERE ${own('deletedAt')} IS NULL AND ${dialect.oneOf(own('sku'), [...new Set(skus)])}`);
        for (const { id, sku, threshold, usesGlobal } of rows) {
            if (this.search.foreseen?.replaces(sku)) continue;
            const namesakes = (found.get(sku)?.namesakes ?? 0) + 1;
            found.set(sku, { id, sku, namesakes, outOfStockThreshold: usesGlobal ? undefined : threshold });
        }
        return found;
    }
}

/** What is wrong with what was found for a SKU; undefined for nothing. */
export function foundProblem(found: FoundVariant | undefined): string | undefined {
    if (!found) return "no variant of the run's channel has this SKU";
    return found.namesakes > 1 ? `${found.namesakes} variants of the run's channel have this SKU` : undefined;
}
