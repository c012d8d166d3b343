import { Asset, Customer, ProductVariant, type EntityMetadataModifier, type RuntimeVendureConfig } from '@vendure/core';

/** What rows of the shop are found by, batch after batch, and what Vendure has no index on: without one, each batch reads the whole table (ADR 23). */
const LOOKED_UP = [
    { target: ProductVariant, property: 'sku', name: 'IDX_flow_product_variant_sku' },
    { target: Customer, property: 'emailAddress', name: 'IDX_flow_customer_email_address' },
    { target: Asset, property: 'source', name: 'IDX_flow_asset_source' },
] as const;

/**
 * Has the shop's own tables get an index for what Flow finds rows by, where they have none: by `synchronize`, or by the next migration that
 * the shop generates. `isAsked` false takes Flow's indexes out again (plugin option `lookupIndexes`).
 */
export function withLookupIndexes(config: RuntimeVendureConfig, isAsked: boolean): RuntimeVendureConfig {
    const { entityOptions } = config;
    const modifier: EntityMetadataModifier = ({ indices }) => {
        // A process that boots again finds what was added before.
        const others = indices.filter(({ name }) => !LOOKED_UP.some(own => own.name === name));
        const missing = LOOKED_UP.filter(
            ({ target, property }) =>
                !others.some(
                    ({ target: of, columns }) => of === target && Array.isArray(columns) && columns[0] === property,
                ),
        );
        const added = missing.map(({ target, property, name }) => ({
            target,
            name,
            columns: [property],
            unique: false,
            synchronize: true,
        }));
        indices.splice(0, indices.length, ...others, ...(isAsked ? added : []));
    };
    return {
        ...config,
        entityOptions: { ...entityOptions, metadataModifiers: [...(entityOptions.metadataModifiers ?? []), modifier] },
    };
}
