import type { Script } from '../../core/adapter/loader';
import { select, sql } from '../../database/statement';
import type { JoinTable } from '../../database/table';
import type { Id, Row } from '../../database/write';
import type { EntityState } from '../entities/entity-state';
import { type CatalogueContext, among, as, asName, at } from './read-entities';
import { Members } from '../entities/columns';
import { type GroupState, type ProductState, type VariantState, combinationOf } from './state';
import type { World } from './world';

interface Stored {
    readonly id: Id;
}

/** The stored ones of some entities that lack a part; only those are read. */
function lacking<T extends { readonly id: Id | undefined }>(
    states: Iterable<T>,
    lacks: (state: T) => boolean,
): ReadonlyArray<T & Stored> {
    return [...new Set(states)].filter((state): state is T & Stored => state.id !== undefined && lacks(state));
}

function* readMembers(
    { dialect }: CatalogueContext,
    table: JoinTable,
    owners: readonly Stored[],
): Script<ReadonlyMap<Id, Id[]>> {
    const members = new Map<Id, Id[]>(owners.map(({ id }) => [id, []]));
    if (owners.length === 0) return members;
    const rows = yield* select<{
        owner: Id;
        member: Id;
    }>(sql`SELECT ${asName(at('j', table, table.owner), 'owner')}, ${asName(at('j', table, table.member), 'member')}
        FROM ${as(table, 'j')} WHERE ${among(dialect, at('j', table, table.owner), members.keys())}`);
    for (const { owner, member } of rows) members.get(owner)!.push(member);
    return members;
}

export function* readProductFacetValues(
    catalogue: CatalogueContext,
    world: World,
    products: Iterable<ProductState>,
): Script<void> {
    yield* readFacetMembers(catalogue, world, {
        table: catalogue.tables.productFacetValues,
        owners: lacking(products, product => !product.facetValues),
    });
}

export function* readVariantFacetValues(
    catalogue: CatalogueContext,
    world: World,
    variants: Iterable<VariantState>,
): Script<void> {
    yield* readFacetMembers(catalogue, world, {
        table: catalogue.tables.variantFacetValues,
        owners: lacking(variants, variant => !variant.facetValues),
    });
}

type FacetOwner = Stored & { facetValues: Members<EntityState> | undefined };

function* readFacetMembers(
    catalogue: CatalogueContext,
    world: World,
    { table, owners }: { table: JoinTable; owners: readonly FacetOwner[] },
): Script<void> {
    const members = yield* readMembers(catalogue, table, owners);
    yield* catalogue.facetValues.readById(world.work, new Set([...members.values()].flat()));
    const values = world.work.of(catalogue.facetValues.entity);
    for (const owner of owners) {
        owner.facetValues = new Members(members.get(owner.id)!.map(id => values.withId(id)!));
        for (const value of owner.facetValues.now) values.keep(value);
    }
}

export function* readProductChannels(catalogue: CatalogueContext, products: Iterable<ProductState>): Script<void> {
    const owners = lacking(products, product => !product.channels);
    const members = yield* readMembers(catalogue, catalogue.tables.productChannels, owners);
    for (const product of owners) product.channels = new Members(members.get(product.id)!);
}

export function* readVariantChannels(catalogue: CatalogueContext, variants: Iterable<VariantState>): Script<void> {
    const owners = lacking(variants, variant => !variant.channels);
    const members = yield* readMembers(catalogue, catalogue.tables.variantChannels, owners);
    for (const variant of owners) variant.channels = new Members(members.get(variant.id)!);
}

export function* readPrices(
    { tables: { price }, dialect }: CatalogueContext,
    variants: Iterable<VariantState>,
): Script<void> {
    const owners = new Map(lacking(variants, variant => !variant.prices).map(variant => [variant.id, variant]));
    if (owners.size === 0) return;
    const rows =
        yield* select<Row>(sql`SELECT ${asName(at('p', price, 'id'), 'id')}, ${asName(at('p', price, 'variant'), 'variantId')},
        ${asName(at('p', price, 'channelId'), 'channelId')}, ${asName(at('p', price, 'currencyCode'), 'currency')}, ${asName(at('p', price, 'price'), 'price')}
        FROM ${as(price, 'p')} WHERE ${among(dialect, at('p', price, 'variant'), owners.keys())} ORDER BY ${at('p', price, 'id')}`);
    for (const owner of owners.values()) owner.prices = [];
    for (const row of rows) {
        owners.get(row['variantId'] as Id)!.prices!.push({
            id: row['id'] as Id,
            channelId: row['channelId'] as Id,
            currency: row['currency'] as string,
            price: price.fromColumn('price', row['price']) as number,
            isChanged: false,
        });
    }
}

