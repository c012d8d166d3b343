import { entitiesChanged } from '../../platform/effects/effect';
import { WRITTEN_ENTITIES, writtenBy } from './entity-history';

const sideEffects = 'NONE';

describe('what a batch has written', () => {
    it('names each entity once: what it has made is made, what it has deleted is deleted', () => {
        const written = writtenBy([
            ...entitiesChanged({ entity: 'Product', operation: 'UPDATE', ids: [2, 1], sideEffects }),
            ...entitiesChanged({ entity: 'Product', operation: 'CREATE', ids: [1], sideEffects }),
            ...entitiesChanged({ entity: 'Product', operation: 'UPDATE', ids: [1], sideEffects }),
            ...entitiesChanged({ entity: 'Product', operation: 'DELETE', ids: [2], sideEffects }),
        ]);
        expect(written).toEqual([
            { entity: 'Product', entityId: 1, action: 'CREATE' },
            { entity: 'Product', entityId: 2, action: 'DELETE' },
        ]);
    });

    it('reports stock and prices under their variants', () => {
        const [moved] = entitiesChanged({
            entity: 'StockMovement',
            operation: 'CREATE',
            ids: [70],
            sideEffects,
            variantIds: [7],
        });
        const [priced] = entitiesChanged({
            entity: 'ProductVariantPrice',
            operation: 'CREATE',
            ids: [80],
            sideEffects,
        });
        expect(writtenBy([moved!, priced!])).toEqual([{ entity: 'ProductVariant', entityId: 7, action: 'UPDATE' }]);
        expect(WRITTEN_ENTITIES).not.toContain('StockMovement');
    });

    it('leaves out what is not an entity', () => {
        expect(writtenBy([{ kind: 'index.stale', payload: { variantIds: [1] } }])).toEqual([]);
    });
});
