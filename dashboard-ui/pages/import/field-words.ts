import { useLingui } from '@lingui/react/macro';
import { useDisplayLocale } from '@vendure/dashboard';
import { useMemo } from 'react';
import { useFieldNames } from '../../parts/use-field-names';
import { useWizard } from './wizard-context';

/** The names of fields of a plan: `price.USD` is “Price (USD)”, `facet:Brand` is “Facet “Brand””. */
export function useFieldWords(): (field: string) => string {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const { suggestion } = useWizard().state;
    const words = useFieldNames();
    return useMemo(() => {
        const languages = new Intl.DisplayNames(bcp47Tag, { type: 'language', fallback: 'code' });
        const custom = new Map(suggestion?.shop.customFields.map(({ field, label }) => [field, label]));
        const labels = new Map(suggestion?.fields.map(({ field, label }) => [field, label]));
        return field => {
            const known = custom.get(field.replace(/^variants\.\d+\./, '')) ?? labels.get(field);
            if (known) return known;
            const [kind, name] = divided(field, ':');
            if (kind === 'facet' && name !== undefined) return t`Facet “${name}”`;
            if (kind === 'option' && name !== undefined) return t`Option “${name}”`;
            if (kind === 'stock' && name !== undefined) return t`Stock at “${name}”`;
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
    }, [t, bcp47Tag, suggestion, words]);
}

function divided(text: string, by: string): readonly [string, string?] {
    const at = text.indexOf(by);
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function lastOf(field: string): string {
    return field.slice(field.lastIndexOf('.') + 1);
}