export function* readStock(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    variants: Iterable<VariantState>,
): Script<void> {
    const owners = new Map(lacking(variants, variant => !variant.stock).map(variant => [variant.id, variant]));
    if (owners.size === 0) return;
    const rows = yield* select<{
        id: Id;
        variantId: Id;
        locationId: Id;
        onHand: number;
    }>(sql`SELECT ${asName(at('s', stockLevel, 'id'), 'id')},
        ${asName(at('s', stockLevel, 'productVariantId'), 'variantId')}, ${asName(at('s', stockLevel, 'stockLocationId'), 'locationId')},
        ${asName(at('s', stockLevel, 'stockOnHand'), 'onHand')}
        FROM ${as(stockLevel, 's')} WHERE ${among(dialect, at('s', stockLevel, 'productVariantId'), owners.keys())}`);
    for (const owner of owners.values()) owner.stock = [];
    for (const { id, variantId, locationId, onHand } of rows)
        owners.get(variantId)!.stock!.push({ id, locationId, stored: onHand, onHand });
}

/** Reads the option groups of products with their options, and which combinations their variants take. */
export function* readOptions(
    catalogue: CatalogueContext,
    world: World,
    products: Iterable<ProductState>,
): Script<void> {
    const owners = new Map(lacking(products, product => !product.groups).map(product => [product.id, product]));
    if (owners.size === 0) return;
    yield* readGroups(catalogue, world, owners);
    yield* readCombinations(catalogue, world, owners);
}

function* readGroups(
    { tables: { productGroups, group, option, optionText }, dialect, reference }: CatalogueContext,
    world: World,
    owners: ReadonlyMap<Id, ProductState>,
): Script<void> {
    const rows = yield* select<{
        productId: Id;
        groupId: Id;
        group: string;
        optionId: Id | null;
        option: string;
        optionName: string | null;
    }>(
        sql`SELECT ${asName(at('j', productGroups, productGroups.owner), 'productId')}, ${asName(at('g', group, 'id'), 'groupId')}, ${asName(at('g', group, 'code'), 'group')},
        ${asName(at('o', option, 'id'), 'optionId')}, ${asName(at('o', option, 'code'), 'option')}, ${asName(at('t', optionText, 'name'), 'optionName')}
        FROM ${as(productGroups, 'j')} JOIN ${as(group, 'g')} ON ${at('g', group, 'id')} = ${at('j', productGroups, productGroups.member)}
        LEFT JOIN ${as(option, 'o')} ON ${at('o', option, 'groupId')} = ${at('g', group, 'id')} AND ${at('o', option, 'deletedAt')} IS NULL
        LEFT JOIN ${as(optionText, 't')} ON ${at('t', optionText, 'base')} = ${at('o', option, 'id')} AND ${at('t', optionText, 'languageCode')} = ${reference.language}
        WHERE ${at('g', group, 'deletedAt')} IS NULL AND ${among(dialect, at('j', productGroups, productGroups.owner), owners.keys())}
        ORDER BY ${at('g', group, 'id')}, ${at('o', option, 'id')}`,
    );
    for (const product of owners.values()) product.groups = [];
    const known = new Set(world.groups.keys());
    for (const row of rows) {
        let state = world.groups.get(row.groupId);
        if (!state)
            world.groups.set(row.groupId, (state = { id: row.groupId, code: row.group, name: row.group, options: [] }));
        const groups = owners.get(row.productId)!.groups!;
        if (!groups.includes(state)) groups.push(state);
        if (row.optionId === null || known.has(row.groupId) || state.options.some(({ id }) => id === row.optionId))
            continue;
        state.options.push({ id: row.optionId, code: row.option, name: row.optionName ?? row.option });
    }
}

function* readCombinations(
    { tables: { variant, variantOptions }, dialect }: CatalogueContext,
    world: World,
    owners: ReadonlyMap<Id, ProductState>,
): Script<void> {
    const rows = yield* select<{ id: Id; sku: string; productId: Id; optionId: Id | null }>(
        sql`SELECT ${asName(at('v', variant, 'id'), 'id')}, ${asName(at('v', variant, 'sku'), 'sku')}, ${asName(at('v', variant, 'productId'), 'productId')},
        ${asName(at('o', variantOptions, variantOptions.member), 'optionId')}
        FROM ${as(variant, 'v')} LEFT JOIN ${as(variantOptions, 'o')} ON ${at('o', variantOptions, variantOptions.owner)} = ${at('v', variant, 'id')}
        WHERE ${at('v', variant, 'deletedAt')} IS NULL AND ${among(dialect, at('v', variant, 'productId'), owners.keys())} ORDER BY ${at('v', variant, 'id')}`,
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
        const state = world.variants.get(id);
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
