import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import type { BenchProduct, changed } from './products';

/**
 * The lower limit: the rows that a product import writes, as multi-row SQL on one connection in batches, and nothing
 * else. An import adds what this leaves out: locks, look-ups, checks, differences, markers, events.
 */
export interface RawShop {
    insert(products: readonly BenchProduct[]): Promise<void>;
    /** Reads the batch by slug and compares every field: the minimal cost of finding out that nothing has changed. */
    compare(products: readonly BenchProduct[]): Promise<number>;
    /** Sets price and stock level of each and writes the stock movement. */
    change(changes: ReadonlyArray<ReturnType<typeof changed>>): Promise<void>;
    /**
     * Updates the statistics of the tables, as autovacuum does some minutes after an import. Without statistics, raw
     * SQL is planned badly.
     */
    gather(): Promise<void>;
    close(): Promise<void>;
}

type Cell = string | number | boolean | null;
type Answer = ReadonlyArray<Readonly<Record<string, Cell>>>;

interface Connection {
    readonly kind: 'postgres' | 'sqlite';
    query(text: string, params?: readonly unknown[]): Promise<Answer>;
    close(): Promise<void>;
}

async function connect(target: { readonly url: string } | { readonly file: string }): Promise<Connection> {
    if ('url' in target) {
        const client = new Client({ connectionString: target.url });
        await client.connect();
        return {
            kind: 'postgres',
            query: async (text, params) => (await client.query(text, params as unknown[])).rows as Answer,
            close: () => client.end(),
        };
    }
    const handle = new BetterSqlite(target.file);
    return {
        kind: 'sqlite',
        query: async (text, params = []) => {
            const statement = handle.prepare(text);
            const bound = params.map(value => (typeof value === 'boolean' ? Number(value) : value));
            if (statement.reader) return statement.all(...bound) as Answer;
            statement.run(...bound);
            return [];
        },
        close: async () => void handle.close(),
    };
}

