import { createHash } from 'node:crypto';
import Decimal from 'decimal.js';
import { DROP } from '../src/core/adapter/operator';
import type { JsonObject, JsonValue } from '../src/core/value/json';
import type { operators } from '../src/core/operators';

type Code = Extract<(typeof operators)[number], { form: 'record' }>['code'];

/**
 * An operator with arguments, and the same logic by hand for these arguments only, both applied to a record of
 * `article`.
 */
export interface Duel {
    readonly args: JsonObject;
    readonly byHand: (row: Article) => unknown;
}

/** An article as suppliers deliver it, with something for every operator. */
export function article(i: number) {
    return {
        sku: `A-${i}`,
        title: `  Trail Shoe No. ${i} Café  `,
        price: `${(i % 500) + 0.95}`,
        net: (i % 500) + 0.125,
        brand: 'Nordfjell',
        tags: 'red|green|blue',
        sizes: ['S', 'M', 'M', 'L'],
        nested: [[1], [2, [3]]],
        stock: i % 90,
        weight: '1.25',
        description: `<p>Rot &amp; <b>grün</b> ${i}</p>`,
        localised: '1.234,50',
        date: '2026-03-29',
        day: '31.12.2026',
        json: '{"a":[1,2]}',
        size: 'Ø 35 x 120 mm',
        mail: `info${i}@example.com`,
        name: { de: null, en: 'Shoe' },
        empty: null,
        code: i % 3 === 0 ? 'A' : 'B',
        variants: [{ id: 1 }, { id: 2 }],
    };
}
export type Article = ReturnType<typeof article>;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const STARTED = new Date(0).toISOString();
const COLOURS: Readonly<Record<string, string>> = { Nordfjell: 'north', Südwind: 'south' };
const DNS = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');
const german = new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function without<K extends keyof Article>(row: Article, key: K): Omit<Article, K> {
    const { [key]: _gone, ...rest } = row;
    return rest;
}

