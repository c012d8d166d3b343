import { Asset, Customer, ProductVariant, type EntityMetadataModifier, type RuntimeVendureConfig } from '@vendure/core';

/**
 * The columns by which Flow finds the shop's rows in every batch and that Vendure does not index. Without an index, each batch reads the
 * whole table (ADR 23).
 */
const LOOKED_UP = [
    { target: ProductVariant, property: 'sku', name: 'IDX_flow_product_variant_sku' },
    { target: Customer, property: 'emailAddress', name: 'IDX_flow_customer_email_address' },
    { target: Asset, property: 'source', name: 'IDX_flow_asset_source' },
] as const;

/**
 * Adds indexes for Flow's look-ups to the shop's own tables, if these have none. They are created by `synchronize` or by the next migration
 * that the shop generates. If `isAsked` is false, Flow's indexes are removed (plugin option `lookupIndexes`).
 */
export function withLookupIndexes(config: RuntimeVendureConfig, isAsked: boolean): RuntimeVendureConfig {
    const { entityOptions } = config;
    const modifier: EntityMetadataModifier = ({ indices }) => {
        // When a process boots again, the indexes may already have been added.
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
