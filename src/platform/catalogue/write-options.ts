import type { StatementProgram } from '../../core/adapter/loader';
import { select, send, sql } from '../../database/statement';
import type { JoinTable, Table } from '../../database/table';
import { type Id, insertNumbered, insertRows } from '../../database/write';
import { furtherChannels } from './plan-variant';
import type { GroupState, OptionState, ProductState } from '../entity-descriptions/product-state';
import type { VariantState } from '../entity-descriptions/variant-state';
import type { CatalogueContext } from './catalogue';
import { as, sqlNameOf, at } from './tables';
import { addMissingPairs, type Pair, addPairs, removePairs } from '../entities/write-rows';

/** The groups and options that were created. */
interface MadeOptions {
    readonly groups: readonly Id[];
    readonly options: readonly Id[];
}

/** Creates option groups and options, joins groups to their products, and brings both into the products' channels. */
export function* writeOptions(
    catalogue: CatalogueContext,
    products: readonly ProductState[],
    newVariants: readonly VariantState[],
): StatementProgram<MadeOptions> {
    const withGroups = products.filter(({ groups }) => groups !== undefined && groups.length > 0);
    if (withGroups.length === 0) return { groups: [], options: [] };
    const { tables } = catalogue;
    const owners = new Map<GroupState | OptionState, ProductState>();
    const groups = new Set<GroupState>();
    for (const product of withGroups) {
        for (const group of product.groups!) {
            groups.add(group);
            owners.set(group, product);
            for (const option of group.options) owners.set(option, product);
        }
    }
    const groupOf = new Map([...groups].flatMap(group => group.options.map(option => [option, group] as const)));
    const channelsOf = (entity: GroupState | OptionState): Iterable<Id> => owners.get(entity)!.channels?.now ?? [];
    const existing = new Set<GroupState | OptionState>(
        [...groups, ...groupOf.keys()].filter(({ id }) => id !== undefined),
    );
    const newGroups = [...groups].filter(({ id }) => id === undefined);
    const newOptions = [...groupOf.keys()].filter(({ id }) => id === undefined);
    yield* writeNamed(
        catalogue,
        { table: tables.group, texts: tables.groupText, channels: tables.groupChannels },
        {
            entities: newGroups,
            rest: () => ({}),
            channelsOf,
        },
    );
    yield* writeNamed(
        catalogue,
        { table: tables.option, texts: tables.optionText, channels: tables.optionChannels },
        {
            entities: newOptions,
            rest: option => ({ groupId: groupOf.get(option)!.id }),
            channelsOf,
        },
    );
    yield* addPairs(
        catalogue,
        tables.productGroups,
        withGroups.flatMap(product => product.newGroups.map(group => [product.id!, group.id!] as const)),
    );
    yield* assignToChannels(catalogue, withGroups, { newVariants, groupOf, existing });
    return { groups: newGroups.map(({ id }) => id!), options: newOptions.map(({ id }) => id!) };
}

/** Existing groups and options that a product or a variant takes along into further channels. */
function* assignToChannels(
    catalogue: CatalogueContext,
    products: readonly ProductState[],
    {
        newVariants,
        groupOf,
        existing,
    }: {
        readonly newVariants: readonly VariantState[];
        readonly groupOf: ReadonlyMap<OptionState, GroupState>;
        readonly existing: ReadonlySet<GroupState | OptionState>;
    },
): StatementProgram<void> {
    const groups: Pair[] = [];
    const options: Pair[] = [];
    const assign = (group: GroupState, members: readonly OptionState[], channelId: Id): void => {
        if (existing.has(group)) groups.push([group.id!, channelId]);
        for (const option of members) if (existing.has(option)) options.push([option.id!, channelId]);
    };
    for (const product of products) {
        for (const channelId of product.channels?.added ?? [])
            for (const group of product.groups!) assign(group, group.options, channelId);
    }
    for (const { madeFor: product, options: chosen } of newVariants) {
        if (!product?.channels) continue;
        for (const { id } of furtherChannels(catalogue, product))
            for (const option of chosen ?? []) if (groupOf.has(option)) assign(groupOf.get(option)!, [option], id);
    }
    yield* addMissingPairs(catalogue, catalogue.tables.groupChannels, groups);
    yield* addMissingPairs(catalogue, catalogue.tables.optionChannels, options);
}

