import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';

/** The names of fields of the shop's entities. */
export function useFieldNames(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return useMemo(
        () => ({
            sku: t({ message: 'SKU', context: 'flow field' }),
            name: t({ message: 'Name', context: 'flow field' }),
            slug: t({ message: 'Slug', context: 'flow field' }),
            code: t({ message: 'Code', context: 'flow field' }),
            description: t({ message: 'Description', context: 'flow field' }),
            price: t({ message: 'Price', context: 'flow field' }),
            stock: t({ message: 'Stock', context: 'flow field' }),
            enabled: t({ message: 'Enabled', context: 'flow field' }),
            taxCategory: t({ message: 'Tax category', context: 'flow field' }),
            featuredAsset: t({ message: 'Main picture', context: 'flow field' }),
            assets: t({ message: 'Pictures', context: 'flow field' }),
            collections: t({ message: 'Collections', context: 'flow field' }),
            position: t({ message: 'Position', context: 'flow field' }),
            parent: t({ message: 'Parent collection', context: 'flow field' }),
            facet: t({ message: 'Facet', context: 'flow field' }),
            emailAddress: t({ message: 'E-mail address', context: 'flow field' }),
            title: t({ message: 'Title', context: 'flow field' }),
            firstName: t({ message: 'First name', context: 'flow field' }),
            lastName: t({ message: 'Last name', context: 'flow field' }),
            fullName: t({ message: 'Full name', context: 'flow field' }),
            company: t({ message: 'Company', context: 'flow field' }),
            streetLine1: t({ message: 'Street', context: 'flow field' }),
            streetLine2: t({ message: 'Address line 2', context: 'flow field' }),
            postalCode: t({ message: 'Postal code', context: 'flow field' }),
            city: t({ message: 'City', context: 'flow field' }),
            province: t({ message: 'Province', context: 'flow field' }),
            country: t({ message: 'Country', context: 'flow field' }),
            phoneNumber: t({ message: 'Phone number', context: 'flow field' }),
            groups: t({ message: 'Customer groups', context: 'flow field' }),
            customer: t({ message: 'Customer (e-mail address)', context: 'flow field' }),
            orderPlacedAt: t({ message: 'Order date', context: 'flow field' }),
            state: t({ message: 'State', context: 'flow field' }),
            quantity: t({ message: 'Quantity', context: 'flow field' }),
            currencyCode: t({ message: 'Currency', context: 'flow field' }),
            totalWithTax: t({ message: 'Total with tax', context: 'flow field' }),
            shippingWithTax: t({ message: 'Shipping with tax', context: 'flow field' }),
        }),
        [t],
    );
}
