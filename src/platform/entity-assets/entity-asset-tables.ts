import {
    Asset,
    AssetTranslation,
    Collection,
    CollectionAsset,
    Product,
    ProductAsset,
    ProductVariant,
    ProductVariantAsset,
} from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, type Sql, sql } from '../../database/statement';
import { type JoinTable, joinTableOf, type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, insertRows } from '../../database/write';
import type { VendurePlatform } from '../context';
import type { EntityDescription } from '../entities/description';
import type { EntityState } from '../entities/entity-state';
import { withoutMembers } from '../entities/read-members';
import { addMissingPairs } from '../entities/write-rows';
import { EntityAssets, type EntityAssetStates, type ShopAsset, storedIdOf } from './entity-asset-states';
import { storedToken } from '../entities/entity-state';

/** A kind of entity that has assets, and where it has them. */
interface Owner {
    readonly table: Table;
    readonly owner: string;
}

/** The tables in which Vendure keeps which assets an entity has, in their order. */
export class EntityAssetTables {
    private readonly asset: Table;
    private readonly text: Table;
    private readonly channels: JoinTable;
    private readonly owners: ReadonlyMap<EntityDescription['type'], Owner>;

    constructor(private readonly platform: VendurePlatform) {
        const { dataSource } = platform;
        this.asset = tableOf(dataSource, Asset);
        this.text = tableOf(dataSource, AssetTranslation);
        this.channels = joinTableOf(dataSource, Asset, 'channels');
        this.owners = new Map<EntityDescription['type'], Owner>([
            [Product, { table: tableOf(dataSource, ProductAsset), owner: 'productId' }],
            [ProductVariant, { table: tableOf(dataSource, ProductVariantAsset), owner: 'productVariantId' }],
            [Collection, { table: tableOf(dataSource, CollectionAsset), owner: 'collectionId' }],
        ]);
    }

    private get dialect() {
        return this.platform.database.dialect;
    }

    /** An id as the database has it, where a text can be one. */
    idOf(text: string): Id | undefined {
        if (this.asset.numbersItself)
            return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
        return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
    }

    /** Reads assets by their ids if they are not loaded: one statement. */
    *readAssets(states: EntityAssetStates, ids: Iterable<Id>): StatementProgram<void> {
        const unknown = [...new Set(ids)].filter(id => !states.withId(id));
        if (unknown.length === 0) return;
        const { asset, text, channels, dialect, platform } = this;
        const { languageCode, channelId } = platform.ctx;
        const a = (property: string): Sql => column('a', asset.column(property).name);
        const t = (property: string): Sql => column('t', text.column(property).name);
        const c = (property: string): Sql => column('c', channels.column(property).name);
        const rows = yield* select<{ id: Id; source: string; text: string | null; channel: Id | null }>(
            sql`SELECT ${a('id')} AS ${name('id')}, ${a('source')} AS ${name('source')}, ${t('name')} AS ${name('text')}, ${c(channels.member)} AS ${name('channel')}
            FROM ${asset.name} AS ${name('a')}
            LEFT JOIN ${text.name} AS ${name('t')} ON ${t('base')} = ${a('id')} AND ${t('languageCode')} = ${languageCode}
            LEFT JOIN ${channels.name} AS ${name('c')} ON ${c(channels.owner)} = ${a('id')} AND ${c(channels.member)} = ${channelId}
            WHERE ${dialect.oneOf(a('id'), unknown)}`,
        );
        for (const { id, source, text: shown, channel } of rows)
            states.add(id, { token: storedToken(id), shown: shown ?? source, isInChannel: channel !== null, id });
    }

    /**
     * Reads the assets of the run's channel that have names: two statements. Names must match exactly, whatever the
     * database compares as equal.
     */
    *readNamed(states: EntityAssetStates, names: Iterable<string>): StatementProgram<void> {
        const unknown = [...new Set(names)].filter(one => !states.named(one));
        if (unknown.length === 0) return;
        const { text, channels, dialect, platform } = this;
        const t = (property: string): Sql => column('t', text.column(property).name);
        const c = (property: string): Sql => column('c', channels.column(property).name);
        const rows = yield* select<{ id: Id; text: string }>(
            sql`SELECT ${t('base')} AS ${name('id')}, ${t('name')} AS ${name('text')} FROM ${text.name} AS ${name('t')}
            JOIN ${channels.name} AS ${name('c')} ON ${c(channels.owner)} = ${t('base')} AND ${c(channels.member)} = ${platform.ctx.channelId}
            WHERE ${dialect.oneOf(t('name'), unknown)}`,
        );
        const ids = new Map(unknown.map(one => [one, new Set<Id>()]));
        for (const row of rows) ids.get(row.text)?.add(row.id);
        yield* this.readAssets(
            states,
            [...ids.values()].flatMap(set => [...set]),
        );
        for (const [one, set] of ids)
            states.addNamed(
                one,
                [...set].flatMap(id => states.withId(id) ?? []),
            );
    }

