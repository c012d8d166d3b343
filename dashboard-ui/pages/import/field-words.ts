import { useLingui } from '@lingui/react/macro';
import { useDisplayLocale } from '@vendure/dashboard';
import { useMemo } from 'react';
import { useWizard } from './wizard-context';

/** The names of fields of a plan: `price.USD` is “Price (USD)”, `facet:Brand` is “Facet “Brand””. */
export function useFieldWords(): (field: string) => string {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const { suggestion } = useWizard().state;
    return useMemo(() => {
        const languages = new Intl.DisplayNames(bcp47Tag, { type: 'language', fallback: 'code' });
        const words: Readonly<Record<string, string>> = {
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
        };
        const custom = new Map(suggestion?.shop.customFields.map(({ field, label }) => [field, label]));
        const labels = new Map(suggestion?.fields.map(({ field, label }) => [field, label]));
        return field => {
            const known = custom.get(field.replace(/^variants\.\d+\./, '')) ?? labels.get(field);
            if (known) return known;
            const [kind, name] = divided(field, ':');
            if (kind === 'facet' && name !== undefined) return t`Facet “${name}”`;
            if (kind === 'option' && name !== undefined) return t`Option “${name}”`;
            if (field.startsWith('shippingAddress.'))
                return t`Shipping address: ${words[lastOf(field)] ?? lastOf(field)}`;
            if (field.startsWith('billingAddress.'))
                return t`Billing address: ${words[lastOf(field)] ?? lastOf(field)}`;
            const [base, detail] = divided(field, '.');
            const word = words[base];
            if (word !== undefined && detail === undefined) return word;
            if (word !== undefined && detail !== undefined && words[lastOf(field)] === undefined) {
                const what = base === 'price' ? detail : (languages.of(detail.replaceAll('_', '-')) ?? detail);
                return `${word} (${what})`;
            }
            return words[lastOf(field)] ?? field;
        };
    }, [t, bcp47Tag, suggestion]);
}

function divided(text: string, by: string): readonly [string, string?] {
    const at = text.indexOf(by);
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function lastOf(field: string): string {
    return field.slice(field.lastIndexOf('.') + 1);
}
