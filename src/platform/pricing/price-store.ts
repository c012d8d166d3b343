import { ProductVariantPrice } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { Dialect } from '../../database/dialect';
import { EMPTY, column, name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import { type Id, type WriteTarget, insertNumbered, updateRows } from '../../database/write';

/** A price of a variant, as it is stored and as it is to be. */
export interface Price {
    readonly variantId: Id;
    readonly channelId: Id;
    readonly currency: string;
    /** Undefined where there is no row yet. */
    readonly id: Id | undefined;
    readonly stored: number | undefined;
    price: number;
}

interface Row {
    readonly id: Id;
    readonly variantId: Id;
    readonly channelId: Id;
    readonly currency: string;
    readonly price: unknown;
}

/** Which prices of the variants are read. */
export interface PriceSelection {
    /** Undefined: those of all channels. */
    readonly channelId: Id | undefined;
    /** Nobody else may change them until the commit. */
    readonly forUpdate: boolean;
}

/** Prices in bulk: one statement to read, two to write. */
export class PriceStore {
    private readonly target: WriteTarget;

    constructor(dataSource: DataSource, dialect: Dialect) {
        this.target = { table: tableOf(dataSource, ProductVariantPrice), dialect };
    }

    /** The largest amount that the money strategy's column takes. */
    get max(): number {
        return /big/i.test(this.target.table.typeOf('price')) ? Number.MAX_SAFE_INTEGER : 2_147_483_647;
    }

    *read(variantIds: readonly Id[], { channelId, forUpdate }: PriceSelection): Script<readonly Price[]> {
        if (variantIds.length === 0) return [];
        const { table, dialect } = this.target;
        const own = (property: string) => column('p', table.column(property).name);
        const rows = yield* select<Row>(sql`
            SELECT ${own('id')} AS ${name('id')}, ${own('variant')} AS ${name('variantId')}, ${own('channelId')} AS ${name('channelId')},
                ${own('currencyCode')} AS ${name('currency')}, ${own('price')} AS ${name('price')}
            FROM ${table.name} AS ${name('p')}
            WHERE ${dialect.oneOf(own('variant'), variantIds)}${channelId === undefined ? EMPTY : sql` AND ${own('channelId')} = ${channelId}`}
            ORDER BY ${own('id')}${forUpdate ? dialect.forUpdate : EMPTY}`);
        return rows.map(({ price: raw, ...row }) => {
            const price = Number(table.fromColumn('price', raw));
            return { ...row, stored: price, price };
        });
    }

    /** Stores the prices that changed; answers the ids of the created and of the updated ones. */
    *write(prices: readonly Price[]): Script<{ readonly created: readonly Id[]; readonly updated: readonly Id[] }> {
        const changed = prices.filter(({ price, stored }) => price !== stored);
        const updates = changed.flatMap(({ id, price }) => (id === undefined ? [] : [{ id, price }]));
        yield* updateRows(this.target, updates);
        const created = yield* insertNumbered(
            this.target,
            changed.flatMap(({ id, variantId, channelId, currency, price }) =>
                id === undefined ? [{ price, channelId, currencyCode: currency, variant: variantId }] : [],
            ),
        );
        return { created, updated: updates.map(({ id }) => id) };
    }
}