    /** Reads the assets that the shop stores under these sources: two statements. Sources must match exactly. */
    *readStored(states: EntityAssetStates, sources: Iterable<string>): StatementProgram<void> {
        const unknown = [...new Set(sources)].filter(one => !states.stored(one));
        if (unknown.length === 0) return;
        const { asset, dialect } = this;
        const a = (property: string): Sql => column('a', asset.column(property).name);
        const rows = yield* select<{ id: Id; source: string }>(
            sql`SELECT ${a('id')} AS ${name('id')}, ${a('source')} AS ${name('source')} FROM ${asset.name} AS ${name('a')}
            WHERE ${dialect.oneOf(a('source'), unknown)}`,
        );
        const ids = new Map(unknown.map(one => [one, new Set<Id>()]));
        for (const { id, source } of rows) ids.get(source)?.add(id);
        yield* this.readAssets(
            states,
            [...ids.values()].flatMap(set => [...set]),
        );
        for (const [one, set] of ids) {
            const found = [...set].flatMap(id => states.withId(id) ?? []);
            states.addStored(
                one,
                found.filter(({ isInChannel }) => isInChannel),
            );
        }
    }

    /** Reads the galleries of entities if they are not loaded: two statements. */
    *readGalleries(
        type: EntityDescription['type'],
        states: EntityAssetStates,
        entities: Iterable<EntityState>,
    ): StatementProgram<void> {
        const asking = withoutMembers(entities, entity => !states.has(entity));
        if (asking.length === 0) return;
        const { table, owner } = this.owners.get(type)!;
        const j = (property: string): Sql => column('j', table.column(property).name);
        const rows = yield* select<{ owner: Id; asset: Id }>(
            sql`SELECT ${j(owner)} AS ${name('owner')}, ${j('assetId')} AS ${name('asset')} FROM ${table.name} AS ${name('j')}
            WHERE ${this.dialect.oneOf(
                j(owner),
                asking.map(({ id }) => id),
            )} ORDER BY ${j('position')}, ${j('id')}`,
        );
        const featured = asking.flatMap(({ columns }) => (columns.get('featuredAssetId') as Id | null) ?? []);
        yield* this.readAssets(states, [...rows.map(({ asset }) => asset), ...featured]);
        const assets = new Map<Id, ShopAsset[]>(asking.map(({ id }) => [id, []]));
        for (const row of rows) assets.get(row.owner)!.push(states.withId(row.asset)!);
        for (const entity of asking) {
            const first = entity.columns.get('featuredAssetId') as Id | null;
            states.set(
                entity,
                new EntityAssets(assets.get(entity.id)!, (first !== null && states.withId(first)) || null),
            );
        }
    }

    /** Writes changed galleries of entities like AssetService: replaces all rows of an entity. */
    *write(
        type: EntityDescription['type'],
        states: EntityAssetStates,
        entities: readonly EntityState[],
    ): StatementProgram<void> {
        const { table, owner } = this.owners.get(type)!;
        const { dialect } = this;
        const changed = entities.filter(entity => states.of(entity).isChanged);
        yield* deleteRows(
            { table, dialect },
            owner,
            changed.map(({ id }) => id!),
        );
        yield* insertRows(
            { table, dialect },
            changed.flatMap(entity =>
                states
                    .of(entity)
                    .now.map((asset, position) => ({ [owner]: entity.id, assetId: storedIdOf(asset), position })),
            ),
        );
    }

    /** Brings the assets of entities into the channels to which these were added, as Vendure does for products and variants. */
    *takeAlong(
        type: EntityDescription['type'],
        entities: readonly EntityState[],
        without: readonly Id[],
    ): StatementProgram<void> {
        const added = new Map<Id, readonly Id[]>();
        for (const { id, channels } of entities) {
            const further = channels?.added.filter(one => !without.includes(one)) ?? [];
            if (further.length > 0) added.set(id!, further);
        }
        if (added.size === 0) return;
        const { table, owner } = this.owners.get(type)!;
        const rows = yield* select<{ owner: Id; asset: Id }>(
            sql`SELECT ${table.column(owner)} AS ${name('owner')}, ${table.column('assetId')} AS ${name('asset')}
            FROM ${table.name} WHERE ${this.dialect.oneOf(table.column(owner), [...added.keys()])}`,
        );
        yield* addMissingPairs(
            this.platform.database,
            this.channels,
            rows.flatMap(({ owner: id, asset }) => added.get(id)!.map(channelId => [asset, channelId] as const)),
        );
    }
}
