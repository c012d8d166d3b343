import { Permission, StockLevel, StockLocation } from '@vendure/core';
import { describeEntity } from '../entities/description';
import { text } from '../entities/value-fields';
import { inColumn } from '../entities/delete-references';

/** Stock locations, found by their names, which may not be unique in the shop. */
export const stockLocation = describeEntity({
    name: 'StockLocation',
    called: ['stock location', 'stock locations'],
    type: StockLocation,
    key: { field: 'name', holds: 'name', among: 'channel' },
    isOfChannels: true,
    customFields: 'StockLocation',
    permissions: {
        read: [Permission.ReadStockLocation, Permission.ReadCatalog],
        create: [Permission.CreateStockLocation],
        update: [Permission.UpdateStockLocation],
        delete: [Permission.DeleteStockLocation],
    },
    fields: { description: text('description') },
    uses: [
        // Vendure would delete the stock with its location.
        inColumn({
            called: ['variant in stock', 'variants in stock'],
            of: StockLevel,
            property: 'stockLocationId',
            unlessZero: ['stockOnHand', 'stockAllocated'],
        }),
    ],
    keepsLast: true,
});
