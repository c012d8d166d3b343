/** The bench's catalogue: the same products for the same numbers, with one variant and three facet values each. */

export interface BenchProduct {
    readonly sku: string;
    readonly name: string;
    readonly slug: string;
    readonly description: string;
    /** Minor units. */
    readonly price: number;
    readonly stock: number;
    /** "facet:value", three of them. */
    readonly facets: readonly string[];
}

export const FACETS: Readonly<Record<string, readonly string[]>> = {
    maker: ['aster', 'borealis', 'corvus', 'draco', 'eridani', 'fornax', 'gemini', 'hydra'],
    tone: ['amber', 'cobalt', 'fern', 'graphite', 'ivory', 'plum'],
    group: ['audio', 'garden', 'kitchen', 'lighting', 'office', 'sport', 'travel'],
};

const NOUNS = ['Lamp', 'Kettle', 'Speaker', 'Trowel', 'Notebook', 'Racket', 'Suitcase', 'Chair', 'Mug', 'Rake'];
const WORDS =
    'solid light quiet quick folding steel oak recycled everyday washable compact generous patient bright'.split(' ');

/** A 32-bit mix of two numbers, as a fraction of 1: the k-th random number of product i. */
function roll(i: number, k: number): number {
    let mixed = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(k + 11, 0x85ebca77);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
}

function pick<T>(list: readonly T[], fraction: number): T {
    return list[Math.floor(fraction * list.length)]!;
}

/** Product number `i` of a series. Two series share nothing but their facets. */
export function benchProduct(i: number, series: string): BenchProduct {
    const facets = Object.entries(FACETS).map(([facet, values], k) => `${facet}:${pick(values, roll(i, k))}`);
    const name = `${pick(WORDS, roll(i, 4))} ${pick(NOUNS, roll(i, 5))} ${series} ${i}`;
    const description = Array.from({ length: 12 }, (_, k) => pick(WORDS, roll(i, 20 + k))).join(' ');
    return {
        sku: `${series}-${String(i).padStart(6, '0')}`,
        name,
        slug: name.toLowerCase().replaceAll(' ', '-'),
        description,
        price: 199 + Math.floor(roll(i, 6) * 50_000),
        stock: 1 + Math.floor(roll(i, 7) * 500),
        facets,
    };
}

/** The nightly change: each price and each stock level differs from the product's own. */
export function changed({ sku, price, stock }: BenchProduct): {
    readonly sku: string;
    readonly price: number;
    readonly stock: number;
} {
    return { sku, price: price + 200, stock: stock + 7 };
}

/** Products `from` … `to` - 1. */
export function series(name: string, from: number, to: number): readonly BenchProduct[] {
    return Array.from({ length: to - from }, (_, i) => benchProduct(from + i, name));
}
