import { Collection, CollectionService, ConfigService } from '@vendure/core';
import { z } from 'zod';
import { withDatabaseErrors } from '../../database/database-errors';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';
import { CollectionState } from '../entity-descriptions/collection-state';
import { Columns } from '../entities/columns';
import { missingEntities } from '../entities/missing';
import type { EntityExtension } from '../entities/entity-extension';
import type { WorkPart } from '../entities/unit-of-work';
import { EntityAssetSets } from '../entity-assets/entity-asset-sets';
import { entityAssetArguments, mayCreateAssets } from '../entity-assets/read-assets';
import type { ReadyImages } from '../asset-import/asset-downloader';
import { NamedEntities } from '../operations/named-entities';
import { CollectionBatch } from './plan-collections';
import { type DesiredCollection, readCollection } from './read-collection';
import { CollectionTree } from './tree';

const config = {
    ...entityAssetArguments,
    missing: missingEntities(['DISABLE', 'DELETE']),
    createMissingParents: z.boolean().default(false).meta({
        title: 'Create missing parents',
        description:
            'Creates a missing parent, with the slug or name given for it as its name, and those above it that a path names. A later record can complete it.',
    }),
};

/** The place of collections in their tree, their filters and their assets. */
export const collectionTree: EntityExtension<CollectionState, DesiredCollection, typeof config> = {
    config,
    mayRequire: mayCreateAssets,
    async open(rules, { createMissingParents: createsParents, ...pictures }) {
        const { store, channel, names, mode } = rules;
        const entityAssetSets = new EntityAssetSets(rules.cx, pictures, rules);
        const { platform } = store;
        const { collectionFilters: definitions } = platform.injector.get(ConfigService).catalogOptions;
        const own = {
            ...rules,
            tree: new CollectionTree(store),
            named: new NamedEntities(platform, channel.code),
            createsParents,
            galleries: entityAssetSets,
            namesWithParents: new Set<string>(),
        };
        const { rootId, rootIds } = await rootIdsOf(platform, mode === 'live');
        return {
            read: (data, base, issues) => readCollection(data, base, { names, definitions, pictures, faults: issues }),
            // A collection that becomes a child of another one must not be moved below itself at the same time.
            locks: ({ gallery }) => [...entityAssetSets.locks(gallery), 'collectionTree:all'],
            prepare: desired => entityAssetSets.prepare(desired.map(({ gallery }) => gallery)),
            batch: (work, prepared) => {
                const root = rootId === undefined ? work.part(PlannedRoot).state : rootState(rootId);
                return new CollectionBatch({ ...own, pictures: prepared as ReadyImages, root, rootIds }, work);
            },
        };
    },
};

const rootState = (id: Id | undefined): CollectionState =>
    new CollectionState(id, new Columns({ parentId: null, isRoot: true }), 'root');

/** What a dry run would have Vendure make, the same for all its steps. */
class PlannedRoot implements WorkPart {
    readonly state = rootState(undefined);
    settle(): void {
        // It stays as it is.
    }
}

/**
 * The collection that all others are below: the oldest that the channel has, or the shop. Vendure makes one when it first needs it, and for a process that
 * begins in another channel a second one; a dry run of a shop that has none does without.
 */
async function rootIdsOf(
    { dataSource, injector, ctx }: VendurePlatform,
    mayMake: boolean,
): Promise<{ readonly rootId: Id | undefined; readonly rootIds: ReadonlySet<Id> }> {
    return withDatabaseErrors(async () => {
        const roots = await dataSource.getRepository(Collection).find({
            where: { isRoot: true },
            relations: { channels: true },
            loadEagerRelations: false,
            order: { id: 'ASC' },
        });
        const own = roots.find(({ channels }) => channels.some(({ id }) => id === ctx.channelId));
        const [root = undefined] = own ? [own] : roots;
        const rootIds = new Set(roots.map(({ id }) => id));
        if (root || !mayMake) return { rootId: root?.id, rootIds };
        const service = injector.get(CollectionService) as unknown as {
            getRootCollection(context: typeof ctx): Promise<{ readonly id: Id }>;
        };
        const { id: rootId } = await service.getRootCollection(ctx);
        return { rootId, rootIds: rootIds.add(rootId) };
    });
}
