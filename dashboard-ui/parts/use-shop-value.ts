import { useChannel, useLocalFormat } from '@vendure/dashboard';
import { currencyAt } from './money';
import { cellText } from './record-fields';

/** A function that gives a value of the shop as text: amounts in minor units as money. */
export function useShopValue(): (path: string, value: unknown) => string {
    const { formatCurrency } = useLocalFormat();
    const { activeChannel } = useChannel();
    return (path, value) => {
        const currency = currencyAt(path, value, activeChannel?.defaultCurrencyCode);
        return currency === undefined ? cellText(value) : formatCurrency(value as number, currency);
    };
}
