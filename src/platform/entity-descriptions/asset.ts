import { Asset, AssetTranslation, Collection, Permission, Product, ProductVariant } from '@vendure/core';
import { describeEntity, translated } from '../entities/description';
import { inColumn } from '../entities/delete-references';

const property = 'featuredAsset';

/** Assets, found by where their files are stored. Several may have one name. */
export const asset = describeEntity({
    name: 'Asset',
    called: ['asset', 'assets'],
    type: Asset,
    texts: AssetTranslation,
    key: { field: 'source', holds: 'place of its file in the storage', among: 'shop' },
    isOfChannels: true,
    customFields: 'Asset',
    permissions: {
        read: [Permission.ReadCatalog, Permission.ReadAsset],
        create: [Permission.CreateCatalog, Permission.CreateAsset],
        update: [Permission.UpdateCatalog, Permission.UpdateAsset],
        delete: [Permission.DeleteCatalog, Permission.DeleteAsset],
    },
    fields: { name: translated('name') },
    further: ['preview'],
    // If it is one of several pictures, it is omitted, as in Vendure.
    uses: [
        inColumn({ called: ['product', 'products'], of: Product, property }),
        inColumn({ called: ['variant', 'variants'], of: ProductVariant, property }),
        inColumn({ called: ['collection', 'collections'], of: Collection, property }),
    ],
    leavesChannel: true,
});
