import type { Id } from '../../database/write';
import { type EntityState, storedToken } from '../entities/entity-state';
import type { WorkPart } from '../entities/unit-of-work';
import type { ImageState } from '../asset-import/image-set';

/** An asset of the shop, or one that will be made of a picture. */
export interface ShopAsset {
    /** Identifies it among others, stored or not. */
    readonly token: string;
    /** Its name in reports. */
    readonly shown: string;
    /** False for one that the run's channel does not see. */
    readonly isInChannel: boolean;
    readonly id: Id | undefined;
    readonly picture?: ImageState;
}

/** The asset of a picture, which may have none yet. */
export function assetOf(picture: ImageState): ShopAsset {
    const { assetId: id, known, url, name } = picture;
    const token = id === undefined ? `picture ${known}` : storedToken(id);
    return { token, shown: name ?? url ?? known, isInChannel: true, id, picture };
}

/** The id of an asset that is stored by now. */
export function storedIdOf({ id, picture }: ShopAsset): Id {
    return id ?? picture!.assetId!;
}

/** What an entity has of assets, as it is and as the records so far have changed it. */
export class EntityAssets {
    /** In their order. */
    now: readonly ShopAsset[];
    isChanged = false;
    /** The asset from a record; undefined if that of its row applies. */
    featured: ShopAsset | null | undefined;

    constructor(
        stored: readonly ShopAsset[],
        private readonly storedFeatured: ShopAsset | null,
    ) {
        this.now = stored;
    }

    get featuredNow(): ShopAsset | null {
        return this.featured === undefined ? this.storedFeatured : this.featured;
    }
}

/** The assets and galleries that a batch, or a dry run, works on. */
export class EntityAssetStates implements WorkPart {
    private readonly galleries = new WeakMap<EntityState, EntityAssets>();
    private readonly byId = new Map<Id, ShopAsset>();
    private readonly byName = new Map<string, readonly ShopAsset[]>();
    private readonly bySource = new Map<string, readonly ShopAsset[]>();

    has(state: EntityState): boolean {
        return this.galleries.has(state);
    }
    /** That of an entity that was read, or is new and has none. */
    of(state: EntityState): EntityAssets {
        let found = this.galleries.get(state);
        if (!found) this.galleries.set(state, (found = new EntityAssets([], null)));
        return found;
    }
    set(state: EntityState, entityAssets: EntityAssets): void {
        this.galleries.set(state, entityAssets);
    }
    withId(id: Id): ShopAsset | undefined {
        return this.byId.get(id);
    }
    add(id: Id, asset: ShopAsset): void {
        this.byId.set(id, asset);
    }
    named(name: string): readonly ShopAsset[] | undefined {
        return this.byName.get(name);
    }
    addNamed(name: string, assets: readonly ShopAsset[]): void {
        this.byName.set(name, assets);
    }
    stored(source: string): readonly ShopAsset[] | undefined {
        return this.bySource.get(source);
    }
    addStored(source: string, assets: readonly ShopAsset[]): void {
        this.bySource.set(source, assets);
    }
    settle(): void {
        // Galleries stay with the entities that have planned changes.
        this.byId.clear();
        this.byName.clear();
        this.bySource.clear();
    }
}
