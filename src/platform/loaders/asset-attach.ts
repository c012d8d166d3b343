import { Permission } from '@vendure/core';
import { z } from 'zod';
import { defineLoader, type LoaderFixture } from '../../core/adapter/loader';
import { fieldArgument } from '../entities/entity-config';
import { LIST_MODES, loadArguments } from '../entities/load-arguments';
import { ATTACHED_TO, attachedBy, openAttaching } from '../entity-assets/attach-session';
import { ASSETS_NOTES, entityAssetArguments, mayCreateAssets } from '../entity-assets/read-assets';

const baseUrl = { pictureBaseUrl: 'https://pictures.example.com/' };
const at = (name: string): string => baseUrl.pictureBaseUrl + name;

/** What the examples begin with. */
const lamp: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] },
];
const pictured: readonly LoaderFixture[] = [
    ...lamp,
    { loader: 'assetAttach', config: baseUrl, records: [{ slug: 'desk-lamp', assets: ['lamp.png'] }] },
];

/** Assets of existing entities, in bulk: a separate feed of pictures. */
export const assetAttach = defineLoader({
    code: 'assetAttach',
    title: 'Attach assets',
    category: 'Catalogue',
    summary: 'Assigns assets to existing products, variants or collections.',
    config: z.strictObject({
        entity: z.enum(ATTACHED_TO).default('PRODUCT').meta({
            title: 'Entity',
            description: 'The type of entity: products and collections are matched by slug, variants by SKU.',
        }),
        slugField: fieldArgument('slug', 'slug of the product or collection'),
        skuField: fieldArgument('sku', 'SKU of the variant'),
        assetsField: fieldArgument('assets', 'list of assets'),
        featuredAssetField: fieldArgument('featuredAsset', 'featured asset'),
        ...entityAssetArguments,
        assetsMode: z.enum(LIST_MODES).default('MERGE').meta({
            title: 'Mode of assets',
            description:
                'MERGE: the assets are added after the existing ones. REPLACE: they replace the existing ones. REMOVE: they are removed. SKIP: the list is not changed.',
        }),
        sideEffects: loadArguments.sideEffects,
        history: loadArguments.history,
    }),
    notes: [
        'Users who may not create assets (CreateCatalog or CreateAsset) can assign existing images. A record with a new image is rejected.',
        'A record is {slug, assets, featuredAsset}, or {sku, assets, featuredAsset}. A record for an entity that does not exist is rejected.',
        ...ASSETS_NOTES,
    ],
    mayRequire: mayCreateAssets,
    requires: [[Permission.UpdateCatalog, Permission.UpdateProduct, Permission.UpdateCollection]],
    requiresFor: ({ entity }) => [
        [Permission.UpdateCatalog, entity === 'COLLECTION' ? Permission.UpdateCollection : Permission.UpdateProduct],
    ],
    fields: config =>
        new Map(
            ['__operation', attachedBy(config), config.assetsField, config.featuredAssetField].map(field => [
                field,
                undefined,
            ]),
        ),
    examples: [
        {
            config: baseUrl,
            given: lamp,
            in: [{ slug: 'desk-lamp', assets: ['lamp.png', 'shade.png'] }],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png', 'shade.png'],
            does: ['update'],
            after: [{ assets: [at('lamp.png'), at('shade.png')], featuredAsset: at('lamp.png') }],
        },
        {
            note: 'Assets are added after the existing ones. Loading the same record again changes nothing.',
            config: baseUrl,
            given: pictured,
            in: [
                { slug: 'desk-lamp', assets: ['shade.png', 'lamp.png'] },
                { slug: 'desk-lamp', assets: ['shade.png'] },
            ],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png', 'shade.png'],
            does: ['update', 'unchanged'],
            after: [{ assets: ['lamp.png', at('shade.png')] }],
        },
        {
            note: 'The assets of a record replace the existing ones.',
            config: { ...baseUrl, assetsMode: 'REPLACE' },
            given: pictured,
            in: [{ slug: 'desk-lamp', assets: ['shade.png'], featuredAsset: 'shade.png' }],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png', 'shade.png'],
            does: ['update'],
            after: [{ assets: [at('shade.png')], featuredAsset: at('shade.png') }],
        },
        {
            note: 'With null nothing is left.',
            config: { ...baseUrl, assetsMode: 'REPLACE' },
            given: pictured,
            in: [{ slug: 'desk-lamp', assets: null }],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png'],
            does: ['update'],
            after: [{ assets: [], featuredAsset: null }],
        },
        {
            note: 'An existing asset, by its name, for a variant.',
            config: { entity: 'PRODUCT_VARIANT' },
            given: pictured,
            in: [{ sku: 'LAMP-1', assets: [{ name: 'lamp.png' }] }],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png'],
            does: ['update'],
            after: [{ assets: ['lamp.png'], featuredAsset: 'lamp.png' }],
        },
        {
            config: baseUrl,
            given: lamp,
            in: [
                { slug: 'desk-lamp' },
                { slug: 'floor-lamp', assets: ['lamp.png'] },
                { slug: 'desk-lamp', assets: 'lamp.png' },
                { slug: 'desk-lamp', assets: [{ name: 'none.png' }] },
                { slug: 'desk-lamp', assets: [{ url: 'lamp.png', id: 1 }] },
                { slug: 'desk-lamp', featuredAsset: { base64: 'PGh0bWw+PC9odG1sPg==' } },
                { slug: 'desk-lamp', assets: ['lamp.png'] },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1', 'lamp.png', 'none.png'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['assets', 'slug', 'assets', 'assets.0.name', 'assets.0', 'featuredAsset.base64'],
        },
    ],
    open: openAttaching,
});
