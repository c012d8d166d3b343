import { StockAdjustment, StockLevel } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { Dialect } from '../../database/dialect';
import { EMPTY, column, name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import { type Id, type WriteTarget, insertNumbered, insertRows, updateRows } from '../../database/write';

/** A variant's stock at one location, as it is stored and as it is to be. */
export interface Level {
    readonly variantId: Id;
    readonly locationId: Id;
    /** Undefined where there is no row yet. */
    readonly id: Id | undefined;
    readonly stored: number | undefined;
    current: number | undefined;
}

/** One step of a level's history: what StockMovementService.adjustProductVariantStock stores as an adjustment. */
export interface Adjustment {
    readonly variantId: Id;
    readonly locationId: Id;
    readonly quantity: number;
}

interface Row {
    readonly id: Id;
    readonly variantId: Id;
    readonly locationId: Id;
    readonly stockOnHand: number;
}

/** Stock levels and movements in bulk: one statement to read, three to write. What is allocated is never touched. */
export class StockLevels {
    private readonly levels: WriteTarget;
    private readonly movements: WriteTarget;

    constructor(dataSource: DataSource, dialect: Dialect) {
        this.levels = { table: tableOf(dataSource, StockLevel), dialect };
        this.movements = { table: tableOf(dataSource, StockAdjustment), dialect };
    }

    /** The stored levels of some variants at some locations; `forUpdate` keeps orders from changing them until the commit. */
    *read(
        variantIds: readonly Id[],
        locationIds: readonly Id[],
        options: { readonly forUpdate: boolean },
    ): Script<readonly Level[]> {
        if (variantIds.length === 0 || locationIds.length === 0) return [];
        const { table, dialect } = this.levels;
        const own = (property: string) => column('s', table.column(property).name);
        const rows = yield* select<Row>(sql`
            SELECT ${own('id')} AS ${name('id')}, ${own('productVariantId')} AS ${name('variantId')},
                ${own('stockLocationId')} AS ${name('locationId')}, ${own('stockOnHand')} AS ${name('stockOnHand')}
            FROM ${table.name} AS ${name('s')}
            WHERE ${dialect.oneOf(own('productVariantId'), variantIds)} AND ${dialect.oneOf(own('stockLocationId'), locationIds)}
            ORDER BY ${own('id')}${options.forUpdate ? dialect.forUpdate : EMPTY}`);
        return rows.map(({ stockOnHand, ...row }) => ({ ...row, stored: stockOnHand, current: stockOnHand }));
    }

    /** Stores levels that changed and the adjustments that brought them there; answers the adjustments' ids. */
    *write(levels: readonly Level[], adjustments: readonly Adjustment[]): Script<readonly Id[]> {
        const changed = levels.filter(level => level.current !== level.stored);
        yield* updateRows(
            this.levels,
            changed.flatMap(({ id, current }) => (id === undefined ? [] : [{ id, stockOnHand: current }])),
        );
        yield* insertRows(
            this.levels,
            changed.flatMap(({ id, variantId, locationId, current }) =>
                id === undefined
                    ? [
                          {
                              productVariantId: variantId,
                              stockLocationId: locationId,
                              stockOnHand: current,
                              stockAllocated: 0,
                          },
                      ]
                    : [],
            ),
        );
        return yield* insertNumbered(
            this.movements,
            adjustments.map(({ variantId, locationId, quantity }) => ({
                type: 'ADJUSTMENT',
                discriminator: 'StockAdjustment',
                quantity,
                productVariant: variantId,
                stockLocationId: locationId,
            })),
        );
    }
}
