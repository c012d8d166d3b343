import { type ChangedEntity, collectionChanged, collectionsStale, entitiesChanged, staleVariants } from './effect';
import { publishedTogether, changesCollections } from './publish';

const changed = (entity: ChangedEntity, id: number) =>
    entitiesChanged({ entity, operation: 'UPDATE', ids: [id], sideEffects: 'BATCHED' });

describe('effects that one event publishes', () => {
    it('are those of collections, even with effects of the index between them; all others are published one by one', () => {
        const effects = [
            ...changed('Product', 1),
            ...changed('Product', 2),
            ...collectionChanged(3, [30]),
            ...collectionChanged(4, [40]),
            ...changed('Facet', 5),
            ...collectionChanged(6, [60]),
        ];
        const idsOf = publishedTogether(effects).map(group =>
            group.map(({ payload }) => payload['ids'] ?? payload['variantIds']).flat(),
        );
        expect(idsOf).toEqual([[1], [2], [3, 4], [30], [40], [5], [6], [60]]);
    });
});

describe('collections that were changed themselves', () => {
    it('are published with their operation, and have their filters applied', () => {
        const made = entitiesChanged({ entity: 'Collection', operation: 'CREATE', ids: [1], sideEffects: 'BATCHED' });
        const effects = [...made, ...collectionChanged(2, []), ...collectionsStale([1]), ...collectionChanged(3, [])];
        expect(publishedTogether(effects).map(group => group.map(({ payload }) => payload['ids']))).toEqual([
            [[1]],
            [[2], [3]],
            [undefined],
        ]);
        expect([changesCollections(effects), changesCollections(made)]).toEqual([true, false]);
    });
});

describe('a collection with other variants', () => {
    it('has them indexed, however many they are, and makes no collections stale', () => {
        const ids = Array.from({ length: 12_000 }, (_, i) => i);
        const effects = collectionChanged(1, ids);
        expect(effects).toHaveLength(4);
        expect(staleVariants(effects)).toEqual(ids);
        expect(changesCollections(effects)).toBe(false);
        expect(changesCollections(changed('ProductVariant', 1))).toBe(true);
    });
});
