import type { JsonObject } from '../value/json';
import type { ImportPlan, ImportTarget, Remedy } from './import-plan';

/** A LOAD step by its key. */
interface LoadStep {
    readonly key: string;
    readonly config: JsonObject;
}

type MissingAction = ImportPlan['missing']['action'];

const ZERO_STOCK = 'ZERO_STOCK';
/** Rows never ask for a deletion, so that publishing needs no permission for it. Records missing from the file can still be deleted. */
export const WITHOUT_DELETES = { allowDeletes: false } as const;
/** What each loader can do with records that are missing from the source. */
const MISSING: Readonly<Partial<Record<ImportTarget, readonly MissingAction[]>>> = {
    PRODUCTS: ['DISABLE', 'STOCK_ZERO', 'DELETE'],
    CUSTOMERS: ['DELETE'],
    COLLECTIONS: ['DISABLE', 'DELETE'],
};

/** Whether a record has to name a file, not an entity that gets pictures. */
function importsFiles({ fields }: ImportPlan): boolean {
    return fields.some(({ field }) => field === 'url' || field === 'base64');
}

/** The steps that write what a plan's target names, in their order. The history of an entity names the runs that have written it. */
export function loadSteps(plan: ImportPlan): readonly LoadStep[] {
    switch (plan.target) {
        case 'PRODUCTS':
            return [{ key: 'products', config: productConfig(plan) }];
        case 'PRICES':
            return [{ key: 'prices', config: { adapterCode: 'priceUpdate', history: true } }];
        case 'STOCK':
            return [{ key: 'stock', config: { adapterCode: 'stockAdjust', history: true } }];
        case 'CUSTOMERS':
            return [{ key: 'customers', config: customerConfig(plan) }];
        case 'COLLECTIONS':
            return [{ key: 'collections', config: collectionConfig(plan) }];
        case 'FACETS':
            return facetSteps(plan);
        case 'ASSETS':
            return [{ key: 'pictures', config: assetConfig(plan) }];
        case 'ORDERS':
            return [{ key: 'orders', config: { adapterCode: 'orderUpsert', mode: 'HISTORY', ...WITHOUT_DELETES } }];
    }
}

function has({ remedies }: ImportPlan, type: Remedy['type']): boolean {
    return remedies.some(remedy => remedy.type === type);
}

function productConfig(plan: ImportPlan): JsonObject {
    const hasFacets = plan.fields.some(({ field }) => field.startsWith('facet:') || field === 'collections');
    const createsValues = plan.createMissingFacetValues || has(plan, 'CREATE_FACET_VALUES');
    return {
        adapterCode: 'productUpsert',
        // Without a slug, the loader finds products by their names.
        matchBy: plan.matchBy === 'sku' ? 'sku' : 'slug',
        missingPrice: has(plan, 'CREATE_HIDDEN') ? 'DISABLE' : plan.prices.missing,
        createMissingFacetValues: createsValues,
        ...(hasFacets && { facetValuesMode: 'MERGE' }),
        ...pictureSettings(plan),
        ...WITHOUT_DELETES,
        history: true,
        ...missingSettings(plan),
    };
}

function customerConfig(plan: ImportPlan): JsonObject {
    return {
        adapterCode: 'customerUpsert',
        // A file has one address for a customer, who may have more in the shop.
        addressesMode: 'MERGE',
        ...WITHOUT_DELETES,
        history: true,
        ...missingSettings(plan),
    };
}

function collectionConfig(plan: ImportPlan): JsonObject {
    return {
        adapterCode: 'collectionUpsert',
        createMissingParents: true,
        ...pictureSettings(plan),
        ...WITHOUT_DELETES,
        history: true,
        ...missingSettings(plan),
    };
}

/** A record is a facet value with the name of its facet, so the first loader reads that name only. */
function facetSteps({ fields }: ImportPlan): readonly LoadStep[] {
    const values = {
        key: 'facet-values',
        config: { adapterCode: 'facetValueUpsert', ...WITHOUT_DELETES, history: true },
    };
    if (!fields.some(({ field }) => field === 'facet'))
        return [{ key: 'facets', config: { adapterCode: 'facetUpsert', ...WITHOUT_DELETES, history: true } }];
    const facets = {
        adapterCode: 'facetUpsert',
        codeField: 'facetCode',
        nameField: 'facet',
        translationsField: 'facetTranslations',
        customFieldsField: 'facetCustomFields',
        ...WITHOUT_DELETES,
        history: true,
    };
    return [{ key: 'facets', config: facets }, values];
}

function assetConfig(plan: ImportPlan): JsonObject {
    if (importsFiles(plan)) return { adapterCode: 'assetImport', history: true };
    const entity = plan.matchBy === 'sku' ? 'PRODUCT_VARIANT' : 'PRODUCT';
    return { adapterCode: 'assetAttach', entity, ...pictureSettings(plan), history: true };
}

function pictureSettings(plan: ImportPlan): JsonObject {
    return has(plan, 'SKIP_PICTURES') ? { onPictureError: 'SKIP' } : {};
}

/** Nothing is done where the target's loader has no such action. */
function missingSettings({ target, missing: { action, maxShare } }: ImportPlan): JsonObject {
    if (!MISSING[target]?.includes(action)) return { missing: { action: 'NONE' } };
    return { missing: { action: action === 'STOCK_ZERO' ? ZERO_STOCK : action, maxShare } };
}
