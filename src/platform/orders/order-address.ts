import type { FieldReader } from '../entities/read-field';
import { LONG } from './order-parts';

/** The texts of an address, of a customer as well as of an order. */
export const ADDRESS_TEXTS = [
    'fullName',
    'company',
    'streetLine1',
    'streetLine2',
    'city',
    'province',
    'postalCode',
    'country',
    'phoneNumber',
] as const;

/** Sources with types, such as XLSX, have 10115 in the place of "10115". */
const MAY_BE_NUMBERS: ReadonlySet<string> = new Set([
    'company',
    'streetLine1',
    'streetLine2',
    'province',
    'postalCode',
    'phoneNumber',
]);

/** The fields of an order's address; `country` is the name, which `countryCode` determines if the shop knows it. */
export const ADDRESS_FIELDS = [...ADDRESS_TEXTS, 'countryCode'] as const;

export type OrderAddress = Readonly<Partial<Record<(typeof ADDRESS_FIELDS)[number], string>>>;

/** Reads an address; null and an empty object empty it. */
export function readAddress(reader: FieldReader, field: string): OrderAddress | null | undefined {
    if (reader.data[field] === null) return null;
    const inside = reader.inside(field);
    if (!inside) return undefined;
    const said: Array<readonly [string, string]> = [];
    for (const name of ADDRESS_TEXTS) {
        const digits = MAY_BE_NUMBERS.has(name) ? inside.digits(name) : undefined;
        const value = digits ?? inside.emptiableText(name, LONG);
        if (value !== undefined && value !== '') said.push([name, value]);
    }
    const code = inside.data['countryCode'] === null ? undefined : inside.unpadded('countryCode');
    if (code !== undefined && !/^[A-Za-z]{2}$/.test(code))
        inside.refuse('countryCode', 'allowed: two letters such as "DE"');
    else if (code !== undefined) said.push(['countryCode', code.toUpperCase()]);
    return Object.fromEntries(said);
}
