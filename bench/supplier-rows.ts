import type { JsonObject } from '../src/core/value/json';

/** A supplier's row, as the operators receive it. */
export function supplierRow(i: number): JsonObject {
    return {
        id: `A-${i}`,
        title: `  Trail Shoe No. ${i} Café  `,
        amount: `${(i % 500) + 0.95}`,
        brand: 'Nordfjell',
        colour: i % 2 ? 'Moss' : 'Slate',
        tags: 'a|b|c',
        stock: String(i % 90),
    };
}

/** The five operators of the limit, as calls. */
export const FIVE = [
    { op: 'map', args: { mapping: { sku: 'id', name: 'title', price: 'amount', brand: 'brand', colour: 'colour' } } },
    { op: 'trim', args: { path: 'name' } },
    { op: 'slugify', args: { source: 'name', target: 'slug' } },
    { op: 'toCents', args: { source: 'price', target: 'price' } },
    { op: 'template', args: { template: '${brand}: ${name}', target: 'label' } },
] as const;

/** The same by hand, as a developer would write it for exactly this task: one new object per record. */
export function byHand(row: JsonObject): JsonObject {
    const name = String(row['title']).trim();
    const [units = '0', fraction = ''] = String(row['amount']).split('.');
    const slug = name
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, '');
    const digits = `${fraction}000`;
    const price = Number(units) * 100 + Number(digits.slice(0, 2)) + (Number(digits[2]) >= 5 ? 1 : 0);
    return {
        sku: row['id']!,
        name,
        price,
        brand: row['brand']!,
        colour: row['colour']!,
        slug,
        label: `${String(row['brand'])}: ${name}`,
    };
}