function uuidOf(hex: string, version: number): string {
    const variant = ((parseInt(hex[16]!, 16) & 3) | 8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Each operator with its most usual arguments. Money by hand is decimal as well, since the results must be equal. A new
 * operator may be missing here.
 */
export const DUELS: { readonly [C in Code]?: Duel } = {
    count: { args: { source: 'sizes', target: 'n' }, byHand: row => ({ ...row, n: row.sizes.length }) },
    unique: { args: { source: 'sizes' }, byHand: row => ({ ...row, sizes: [...new Set(row.sizes)] }) },
    flatten: { args: { source: 'nested' }, byHand: row => ({ ...row, nested: row.nested.flat() }) },
    first: { args: { source: 'sizes', target: 'one' }, byHand: row => ({ ...row, one: row.sizes[0] }) },
    last: { args: { source: 'sizes', target: 'one' }, byHand: row => ({ ...row, one: row.sizes.at(-1) }) },
    expand: {
        args: { path: 'variants', parentFields: { product: 'sku', label: 'title' } },
        byHand: ({ variants, sku, title }) => variants.map(variant => ({ ...variant, product: sku, label: title })),
    },
    map: {
        args: { mapping: { id: 'sku', label: 'title', cost: 'price' } },
        byHand: ({ sku, title, price }) => {
            const out: { id?: string; label?: string; cost?: string } = {};
            if (sku !== undefined) out.id = sku;
            if (title !== undefined) out.label = title;
            if (price !== undefined) out.cost = price;
            return out;
        },
    },
    set: { args: { path: 'enabled', value: true }, byHand: row => ({ ...row, enabled: true }) },
    remove: { args: { path: 'tags' }, byHand: row => without(row, 'tags') },
    rename: { args: { from: 'tags', to: 'labels' }, byHand: row => ({ ...without(row, 'tags'), labels: row.tags }) },
    copy: { args: { source: 'brand', target: 'maker' }, byHand: row => ({ ...row, maker: row.brand }) },
    template: {
        args: { template: '${brand}: ${sku}', target: 'label' },
        byHand: row => ({ ...row, label: `${row.brand}: ${row.sku}` }),
    },
    hash: {
        args: { source: 'title', target: 'h' },
        byHand: row => ({ ...row, h: createHash('sha256').update(row.title).digest('hex') }),
    },
    uuid: {
        args: { target: 'id', version: 'v5', namespace: 'dns', source: 'sku' },
        byHand: row => ({ ...row, id: uuidOf(createHash('sha1').update(DNS).update(row.sku).digest('hex'), 5) }),
    },
    validateRequired: {
        args: { fields: ['sku', 'title', 'price'] },
        byHand: row => {
            for (const field of ['sku', 'title', 'price'] as const)
                if (row[field] == null || row[field].trim() === '') throw new Error(field);
            return row;
        },
    },
    validateFormat: {
        args: { field: 'mail', pattern: '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$' },
        byHand: row => {
            if (!/^[^@\s]+@[^@\s]+\.[a-z]{2,}$/.test(row.mail)) throw new Error(row.mail);
            return row;
        },
    },
    dateFormat: {
        args: { source: 'date', target: 'text', format: 'DD.MM.YYYY' },
        byHand: row => {
            const [year, month, day] = new Date(row.date).toISOString().slice(0, 10).split('-');
            return { ...row, text: `${day!}.${month!}.${year!}` };
        },
    },
    dateParse: {
        args: { source: 'day', target: 'on', format: 'DD.MM.YYYY' },
        byHand: row => {
            const [, day, month, year] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(row.day)!;
            const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
            return date.getUTCDate() === Number(day) ? { ...row, on: date.toISOString() } : row;
        },
    },
    dateAdd: {
        args: { source: 'date', target: 'on', amount: 3, unit: 'days' },
        byHand: row => ({ ...row, on: new Date(Date.parse(row.date) + 3 * 86_400_000).toISOString() }),
    },
    dateDiff: {
        args: { startDate: 'date', endDate: 'date', target: 'days', unit: 'days' },
        byHand: row => ({ ...row, days: Math.trunc((Date.parse(row.date) - Date.parse(row.date)) / 86_400_000) }),
    },
    now: { args: { target: 'at' }, byHand: row => ({ ...row, at: STARTED }) },
    lookup: {
        args: { source: 'brand', map: COLOURS, target: 'side' },
        byHand: row => (Object.hasOwn(COLOURS, row.brand) ? { ...row, side: COLOURS[row.brand] } : row),
    },
    coalesce: {
        args: { paths: ['name.de', 'name.en'], target: 'label' },
        byHand: row => ({ ...row, label: row.name.de ?? row.name.en }),
    },
    enrich: {
        args: { set: { source: 'ERP' }, defaults: { stock: 0, enabled: true } },
        byHand: row => ({
            ...row,
            source: 'ERP',
            stock: row.stock ?? 0,
            enabled: (row as { enabled?: boolean }).enabled ?? true,
        }),
    },
    default: { args: { path: 'empty', value: 0 }, byHand: row => ({ ...row, empty: row.empty ?? 0 }) },
    parseJson: {
        args: { source: 'json', target: 'data' },
        byHand: row => ({ ...row, data: JSON.parse(row.json) as JsonValue }),
    },
    stringifyJson: {
        args: { source: 'variants', target: 'text' },
        byHand: row => ({ ...row, text: JSON.stringify(row.variants) }),
    },
    pick: {
        args: { fields: ['sku', 'title', 'price'] },
        byHand: ({ sku, title, price }) => {
            const out: { sku?: string; title?: string; price?: string } = {};
            if (sku !== undefined) out.sku = sku;
            if (title !== undefined) out.title = title;
            if (price !== undefined) out.price = price;
            return out;
        },
    },
    omit: {
        args: { fields: ['description', 'tags'] },
        byHand: ({ description: _description, tags: _tags, ...rest }) => rest,
    },
    when: {
        args: { conditions: [{ field: 'stock', cmp: 'gt', value: 10 }] },
        byHand: row => (row.stock > 10 ? row : DROP),
    },
    ifThenElse: {
        args: {
            condition: { field: 'stock', cmp: 'gt', value: 10 },
            thenValue: 'in',
            elseValue: 'out',
            target: 'state',
        },
        byHand: row => ({ ...row, state: row.stock > 10 ? 'in' : 'out' }),
    },
    switch: {
        args: {
            source: 'code',
            cases: [
                { value: 'A', result: 1 },
                { value: 'B', result: 2 },
            ],
            target: 'kind',
        },
        byHand: row => ({ ...row, kind: row.code === 'A' ? 1 : row.code === 'B' ? 2 : undefined }),
    },
    math: {
        args: { operation: 'multiply', source: 'price', operand: 1.19, target: 'gross', decimals: 2 },
        byHand: row => ({
            ...row,
            gross: new Decimal(row.price).times(1.19).toDecimalPlaces(2, Decimal.ROUND_HALF_UP).toNumber(),
        }),
    },
    currency: {
        args: { source: 'price', target: 'minor', decimals: 2 },
        byHand: row => ({
            ...row,
            minor: new Decimal(row.price).times(100).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber(),
        }),
    },
    unit: {
        args: { source: 'weight', target: 'grams', from: 'kg', to: 'g' },
        byHand: row => ({ ...row, grams: new Decimal(row.weight).times(1000).toNumber() }),
    },
    toNumber: {
        args: { source: 'price', target: 'n' },
        byHand: row => (NUMBER.test(row.price.trim()) ? { ...row, n: Number(row.price) } : row),
    },
    toString: { args: { source: 'stock' }, byHand: row => ({ ...row, stock: String(row.stock) }) },
    parseNumber: {
        args: { source: 'localised', target: 'n', locale: 'de-DE' },
        byHand: row => ({ ...row, n: Number(row.localised.replace(/\./g, '').replace(',', '.')) }),
    },
    formatNumber: {
        args: { source: 'net', target: 'text', locale: 'de-DE', decimals: 2 },
        byHand: row => ({ ...row, text: german.format(row.net) }),
    },
    toCents: {
        args: { source: 'price', target: 'cents' },
        byHand: row => ({
            ...row,
            cents: new Decimal(row.price).times(100).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber(),
        }),
    },
    round: {
        args: { source: 'net', decimals: 2 },
        byHand: row => ({ ...row, net: new Decimal(row.net).toDecimalPlaces(2, Decimal.ROUND_HALF_UP).toNumber() }),
    },
    split: {
        args: { source: 'tags', target: 'list', delimiter: '|' },
        byHand: row => ({ ...row, list: row.tags.split('|') }),
    },
    join: {
        args: { source: 'sizes', target: 'text', delimiter: ', ' },
        byHand: row => ({ ...row, text: row.sizes.join(', ') }),
    },
    trim: { args: { path: 'title' }, byHand: row => ({ ...row, title: row.title.trim() }) },
    lowercase: { args: { path: 'title' }, byHand: row => ({ ...row, title: row.title.toLowerCase() }) },
    uppercase: { args: { path: 'title' }, byHand: row => ({ ...row, title: row.title.toUpperCase() }) },
    slugify: {
        args: { source: 'title', target: 'slug' },
        byHand: row => ({
            ...row,
            slug: row.title
                .normalize('NFKD')
                .replace(/[\u0300-\u036f]/g, '')
                .toLowerCase()
                .replace(/[^a-z0-9]+/g, '-')
                .replace(/^-+|-+$/g, ''),
        }),
    },
    concat: {
        args: { sources: ['brand', 'sku'], target: 'label', separator: ' ' },
        byHand: row => ({ ...row, label: `${row.brand} ${row.sku}` }),
    },
    replace: {
        args: { path: 'tags', search: '|', replacement: ', ', all: true },
        byHand: row => ({ ...row, tags: row.tags.replaceAll('|', ', ') }),
    },
    extractRegex: {
        args: { source: 'size', target: 'width', pattern: '(\\d+) ?x ?\\d+' },
        byHand: row => {
            const match = /(\d+) ?x ?\d+/.exec(row.size);
            return match ? { ...row, width: match[1] } : row;
        },
    },
    replaceRegex: {
        args: { path: 'title', pattern: '\\s+', replacement: ' ', flags: 'g' },
        byHand: row => ({ ...row, title: row.title.replace(/\s+/g, ' ') }),
    },
    stripHtml: {
        args: { source: 'description', target: 'text' },
        byHand: row => ({
            ...row,
            text: row.description
                .replace(/<\/p>/g, '\n')
                .replace(/<[^>]*>/g, '')
                .replace(/&lt;/g, '<')
                .replace(/&gt;/g, '>')
                .replace(/&amp;/g, '&')
                .trim(),
        }),
    },
    truncate: {
        args: { source: 'title', target: 'short', length: 12 },
        byHand: row => {
            const characters = [...row.title];
            return { ...row, short: characters.length > 12 ? characters.slice(0, 12).join('') : row.title };
        },
    },
};
