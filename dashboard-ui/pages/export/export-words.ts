import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useFieldNames } from '../../parts/use-field-names';
import type { FieldGroup, OfferedField } from './export-fields';
import type { ExportDestination, ExportEntity, ExportFormat } from './export-plan';

/** A choice with an explanation. */
export interface ChoiceWords {
    readonly name: string;
    readonly help: string;
}

/** What can be exported. */
export function useEntityWords(): Readonly<Record<ExportEntity, ChoiceWords>> {
    const { t } = useLingui();
    return {
        VARIANTS: {
            name: t({ message: 'Products and variants', context: 'flow export' }),
            help: t`One row per variant. The file can be edited and imported again.`,
        },
        PRODUCTS: {
            name: t({ message: 'Products only', context: 'flow export' }),
            help: t`One row per product, without SKUs and prices.`,
        },
        CUSTOMERS: {
            name: t({ message: 'Customers', context: 'flow export' }),
            help: t`Names, e-mail addresses and the first postal address.`,
        },
        ORDERS: {
            name: t({ message: 'Orders', context: 'flow export' }),
            help: t`One row per order, or one per order line.`,
        },
        COLLECTIONS: {
            name: t({ message: 'Collections', context: 'flow export' }),
            help: t`Names, slugs and parents.`,
        },
        FACET_VALUES: {
            name: t({ message: 'Facets and values', context: 'flow export' }),
            help: t`One row per facet value.`,
        },
    };
}

/** The formats. */
export function useFormatWords(): Readonly<Record<ExportFormat, ChoiceWords>> {
    const { t } = useLingui();
    return {
        CSV: { name: 'CSV', help: t`For spreadsheets and most other programs.` },
        XLSX: { name: 'Excel (XLSX)', help: t`A workbook. Numbers stay numbers, texts are never formulas.` },
        JSON: { name: 'JSON', help: t`A list of objects.` },
        NDJSON: { name: 'NDJSON', help: t`One JSON object per line.` },
        XML: { name: 'XML', help: t`An element per record.` },
        GOOGLE: {
            name: 'Google Merchant Center',
            help: t`An XML feed with fixed attributes, checked against Google’s rules.`,
        },
        META: {
            name: 'Meta (Facebook, Instagram)',
            help: t`A CSV feed with fixed attributes, checked against Meta’s rules.`,
        },
    };
}

/** Where the file goes. */
export function useDestinationWords(): Readonly<Record<ExportDestination, ChoiceWords>> {
    const { t } = useLingui();
    return {
        DOWNLOAD: {
            name: t({ message: 'Download', context: 'flow export' }),
            help: t`Your browser saves the file when it is complete.`,
        },
        FILE: {
            name: t({ message: 'File in Flow', context: 'flow export' }),
            help: t`Kept under Files. A newer one replaces it.`,
        },
        FEED: {
            name: t({ message: 'Feed address', context: 'flow export' }),
            help: t`An address that always serves the newest file.`,
        },
        SFTP: {
            name: t({ message: 'SFTP or FTP', context: 'flow export' }),
            help: t`Uploaded to a folder of a saved connection.`,
        },
        S3: {
            name: t({ message: 'S3 object storage', context: 'flow export' }),
            help: t`Stored in the bucket of a saved connection.`,
        },
        HTTP: {
            name: t({ message: 'HTTP', context: 'flow export' }),
            help: t`Sent with PUT to a saved connection.`,
        },
    };
}

/** The groups of the tree of fields. */
export function useGroupWords(): Readonly<Record<FieldGroup, string>> {
    const { t } = useLingui();
    return {
        ITSELF: t({ message: 'Fields', context: 'flow export' }),
        PRODUCT: t({ message: 'Product', context: 'flow export' }),
        VARIANT: t({ message: 'Variant', context: 'flow export' }),
        FACETS: t({ message: 'Facets', context: 'flow export' }),
        CUSTOM: t({ message: 'Custom fields', context: 'flow export' }),
        ADDRESS: t({ message: 'Address', context: 'flow export' }),
        CUSTOMER: t({ message: 'Customer', context: 'flow export' }),
        LINES: t({ message: 'Order lines (one row per line)', context: 'flow export' }),
        SHIPPING: t({ message: 'Shipping address', context: 'flow export' }),
        BILLING: t({ message: 'Billing address', context: 'flow export' }),
    };
}

/** The names of fields: those of the shop, or words for the column. */
export function useOfferedWords(): (field: OfferedField) => string {
    const { t } = useLingui();
    const names = useFieldNames();
    return useMemo(() => {
        const own: Readonly<Record<string, string>> = {
            variantName: names['name'] ?? '',
            variantEnabled: names['enabled'] ?? '',
            variantAssets: names['assets'] ?? '',
            variantFacets: t({ message: 'Facet values', context: 'flow field' }),
            optionGroups: t({ message: 'Names of options', context: 'flow field' }),
            optionValues: t({ message: 'Options', context: 'flow field' }),
            trackInventory: t({ message: 'Track inventory', context: 'flow field' }),
            variantId: 'ID',
            productId: 'ID',
            id: 'ID',
            createdAt: t({ message: 'Created', context: 'flow field' }),
            facetCode: t({ message: 'Code of the facet', context: 'flow field' }),
            isPrivate: t({ message: 'Private', context: 'flow field' }),
            total: t({ message: 'Total without tax', context: 'flow field' }),
            shipping: t({ message: 'Shipping without tax', context: 'flow field' }),
            totalQuantity: names['quantity'] ?? '',
            lineSku: names['sku'] ?? '',
            lineName: names['name'] ?? '',
            lineQuantity: names['quantity'] ?? '',
            linePrice: t({ message: 'Price without tax, with discounts', context: 'flow field' }),
            linePriceWithTax: t({ message: 'Price with tax, with discounts', context: 'flow field' }),
            lineTaxRate: t({ message: 'Tax rate', context: 'flow field' }),
            customer: names['emailAddress'] ?? '',
            customerFirstName: names['firstName'] ?? '',
            customerLastName: names['lastName'] ?? '',
        };
        return ({ column, label }) => {
            if (label !== undefined) return label;
            const plain = /^(?:shipping|billing)([A-Z].*)$/.exec(column)?.[1];
            const inAddress = plain && names[plain[0]!.toLowerCase() + plain.slice(1)];
            return own[column] ?? names[column] ?? inAddress ?? column;
        };
    }, [t, names]);
}
