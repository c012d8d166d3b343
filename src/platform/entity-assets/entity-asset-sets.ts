import { Permission } from '@vendure/core';
import { phrase } from '../../core/log/log-events';
import type { AdapterContext } from '../../core/adapter/context';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { EffectPublishers } from '../effects/effect';
import type { EntityDescription } from '../entities/description';
import type { Diff } from '../entities/diff';
import type { EntityState } from '../entities/entity-state';
import type { RecordIssues } from '../entities/record-issues';
import { applyList, listMode, type ListMode, type Strategy } from '../entities/load-arguments';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { RunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import { imageKeyOf } from '../asset-import/requested-image';
import { AssetDownloader, type ReadyImages } from '../asset-import/asset-downloader';
import { predictedImage, ImageSet, ImageTables } from '../asset-import/image-set';
import { assetOf, type EntityAssets, EntityAssetStates, type ShopAsset, storedIdOf } from './entity-asset-states';
import { EntityAssetTables } from './entity-asset-tables';
import type { RequestedAsset, DesiredAssets, EntityAssetOptions } from './read-assets';

const LACKS = "for which the run's user lacks the permission CreateCatalog or CreateAsset";

/** A picture that a record is loaded without, and what is the matter with it. */
interface SkippedPicture {
    readonly example: string;
    readonly why: string;
}

/** What a record's assets were found to be. */
export interface ResolvedAssets {
    readonly assets: readonly ShopAsset[] | undefined;
    readonly featured: ShopAsset | null | undefined;
    /** The first picture that failed and is left out. */
    readonly skipped: SkippedPicture | undefined;
}

/** For records without assets. */
export const ASSETS_UNSPECIFIED: ResolvedAssets = { assets: undefined, featured: undefined, skipped: undefined };

interface Pictures {
    readonly desk: AssetDownloader;
    readonly store: ImageTables;
}

interface Resolving {
    readonly work: UnitOfWork;
    readonly pictures: ReadyImages;
    readonly faults: RecordIssues;
}

interface Assigning {
    readonly work: UnitOfWork;
    readonly resolved: ResolvedAssets;
    readonly diff: Diff;
    /** How differences name the entity's fields. */
    readonly prefix?: string;
}

interface GalleryRules {
    readonly channel: Pick<RunChannel, 'id' | 'code' | 'defaultId' | 'language'>;
    readonly strategy: Strategy;
    readonly sideEffects: EffectPublishers;
}

/** Which assets products, variants and collections have, and which one is featured, for one step of one run (ADR 22). */
export class EntityAssetSets {
    private opened: Pictures | undefined;
    private readonly tables: EntityAssetTables;
    private readonly mode: ListMode;
    private readonly isLive: boolean;
    private readonly mayCreate: boolean;

    constructor(
        private readonly cx: AdapterContext,
        private readonly options: EntityAssetOptions,
        private readonly rules: GalleryRules,
    ) {
        const platform = vendureOf(cx);
        this.tables = new EntityAssetTables(platform);
        this.mode = listMode(options.assetsMode, rules.strategy);
        this.isLive = cx.mode === 'live';
        this.mayCreate = platform.ctx.userHasPermissions([Permission.CreateCatalog, Permission.CreateAsset]);
    }

    /** Opened for the first picture: most loads name none. */
    private get pictures(): Pictures {
        if (!this.opened) {
            const desk = new AssetDownloader(this.cx, this.options);
            this.opened = { desk, store: new ImageTables(desk.rows) };
        }
        return this.opened;
    }

    /** The assets in a record, as far as the mode of its list uses them. */
    private requested({ assets = [], featured }: DesiredAssets): readonly RequestedAsset[] {
        return [...(this.mode === 'SKIP' ? [] : assets), ...(featured ? [featured] : [])];
    }

    /** Has the pictures of sound records stored, before the transaction. */
    async prepare(desired: readonly DesiredAssets[]): Promise<ReadyImages> {
        const named = desired.flatMap(one =>
            this.requested(one).flatMap(asset => ('picture' in asset ? [asset.picture] : [])),
        );
        return named.length === 0 ? new Map() : this.pictures.desk.prepare(named);
    }

    /** What a record's pictures are locked by. */
    locks(desired: DesiredAssets): readonly string[] {
        return this.requested(desired).flatMap(asset => ('picture' in asset ? [`picture:${asset.picture.key}`] : []));
    }

    /** Reads the assets in records: a few statements, whatever their number. */
    *readAssets(work: UnitOfWork, desired: readonly DesiredAssets[], images: ReadyImages): StatementProgram<void> {
        const requested = desired.flatMap(one => this.requested(one));
        if (requested.length === 0) return;
        const digests = [...images.values()].flatMap(found => ('digest' in found ? [found.digest] : []));
        if (digests.length > 0) {
            const gone = yield* this.pictures.store.read(work.part(ImageSet), digests, this.isLive);
            if (gone.length > 0) throw flowError('LOAD_UNPREPARED', {});
        }
        const states = work.part(EntityAssetStates);
        yield* this.tables.readAssets(
            states,
            requested.flatMap(asset => ('id' in asset ? (this.tables.idOf(asset.id) ?? []) : [])),
        );
        yield* this.tables.readNamed(
            states,
            requested.flatMap(asset => ('name' in asset ? [asset.name] : [])),
        );
        yield* this.tables.readStored(
            states,
            requested.flatMap(asset => ('source' in asset ? [asset.source] : [])),
        );
    }

    /** Reads what some entities of a kind have: two statements. */
    *readGalleries(
        work: UnitOfWork,
        type: EntityDescription['type'],
        entities: Iterable<EntityState>,
    ): StatementProgram<void> {
        yield* this.tables.readGalleries(type, work.part(EntityAssetStates), entities);
    }

    /** Whether a record has anything for which its entity's gallery must be known. */
    asks({ assets, featured }: DesiredAssets): boolean {
        return (assets !== undefined && this.mode !== 'SKIP') || featured !== undefined;
    }

    /** Finds the assets in a record, and reports errors; changes nothing. */
    resolve({ assets, featured }: DesiredAssets, resolving: Resolving): ResolvedAssets {
        if (assets === undefined && featured === undefined) return ASSETS_UNSPECIFIED;
        const skipped: SkippedPicture[] = [];
        const found = (asset: RequestedAsset): ShopAsset | undefined => this.found(asset, resolving, skipped);
        return {
            assets: this.mode === 'SKIP' ? undefined : assets?.flatMap(asset => found(asset) ?? []),
            featured: featured ? found(featured) : featured,
            skipped: skipped[0],
        };
    }

    private found(
        asset: RequestedAsset,
        { work, pictures, faults: issues }: Resolving,
        skipped: SkippedPicture[],
    ): ShopAsset | undefined {
        const { path } = asset;
        const { code } = this.rules.channel;
        const states = work.part(EntityAssetStates);
        if ('id' in asset) {
            const id = this.tables.idOf(asset.id);
            const known = id === undefined ? undefined : states.withId(id);
            if (known?.isInChannel === true) return known;
            return issues.add(
                path,
                `is ${show(asset.id)}; no asset of channel ${code} has this id`,
                asset.id,
            ) as undefined;
        }
        if ('name' in asset) {
            const named = states.named(asset.name) ?? [];
            if (named.length === 1) return named[0];
            const count = named.length === 0 ? 'no asset' : `${named.length} assets`;
            const has = named.length > 1 ? 'have' : 'has';
            return issues.add(
                path,
                `is ${show(asset.name)}; ${count} of channel ${code} ${has} this name`,
                asset.name,
            ) as undefined;
        }
        if ('source' in asset) {
            // The first one, if the shop stores several assets in one file.
            const [stored] = states.stored(asset.source) ?? [];
            if (stored) return stored;
            return issues.add(
                path,
                `is ${show(asset.source)}, which is neither a URL nor the source of an asset of channel ${code}`,
                asset.source,
            ) as undefined;
        }
        const { key, url } = asset.picture;
        const ready = pictures.get(imageKeyOf(asset.picture))!;
        if ('problem' in ready) {
            if (this.options.onPictureError === 'SKIP') skipped.push({ example: url ?? path, why: ready.problem });
            else issues.add(path, ready.problem, url);
            return undefined;
        }
        const set = work.part(ImageSet);
        const known = 'digest' in ready ? ready.digest : key;
        const picture = set.find(known) ?? predictedImage(known);
        set.add(picture);
        picture.url ??= url;
        if (picture.assetId === undefined && this.mode !== 'REMOVE' && !this.mayCreate)
            issues.add(path, `is a new picture, ${LACKS}`, url);
        return assetOf(picture);
    }

    /** Gives an entity the assets of a valid record. */
    assign(entity: EntityState, { work, resolved, diff, prefix = '' }: Assigning): void {
        const { skipped } = resolved;
        if (resolved === ASSETS_UNSPECIFIED) return;
        if (skipped !== undefined)
            diff.note = { code: 'PICTURES_SKIPPED', what: phrase('PICTURES_SKIPPED'), ...skipped };
        const gallery = work.part(EntityAssetStates).of(entity);
        const before = gallery.now;
        const desired = this.desired(gallery, resolved);
        if (tokensOf(desired).join() !== tokensOf(before).join()) {
            const was = entity.id === undefined && before.length === 0 ? null : shownOf(before);
            diff.add(`${prefix}assets`, was, shownOf(desired));
            gallery.now = desired;
            gallery.isChanged = true;
            this.use(work, desired);
        }
        const featured = this.featured(gallery, resolved);
        const { featuredNow } = gallery;
        if (featured === undefined || featured?.token === featuredNow?.token) return;
        diff.add(
            `${prefix}featuredAsset`,
            shownOf(featuredNow ? [featuredNow] : [])[0] ?? null,
            featured?.shown ?? null,
        );
        gallery.featured = featured;
        if (featured) this.use(work, [featured]);
    }

    /** The wanted assets of an entity. Assets outside of the run's channel stay, after the others. */
    private desired({ now }: EntityAssets, { assets, skipped }: ResolvedAssets): readonly ShopAsset[] {
        if (!assets) return now;
        const all = new Map([...assets, ...now].map(asset => [asset.token, asset]));
        const hidden = now.filter(({ isInChannel }) => !isInChannel);
        // While a picture cannot be had, none is taken away.
        const mode = skipped !== undefined && this.mode === 'REPLACE' ? 'MERGE' : this.mode;
        const tokens = applyList(mode, tokensOf(now), tokensOf(assets));
        return [...new Set([...tokens, ...tokensOf(hidden)])].map(token => all.get(token)!);
    }

    /** The asset that is to be featured; undefined where that stays as it is. */
    private featured(
        entityAssets: EntityAssets,
        { assets, featured, skipped }: ResolvedAssets,
    ): ShopAsset | null | undefined {
        if (featured !== undefined || !assets) return featured;
        const { now, featuredNow } = entityAssets;
        if (this.mode === 'REMOVE') return assets.some(({ token }) => token === featuredNow?.token) ? null : undefined;
        // As AssetService does it.
        const isEmpty = !now.some(({ isInChannel }) => isInChannel);
        if (this.mode === 'REPLACE' && isEmpty && skipped === undefined && featuredNow?.isInChannel !== false)
            return null;
        if (!this.options.featureFirstAsset || featuredNow !== null) return undefined;
        return now.find(({ isInChannel }) => isInChannel);
    }

    /** Used pictures become assets of the channel. */
    private use(work: UnitOfWork, assets: readonly ShopAsset[]): void {
        const set = work.part(ImageSet);
        for (const { id, picture } of assets) {
            if (!picture) continue;
            if (!set.find(picture.known)) set.add(picture);
            if (id === undefined || !picture.isInChannel) picture.isTouched = true;
        }
    }

    /**
     * Makes assets of the pictures that are used, and sets the featured one in the rows of entities. Must be called
     * before these are written.
     */
    *writeAssets(work: UnitOfWork, entities: readonly EntityState[]): StatementProgram<readonly Effect[]> {
        const { channel, sideEffects } = this.rules;
        const writing = { channel, language: channel.language, sideEffects };
        const effects = this.opened ? yield* this.opened.store.write(work.part(ImageSet), writing) : [];
        const states = work.part(EntityAssetStates);
        for (const entity of entities) {
            if (!states.has(entity)) continue;
            const { featured } = states.of(entity);
            if (featured !== undefined) entity.columns.set('featuredAssetId', featured && storedIdOf(featured));
        }
        return effects;
    }

    /** Writes the galleries of entities, after the entities are written. */
    *write(
        work: UnitOfWork,
        type: EntityDescription['type'],
        entities: readonly EntityState[],
    ): StatementProgram<void> {
        const states = work.part(EntityAssetStates);
        const { id, defaultId } = this.rules.channel;
        yield* this.tables.write(
            type,
            states,
            entities.filter(entity => states.has(entity)),
        );
        yield* this.tables.takeAlong(type, entities, [id, defaultId]);
    }
}

const tokensOf = (assets: readonly ShopAsset[]): readonly string[] => assets.map(({ token }) => token);
/** Only those in the run's channel, because its users must not learn about others. */
const shownOf = (assets: readonly ShopAsset[]): readonly string[] =>
    assets.flatMap(({ shown, isInChannel }) => (isInChannel ? [shown] : []));
