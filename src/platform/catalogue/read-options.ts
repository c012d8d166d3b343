import type { StatementProgram } from '../../core/adapter/loader';
import { lockTimeout } from '../../database/database-errors';
import { select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { combinationOf, type GroupState, type ProductState } from '../entity-descriptions/product-state';
import { variant } from '../entity-descriptions/variant';
import { withoutMembers } from '../entities/read-members';
import type { UnitOfWork, WorkPart } from '../entities/unit-of-work';
import type { CatalogueContext } from './catalogue';
import { as, sqlNameOf, at } from './tables';

/** Option groups by their ids: they and their options may be shared between products. */
class OptionGroups extends Map<Id, GroupState> implements WorkPart {
    settle(): void {
        // Products for which something is planned hold on to theirs.
    }
}

/**
 * Reads the option groups of products with their options, and the combinations that their variants use. `forUpdate` locks them until the commit, so
 * that no other transaction can add to them.
 */
export function* readOptions(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    { of: products, forUpdate }: { readonly of: Iterable<ProductState>; readonly forUpdate: boolean },
): StatementProgram<void> {
    const owners = new Map(withoutMembers(products, product => !product.groups).map(product => [product.id, product]));
    if (owners.size === 0) return;
    if (forUpdate && catalogue.dialect.kind !== 'sqlite') yield* holdProducts(catalogue, [...owners.keys()]);
    yield* readGroups(catalogue, work, owners);
    yield* readCombinations(catalogue, work, owners);
}

/**
 * Locks products and their groups, which may be shared, until the commit. The locks of records are only about the
 * keys in them; another load may know the same product by another key, such as the SKU of another variant, or by its
 * id. Two statements.
 */
function* holdProducts(
    { products: { table }, tables: { productGroups, group }, dialect }: CatalogueContext,
    ids: readonly Id[],
): StatementProgram<void> {
    const p = (property: string) => at('p', table, property);
    const there = yield* select<{ id: Id }>(sql`SELECT ${sqlNameOf(p('id'), 'id')} FROM ${as(table, 'p')}
        WHERE ${dialect.oneOf(p('id'), ids)} AND ${p('deletedAt')} IS NULL ORDER BY ${p('id')}${dialect.forUpdate}`);
    // The repeated transaction finds that.
    if (there.length < ids.length) throw lockTimeout('a product of these records was deleted meanwhile');
    const member = at('j', productGroups, productGroups.member);
    yield* select(sql`SELECT ${sqlNameOf(at('g', group, 'id'), 'id')} FROM ${as(group, 'g')}
        WHERE ${at('g', group, 'id')} IN (SELECT ${member} FROM ${as(productGroups, 'j')} WHERE ${dialect.oneOf(at('j', productGroups, productGroups.owner), ids)})
        ORDER BY ${at('g', group, 'id')}${dialect.forUpdate}`);
}

function* readGroups(
    { tables: { productGroups, group, groupText, option, optionText }, dialect, reference }: CatalogueContext,
    work: UnitOfWork,
    owners: ReadonlyMap<Id, ProductState>,
): StatementProgram<void> {
    const rows = yield* select<{
        productId: Id;
        groupId: Id;
        group: string;
        groupName: string | null;
        optionId: Id | null;
        option: string;
        optionName: string | null;
    }>(
        sql`SELECT ${sqlNameOf(at('j', productGroups, productGroups.owner), 'productId')}, ${sqlNameOf(at('g', group, 'id'), 'groupId')}, ${sqlNameOf(at('g', group, 'code'), 'group')},
        ${sqlNameOf(at('n', groupText, 'name'), 'groupName')}, ${sqlNameOf(at('o', option, 'id'), 'optionId')}, ${sqlNameOf(at('o', option, 'code'), 'option')}, ${sqlNameOf(at('t', optionText, 'name'), 'optionName')}
        FROM ${as(productGroups, 'j')} JOIN ${as(group, 'g')} ON ${at('g', group, 'id')} = ${at('j', productGroups, productGroups.member)}
        LEFT JOIN ${as(groupText, 'n')} ON ${at('n', groupText, 'base')} = ${at('g', group, 'id')} AND ${at('n', groupText, 'languageCode')} = ${reference.language}
        LEFT JOIN ${as(option, 'o')} ON ${at('o', option, 'groupId')} = ${at('g', group, 'id')} AND ${at('o', option, 'deletedAt')} IS NULL
        LEFT JOIN ${as(optionText, 't')} ON ${at('t', optionText, 'base')} = ${at('o', option, 'id')} AND ${at('t', optionText, 'languageCode')} = ${reference.language}
        WHERE ${at('g', group, 'deletedAt')} IS NULL AND ${dialect.oneOf(at('j', productGroups, productGroups.owner), [...owners.keys()])}
        ORDER BY ${at('g', group, 'id')}, ${at('o', option, 'id')}`,
    );
    for (const product of owners.values()) product.groups = [];
    const byId = work.part(OptionGroups);
    const known = new Set(byId.keys());
    for (const row of rows) {
        let state = byId.get(row.groupId);
        if (!state) {
            state = { id: row.groupId, code: row.group, name: row.groupName ?? row.group, options: [] };
            byId.set(row.groupId, state);
        }
        const groups = owners.get(row.productId)!.groups!;
        if (!groups.includes(state)) groups.push(state);
        if (row.optionId === null || known.has(row.groupId) || state.options.some(({ id }) => id === row.optionId))
            continue;
        state.options.push({ id: row.optionId, code: row.option, name: row.optionName ?? row.option });
    }
}

function* readCombinations(
    { tables: { variantOptions }, variants: { table }, dialect }: CatalogueContext,
    work: UnitOfWork,
    owners: ReadonlyMap<Id, ProductState>,
): StatementProgram<void> {
    const rows = yield* select<{ id: Id; sku: string; productId: Id; optionId: Id | null }>(
        sql`SELECT ${sqlNameOf(at('v', table, 'id'), 'id')}, ${sqlNameOf(at('v', table, 'sku'), 'sku')}, ${sqlNameOf(at('v', table, 'productId'), 'productId')},
        ${sqlNameOf(at('o', variantOptions, variantOptions.member), 'optionId')}
        FROM ${as(table, 'v')} LEFT JOIN ${as(variantOptions, 'o')} ON ${at('o', variantOptions, variantOptions.owner)} = ${at('v', table, 'id')}
        WHERE ${at('v', table, 'deletedAt')} IS NULL AND ${dialect.oneOf(at('v', table, 'productId'), [...owners.keys()])} ORDER BY ${at('v', table, 'id')}`,
    );
    const taken = new Map<Id, { sku: string; productId: Id; optionIds: Id[] }>();
    for (const { id, sku, productId, optionId } of rows) {
        let entry = taken.get(id);
        if (!entry) taken.set(id, (entry = { sku, productId, optionIds: [] }));
        if (optionId !== null) entry.optionIds.push(optionId);
    }
    for (const product of owners.values()) product.combinations = new Map();
    for (const [id, { sku, productId, optionIds }] of taken) {
        const product = owners.get(productId)!;
        const options = optionIds.flatMap(optionId => optionOf(product.groups!, optionId));
        product.combinations!.set(
            combinationOf(options.map(({ group, option }) => ({ group: group.code, option: option.code }))),
            sku,
        );
        const state = work.of(variant).withId(id);
        if (state && !state.options) state.options = options.map(({ option }) => option);
    }
}

function optionOf(groups: readonly GroupState[], optionId: Id) {
    for (const group of groups) {
        const option = group.options.find(({ id }) => id === optionId);
        if (option) return [{ group, option }];
    }
    return [];
}
