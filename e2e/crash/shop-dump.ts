import type { DataSource } from 'typeorm';

/** What no two runs have in common, or what is not the import's. */
const LEFT_OUT = [
    /^flow_(pipeline|log)/,
    /^job_record/,
    /session/,
    /^migrations$/,
    /^user/,
    /^administrator/,
    /^authentication_method$/,
    /^settings_store/,
];
const MASKED = /^id$|Ids?$|_id$|At$|_at$/;

/** All rows of all tables of a PostgreSQL shop, ids and times masked, each table's rows sorted. */
export async function shopDump(dataSource: DataSource): Promise<Record<string, readonly string[]>> {
    const tables = await dataSource.query<Array<{ name: string }>>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1",
    );
    const dump: Record<string, readonly string[]> = {};
    for (const { name } of tables.filter(table => !LEFT_OUT.some(pattern => pattern.test(table.name)))) {
        const rows = await dataSource.query<Array<Record<string, unknown>>>(`SELECT * FROM "${name}"`);
        dump[name] = rows
            .map(row =>
                JSON.stringify(
                    Object.entries(row)
                        .filter(([column]) => !MASKED.test(column))
                        .sort(),
                ),
            )
            .sort();
    }
    dump['(variants with all that hangs on them)'] = await joined(dataSource);
    return dump;
}

/** What masked ids hide: which price, stock and facet values belong to which variant of which product. */
async function joined(dataSource: DataSource): Promise<readonly string[]> {
    const rows = await dataSource.query<unknown[]>(`
        SELECT v.sku, t.name, t.slug, vt.name AS "variantName",
            (SELECT string_agg(x.price || ' ' || x."currencyCode", ',' ORDER BY x.price) FROM product_variant_price x WHERE x."variantId" = v.id) AS prices,
            (SELECT string_agg(x."stockOnHand" || '/' || x."stockAllocated", ',' ORDER BY x."stockLocationId") FROM stock_level x WHERE x."productVariantId" = v.id) AS stock,
            (SELECT string_agg(fv.code, ',' ORDER BY fv.code) FROM product_facet_values_facet_value x
                JOIN facet_value fv ON fv.id = x."facetValueId" WHERE x."productId" = p.id) AS "facetValues"
        FROM product_variant v JOIN product p ON p.id = v."productId" JOIN product_translation t ON t."baseId" = p.id
        JOIN product_variant_translation vt ON vt."baseId" = v.id ORDER BY v.sku`);
    return rows.map(row => JSON.stringify(row));
}

/** Where two dumps differ: of each table the first rows that only one of them has. */
export function differences(
    a: Readonly<Record<string, readonly string[]>>,
    b: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
    const told = (table: string, ours: readonly string[] = [], theirs: readonly string[] = []): readonly string[] => {
        if (ours.join('\n') === theirs.join('\n')) return [];
        const [left, right] = [new Set(ours), new Set(theirs)];
        const only = [
            ...ours.filter(row => !right.has(row)).map(row => `- ${row}`),
            ...theirs.filter(row => !left.has(row)).map(row => `+ ${row}`),
        ];
        return [`${table}: ${ours.length} and ${theirs.length} rows`, ...only.slice(0, 3)];
    };
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap(table => told(table, a[table], b[table]));
}