/** Takes groups off their products, and from the variants of these their options, as ProductService does with force; the groups stay. */
export function* removeGroups(catalogue: CatalogueContext, products: readonly ProductState[]): StatementProgram<void> {
    const pairs = products.flatMap(product => product.removedGroups.map((group): Pair => [product.id!, group.id!]));
    if (pairs.length === 0) return;
    const { tables, variants, dialect } = catalogue;
    const { variantOptions, productGroups, option } = tables;
    const { table: variant } = variants;
    const taken = new Set(pairs.map(([product, group]) => `${product} ${group}`));
    const rows = yield* select<{
        variant: Id;
        option: Id;
        product: Id;
        group: Id;
    }>(sql`SELECT ${sqlNameOf(at('j', variantOptions, variantOptions.owner), 'variant')}, ${sqlNameOf(at('o', option, 'id'), 'option')},
        ${sqlNameOf(at('v', variant, 'productId'), 'product')}, ${sqlNameOf(at('o', option, 'groupId'), 'group')}
        FROM ${as(variantOptions, 'j')} JOIN ${as(option, 'o')} ON ${at('o', option, 'id')} = ${at('j', variantOptions, variantOptions.member)}
        JOIN ${as(variant, 'v')} ON ${at('v', variant, 'id')} = ${at('j', variantOptions, variantOptions.owner)}
        WHERE ${dialect.oneOf(at('o', option, 'groupId'), [...new Set(pairs.map(([, group]) => group))])}
        AND ${dialect.oneOf(at('v', variant, 'productId'), [...new Set(pairs.map(([product]) => product))])}`);
    const options = rows.filter(({ product, group }) => taken.has(`${product} ${group}`));
    yield* removePairs(
        catalogue,
        variantOptions,
        options.map(({ variant: owner, option: member }) => [owner, member]),
    );
    yield* removePairs(catalogue, productGroups, pairs);
}

/** Takes groups out of a channel that no product uses there any more, with their options (ProductService.removeProductsFromChannel). */
export function* removeUnusedGroups(
    { tables, products: { table: product, channels }, dialect }: CatalogueContext,
    channelId: Id,
    groupIds: readonly Id[],
): StatementProgram<void> {
    const { groupChannels, optionChannels, productGroups, option } = tables;
    const productChannels = channels!;
    if (groupIds.length === 0) return;
    const used = yield* select<{
        id: Id;
    }>(sql`SELECT DISTINCT ${sqlNameOf(at('j', productGroups, productGroups.member), 'id')} FROM ${as(productGroups, 'j')}
        JOIN ${as(product, 'p')} ON ${at('p', product, 'id')} = ${at('j', productGroups, productGroups.owner)} AND ${at('p', product, 'deletedAt')} IS NULL
        JOIN ${as(productChannels, 'c')} ON ${at('c', productChannels, productChannels.owner)} = ${at('p', product, 'id')} AND ${at('c', productChannels, productChannels.member)} = ${channelId}
        WHERE ${dialect.oneOf(at('j', productGroups, productGroups.member), groupIds)}`);
    const unused = groupIds.filter(id => !used.some(row => row.id === id));
    if (unused.length === 0) return;
    yield* send(sql`DELETE FROM ${groupChannels.name} WHERE ${groupChannels.column(groupChannels.member)} = ${channelId}
        AND ${dialect.oneOf(groupChannels.column(groupChannels.owner), unused)}`);
    yield* send(sql`DELETE FROM ${optionChannels.name} WHERE ${optionChannels.column(optionChannels.member)} = ${channelId}
        AND ${optionChannels.column(optionChannels.owner)} IN (SELECT ${at('o', option, 'id')} FROM ${as(option, 'o')} WHERE ${dialect.oneOf(at('o', option, 'groupId'), unused)})`);
}

interface Named {
    id: Id | undefined;
    readonly code: string;
    readonly name: string;
}

interface NamedTables {
    readonly table: Table;
    readonly texts: Table;
    readonly channels: JoinTable;
}

/** Inserts entities that have a code, a name in the run's language, and channels. */
function* writeNamed<T extends Named>(
    catalogue: CatalogueContext,
    { table, texts, channels }: NamedTables,
    {
        entities,
        rest,
        channelsOf,
    }: {
        readonly entities: readonly T[];
        readonly rest: (entity: T) => Readonly<Record<string, unknown>>;
        /** Channels in addition to the run's own and the default one. */
        readonly channelsOf?: (entity: T) => Iterable<Id>;
    },
): StatementProgram<void> {
    if (entities.length === 0) return;
    const { dialect, reference } = catalogue;
    const ids = yield* insertNumbered(
        { table, dialect },
        entities.map(entity => ({ code: entity.code, ...rest(entity) })),
    );
    entities.forEach((entity, i) => (entity.id = ids[i]!));
    yield* insertRows(
        { table: texts, dialect },
        entities.map(({ id, name }) => ({ languageCode: reference.language, name, base: id })),
    );
    yield* addPairs(
        catalogue,
        channels,
        entities.flatMap(entity =>
            [...new Set([reference.channel.id, reference.defaultChannel.id, ...(channelsOf?.(entity) ?? [])])].map(
                channel => [entity.id!, channel] as const,
            ),
        ),
    );
}
