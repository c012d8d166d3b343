import { BARRIER, type BenchDatabase } from './bench-database';

/** The rows of each table, as texts that are comparable between two shops. */
export type ShopDump = Readonly<Record<string, readonly string[]>>;

/** Tables that differ between any two runs, or that do not belong to the import. */
const LEFT_OUT = [
    /^flow_(pipeline|working_copy|log|lease|leader_lease)/,
    // How long runs took, and when they ended.
    /^flow_run_statistics$/,
    // The dump waits for pending effects, except for collections that are still to be updated.
    /^flow_pending_effect$/,
    /^job_record/,
    /session/,
    /^migrations$/,
    /^user/,
    /^administrator/,
    /^authentication_method$/,
    /^settings_store/,
    new RegExp(`^${BARRIER}$`),
];
const MASKED = /^id$|^id_|Ids?$|_id$|At$|_at$|^blob_key$|^sha256$/;

/** All rows of all tables of a shop, ids and times masked. */
export async function shopDump(database: BenchDatabase): Promise<ShopDump> {
    const tables = await database.rows<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE ${database.current} AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    const dump: Record<string, readonly string[]> = {};
    for (const { name } of tables.filter(table => !LEFT_OUT.some(pattern => pattern.test(table.name)))) {
        const rows = await database.rows<Record<string, unknown>>(`SELECT * FROM "${name}"`);
        dump[name] = rows.map(row =>
            JSON.stringify(
                Object.entries(row)
                    .filter(([column]) => !MASKED.test(column))
                    .sort(),
            ),
        );
    }
    dump['(variants with all that belongs to them)'] = await joined(database);
    return dump;
}

/** What masked ids hide: which price, stock and facet values belong to which variant of which product. */
async function joined({ rows, listed }: BenchDatabase): Promise<readonly string[]> {
    const found = await rows(`
        SELECT v.sku, t.name, t.slug, vt.name AS "variantName",
            (SELECT ${listed(`x.price || ' ' || x."currencyCode"`, 'x.price')} FROM product_variant_price x WHERE x."variantId" = v.id) AS prices,
            (SELECT ${listed(`x."stockOnHand" || '/' || x."stockAllocated"`, 'x."stockLocationId"')} FROM stock_level x WHERE x."productVariantId" = v.id) AS stock,
            (SELECT ${listed('fv.code', 'fv.code')} FROM product_facet_values_facet_value x
                JOIN facet_value fv ON fv.id = x."facetValueId" WHERE x."productId" = p.id) AS "facetValues"
        FROM product_variant v JOIN product p ON p.id = v."productId" JOIN product_translation t ON t."baseId" = p.id
        JOIN product_variant_translation vt ON vt."baseId" = v.id ORDER BY v.sku`);
    return found.map(row => JSON.stringify(row));
}

/** The changes of the shop by one delivery, with its name masked: added and removed rows. */
export function changesOf(name: string, before: ShopDump, after: ShopDump): ShopDump {
    const masked = (sign: string) => (row: string) => `${sign} ${row.replaceAll(name, '*')}`;
    const changed = (table: string): readonly string[] => [
        ...without(after[table] ?? [], before[table] ?? []).map(masked('+')),
        ...without(before[table] ?? [], after[table] ?? []).map(masked('-')),
    ];
    return Object.fromEntries(Object.keys(after).map(table => [table, [...changed(table)].sort()]));
}

/** Differences between two dumps: for each table, the first rows that only one of them has. */
export function differences(a: ShopDump, b: ShopDump): readonly string[] {
    const told = (table: string, ours: readonly string[] = [], theirs: readonly string[] = []): readonly string[] => {
        const [left, right] = [without(ours, theirs), without(theirs, ours)];
        if (left.length + right.length === 0) return [];
        const only = [...left.map(row => `only undisturbed: ${row}`), ...right.map(row => `only disturbed: ${row}`)];
        return [`${table}: ${ours.length} and ${theirs.length} rows`, ...only.slice(0, 3)];
    };
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap(table => told(table, a[table], b[table]));
}

/** Returns each row of the first list as often as it has more copies there than in the second. */
function without(rows: readonly string[], others: readonly string[]): readonly string[] {
    const left = new Map<string, number>();
    for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
    return rows.filter(row => {
        const count = left.get(row) ?? 0;
        left.set(row, count - 1);
        return count <= 0;
    });
}
