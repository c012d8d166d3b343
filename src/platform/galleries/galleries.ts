import { Permission } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { Effect, Script } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { SideEffects } from '../effects/effect';
import type { EntityDescription } from '../entities/description';
import type { Diff } from '../entities/diff';
import type { EntityState } from '../entities/entity-state';
import type { Faults } from '../entities/faults';
import { applyList, listMode, type ListMode, type Strategy } from '../entities/load-arguments';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { RunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import { questionOf } from '../pictures/asked-picture';
import { PictureDesk, type ReadyPictures } from '../pictures/picture-desk';
import { foreseenPicture, PictureSet, PictureStore } from '../pictures/picture-set';
import { assetOf, type Gallery, GalleryStates, type ShopAsset, storedIdOf } from './gallery-states';
import { GalleryTables } from './gallery-tables';
import type { AskedAsset, DesiredGallery, GalleryOptions } from './read-gallery';

const LACKS = "for which the run's user lacks the permission CreateCatalog or CreateAsset";

/** A picture that a record is loaded without, and what is the matter with it. */
interface SkippedPicture {
    readonly example: string;
    readonly why: string;
}

/** What a record's assets were found to be. */
export interface ResolvedGallery {
    readonly assets: readonly ShopAsset[] | undefined;
    readonly featured: ShopAsset | null | undefined;
    /** The first picture that failed and is left out. */
    readonly skipped: SkippedPicture | undefined;
}

/** Of records that say nothing of assets. */
export const NOTHING_SAID: ResolvedGallery = { assets: undefined, featured: undefined, skipped: undefined };

interface Pictures {
    readonly desk: PictureDesk;
    readonly store: PictureStore;
}

interface Resolving {
    readonly work: UnitOfWork;
    readonly pictures: ReadyPictures;
    readonly faults: Faults;
}

interface Assigning {
    readonly work: UnitOfWork;
    readonly resolved: ResolvedGallery;
    readonly diff: Diff;
    /** How differences name the entity's fields. */
    readonly prefix?: string;
}

interface GalleryRules {
    readonly channel: Pick<RunChannel, 'id' | 'code' | 'defaultId' | 'language'>;
    readonly strategy: Strategy;
    readonly sideEffects: SideEffects;
}

/** Which assets products, variants and collections have, and which one is featured, for one step of one run (ADR 22). */
export class Galleries {
    private opened: Pictures | undefined;
    private readonly tables: GalleryTables;
    private readonly mode: ListMode;
    private readonly isLive: boolean;
    private readonly mayCreate: boolean;

    constructor(
        private readonly cx: AdapterContext,
        private readonly options: GalleryOptions,
        private readonly rules: GalleryRules,
    ) {
        const platform = vendureOf(cx);
        this.tables = new GalleryTables(platform);
        this.mode = listMode(options.assetsMode, rules.strategy);
        this.isLive = cx.mode === 'live';
        this.mayCreate = platform.ctx.userHasPermissions([Permission.CreateCatalog, Permission.CreateAsset]);
    }

    /** Opened for the first picture: most loads name none. */
    private get pictures(): Pictures {
        if (!this.opened) {
            const desk = new PictureDesk(this.cx, this.options);
            this.opened = { desk, store: new PictureStore(desk.rows) };
        }
        return this.opened;
    }

    /** What a record names, as far as the mode of its list wants to know it. */
    private asked({ assets = [], featured }: DesiredGallery): readonly AskedAsset[] {
        return [...(this.mode === 'SKIP' ? [] : assets), ...(featured ? [featured] : [])];
    }

    /** Has the pictures of sound records stored, before the transaction. */
    async prepare(desired: readonly DesiredGallery[]): Promise<ReadyPictures> {
        const named = desired.flatMap(one =>
            this.asked(one).flatMap(asset => ('picture' in asset ? [asset.picture] : [])),
        );
        return named.length === 0 ? new Map() : this.pictures.desk.prepare(named);
    }

    /** What a record's pictures are locked by. */
    locks(desired: DesiredGallery): readonly string[] {
        return this.asked(desired).flatMap(asset => ('picture' in asset ? [`picture:${asset.picture.key}`] : []));
    }

    /** Reads what records name: a few statements, whatever their number. */
    *readAssets(work: UnitOfWork, desired: readonly DesiredGallery[], pictures: ReadyPictures): Script<void> {
        const asked = desired.flatMap(one => this.asked(one));
        if (asked.length === 0) return;
        const digests = [...pictures.values()].flatMap(found => ('digest' in found ? [found.digest] : []));
        if (digests.length > 0) {
            const gone = yield* this.pictures.store.read(work.part(PictureSet), digests, this.isLive);
            if (gone.length > 0) throw flowError('LOAD_UNPREPARED', {});
        }
        const states = work.part(GalleryStates);
        yield* this.tables.readAssets(
            states,
            asked.flatMap(asset => ('id' in asset ? (this.tables.idOf(asset.id) ?? []) : [])),
        );
        yield* this.tables.readNamed(
            states,
            asked.flatMap(asset => ('name' in asset ? [asset.name] : [])),
        );
    }

    /** Reads what some entities of a kind have: two statements. */
    *readGalleries(work: UnitOfWork, type: EntityDescription['type'], entities: Iterable<EntityState>): Script<void> {
        yield* this.tables.readGalleries(type, work.part(GalleryStates), entities);
    }

    /** Whether a record says anything that its entity's gallery has to be known for. */
    asks({ assets, featured }: DesiredGallery): boolean {
        return (assets !== undefined && this.mode !== 'SKIP') || featured !== undefined;
    }

    /** Finds what a record names, and says what is wrong with it; changes nothing. */
    resolve({ assets, featured }: DesiredGallery, resolving: Resolving): ResolvedGallery {
        if (assets === undefined && featured === undefined) return NOTHING_SAID;
        const skipped: SkippedPicture[] = [];
        const found = (asset: AskedAsset): ShopAsset | undefined => this.found(asset, resolving, skipped);
        return {
            assets: this.mode === 'SKIP' ? undefined : assets?.flatMap(asset => found(asset) ?? []),
            featured: featured ? found(featured) : featured,
            skipped: skipped[0],
        };
    }

    private found(
        asset: AskedAsset,
        { work, pictures, faults }: Resolving,
        skipped: SkippedPicture[],
    ): ShopAsset | undefined {
        const { path } = asset;
        const { code } = this.rules.channel;
        const states = work.part(GalleryStates);
        if ('id' in asset) {
            const id = this.tables.idOf(asset.id);
            const known = id === undefined ? undefined : states.withId(id);
            if (known?.isInChannel === true) return known;
            return faults.add(
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
            return faults.add(
                path,
                `is ${show(asset.name)}; ${count} of channel ${code} ${has} this name`,
                asset.name,
            ) as undefined;
        }
        const { key, url } = asset.picture;
        const ready = pictures.get(questionOf(asset.picture))!;
        if ('problem' in ready) {
            if (this.options.onPictureError === 'SKIP') skipped.push({ example: url ?? path, why: ready.problem });
            else faults.add(path, ready.problem, url);
            return undefined;
        }
        const set = work.part(PictureSet);
        const known = 'digest' in ready ? ready.digest : key;
        const picture = set.find(known) ?? foreseenPicture(known);
        set.add(picture);
        picture.url ??= url;
        if (picture.assetId === undefined && this.mode !== 'REMOVE' && !this.mayCreate)
            faults.add(path, `is a new picture, ${LACKS}`, url);
        return assetOf(picture);
    }

    /** Gives an entity the assets of a record in which nothing is wrong. */
    assign(entity: EntityState, { work, resolved, diff, prefix = '' }: Assigning): void {
        const { skipped } = resolved;
        if (resolved === NOTHING_SAID) return;
        if (skipped !== undefined)
            diff.note = { code: 'PICTURES_SKIPPED', what: 'Records were loaded without a picture', ...skipped };
        const gallery = work.part(GalleryStates).of(entity);
        const before = gallery.now;
        const wanted = this.wanted(gallery, resolved);
        if (tokensOf(wanted).join() !== tokensOf(before).join()) {
            const was = entity.id === undefined && before.length === 0 ? null : shownOf(before);
            diff.add(`${prefix}assets`, was, shownOf(wanted));
            gallery.now = wanted;
            gallery.isChanged = true;
            this.use(work, wanted);
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
    private wanted({ now }: Gallery, { assets, skipped }: ResolvedGallery): readonly ShopAsset[] {
        if (!assets) return now;
        const all = new Map([...assets, ...now].map(asset => [asset.token, asset]));
        const hidden = now.filter(({ isInChannel }) => !isInChannel);
        // While a picture cannot be had, none is taken away.
        const mode = skipped !== undefined && this.mode === 'REPLACE' ? 'MERGE' : this.mode;
        const tokens = applyList(mode, tokensOf(now), tokensOf(assets));
        return [...new Set([...tokens, ...tokensOf(hidden)])].map(token => all.get(token)!);
    }

    /** The asset that is to be featured; undefined where that stays as it is. */
    private featured(gallery: Gallery, { assets, featured, skipped }: ResolvedGallery): ShopAsset | null | undefined {
        if (featured !== undefined || !assets) return featured;
        const { now, featuredNow } = gallery;
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
        const set = work.part(PictureSet);
        for (const { id, picture } of assets) {
            if (!picture) continue;
            if (!set.find(picture.known)) set.add(picture);
            if (id === undefined || !picture.isInChannel) picture.isTouched = true;
        }
    }

    /** Makes assets of the pictures that are used, and says in the rows of entities which one is featured; to be done before these are written. */
    *writeAssets(work: UnitOfWork, entities: readonly EntityState[]): Script<readonly Effect[]> {
        const { channel, sideEffects } = this.rules;
        const writing = { channel, language: channel.language, sideEffects };
        const effects = this.opened ? yield* this.opened.store.write(work.part(PictureSet), writing) : [];
        const states = work.part(GalleryStates);
        for (const entity of entities) {
            if (!states.has(entity)) continue;
            const { featured } = states.of(entity);
            if (featured !== undefined) entity.columns.set('featuredAssetId', featured && storedIdOf(featured));
        }
        return effects;
    }

    /** Writes what the entities of a kind have, once these are written. */
    *write(work: UnitOfWork, type: EntityDescription['type'], entities: readonly EntityState[]): Script<void> {
        const states = work.part(GalleryStates);
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