export async function openRaw(target: { readonly url: string } | { readonly file: string }): Promise<RawShop> {
    const db = await connect(target);
    const one = async (text: string): Promise<Cell> => Object.values((await db.query(text))[0] ?? {})[0] ?? null;
    const channel = await one('SELECT id FROM channel ORDER BY id LIMIT 1');
    const currency = await one('SELECT "defaultCurrencyCode" FROM channel ORDER BY id LIMIT 1');
    const tax = await one(`SELECT id FROM tax_category WHERE name = 'Standard Tax'`);
    const location = await one('SELECT id FROM stock_location ORDER BY id LIMIT 1');
    const facetRows = await db.query(
        `SELECT v.id AS id, f.code AS facet, v.code AS code FROM facet_value v JOIN facet f ON f.id = v."facetId"`,
    );
    const facetIds = new Map(facetRows.map(row => [`${row['facet']}:${row['code']}`, Number(row['id'])]));

    /** A multi-row INSERT. Returns the new ids in order if `wantsIds`. */
    async function insert(
        table: string,
        columns: readonly string[],
        rows: ReadonlyArray<readonly Cell[]>,
        wantsIds = false,
    ): Promise<number[]> {
        let next = 0;
        const mark = db.kind === 'postgres' ? (): string => `$${++next}` : (): string => '?';
        const values = rows.map(row => `(${row.map(mark).join(',')})`).join(',');
        const text = `INSERT INTO "${table}" (${columns.map(c => `"${c}"`).join(',')}) VALUES ${values}${wantsIds ? ' RETURNING id' : ''}`;
        return (await db.query(text, rows.flat())).map(row => Number(row['id']));
    }

    const list = (values: readonly string[]): { text: string; params: readonly unknown[] } =>
        db.kind === 'postgres'
            ? { text: '= ANY($1)', params: [values] }
            : { text: 'IN (SELECT value FROM json_each(?))', params: [JSON.stringify(values)] };

    return {
        async insert(products) {
            await db.query('BEGIN');
            const productIds = await insert(
                'product',
                ['enabled'],
                products.map(() => [true]),
                true,
            );
            await insert(
                'product_translation',
                ['languageCode', 'name', 'slug', 'description', 'baseId'],
                products.map((p, i) => ['en', p.name, p.slug, p.description, productIds[i]!]),
            );
            await insert(
                'product_channels_channel',
                ['productId', 'channelId'],
                productIds.map(id => [id, channel]),
            );
            await insert(
                'product_facet_values_facet_value',
                ['productId', 'facetValueId'],
                products.flatMap((p, i) => p.facets.map(facet => [productIds[i]!, facetIds.get(facet)!])),
            );
            const variantIds = await insert(
                'product_variant',
                ['enabled', 'sku', 'trackInventory', 'taxCategoryId', 'productId'],
                products.map((p, i) => [true, p.sku, 'INHERIT', tax, productIds[i]!]),
                true,
            );
            await insert(
                'product_variant_translation',
                ['languageCode', 'name', 'baseId'],
                products.map((p, i) => ['en', p.name, variantIds[i]!]),
            );
            await insert(
                'product_variant_channels_channel',
                ['productVariantId', 'channelId'],
                variantIds.map(id => [id, channel]),
            );
            await insert(
                'product_variant_price',
                ['currencyCode', 'channelId', 'price', 'variantId'],
                products.map((p, i) => [currency, channel, p.price, variantIds[i]!]),
            );
            await insert(
                'stock_level',
                ['stockOnHand', 'stockAllocated', 'productVariantId', 'stockLocationId'],
                products.map((p, i) => [p.stock, 0, variantIds[i]!, location]),
            );
            await insert(
                'stock_movement',
                ['type', 'quantity', 'stockLocationId', 'discriminator', 'productVariantId'],
                products.map((p, i) => ['ADJUSTMENT', p.stock, location, 'StockAdjustment', variantIds[i]!]),
            );
            await db.query('COMMIT');
        },
        async compare(products) {
            const { text, params } = list(products.map(product => product.slug));
            const found = await db.query(
                `SELECT v.sku AS sku, t.name AS name, t.description AS description, pr.price AS price, s."stockOnHand" AS stock, fv."facetValueId" AS facet
                 FROM product_translation t JOIN product p ON p.id = t."baseId" JOIN product_variant v ON v."productId" = p.id
                 JOIN product_variant_price pr ON pr."variantId" = v.id JOIN stock_level s ON s."productVariantId" = v.id
                 JOIN product_facet_values_facet_value fv ON fv."productId" = p.id
                 WHERE t.slug ${text} AND p."deletedAt" IS NULL AND v."deletedAt" IS NULL`,
                params,
            );
            const facets = new Map<string, Set<number>>();
            const rows = new Map<string, Answer[number]>();
            for (const row of found) {
                const sku = String(row['sku']);
                rows.set(sku, row);
                const held = facets.get(sku) ?? new Set<number>();
                facets.set(sku, held.add(Number(row['facet'])));
            }
            return products.filter(product => {
                const row = rows.get(product.sku);
                return (
                    !row ||
                    row['name'] !== product.name ||
                    row['description'] !== product.description ||
                    Number(row['price']) !== product.price ||
                    Number(row['stock']) !== product.stock ||
                    product.facets.some(facet => !facets.get(product.sku)!.has(facetIds.get(facet)!))
                );
            }).length;
        },
        async change(changes) {
            const { text, params } = list(changes.map(change => change.sku));
            const found = await db.query(
                `SELECT v.id AS id, v.sku AS sku, s."stockOnHand" AS stock FROM product_variant v JOIN stock_level s ON s."productVariantId" = v.id WHERE v.sku ${text} AND v."deletedAt" IS NULL`,
                params,
            );
            const variants = new Map(
                found.map(row => [String(row['sku']), { id: Number(row['id']), stock: Number(row['stock']) }]),
            );
            const rows = changes.map(change => ({
                ...change,
                ...{ id: variants.get(change.sku)!.id, before: variants.get(change.sku)!.stock },
            }));
            await db.query('BEGIN');
            await set(
                'product_variant_price',
                { column: 'price', by: 'variantId' },
                rows.map(row => [row.id, row.price]),
            );
            await set(
                'stock_level',
                { column: 'stockOnHand', by: 'productVariantId' },
                rows.map(row => [row.id, row.stock]),
            );
            await insert(
                'stock_movement',
                ['type', 'quantity', 'stockLocationId', 'discriminator', 'productVariantId'],
                rows.map(row => ['ADJUSTMENT', row.stock - row.before, location, 'StockAdjustment', row.id]),
            );
            await db.query('COMMIT');
        },
        gather: async () => void (await db.query('ANALYZE')),
        close: () => db.close(),
    };

    async function set(
        table: string,
        { column, by }: { readonly column: string; readonly by: string },
        rows: ReadonlyArray<readonly [number, number]>,
    ): Promise<void> {
        if (db.kind === 'postgres') {
            await db.query(
                `UPDATE "${table}" t SET "${column}" = x.v, "updatedAt" = now() FROM unnest($1::int[], $2::int[]) x(id, v) WHERE t."${by}" = x.id`,
                [rows.map(r => r[0]), rows.map(r => r[1])],
            );
        } else {
            const values = rows.map(() => '(?,?)').join(',');
            await db.query(
                `UPDATE "${table}" SET "${column}" = x.column2, "updatedAt" = datetime('now') FROM (VALUES ${values}) x WHERE "${by}" = x.column1`,
                rows.flat(),
            );
        }
    }
}
