import { Permission } from '@vendure/core';
import type { EntityDescription } from '../entities/description';

/** The four permissions for a kind of entity of the catalogue: those for the whole catalogue, or the narrower ones. */
export function ofCatalogue(kind: 'Collection' | 'Facet' | 'Product'): EntityDescription['permissions'] {
    return {
        read: [Permission.ReadCatalog, Permission[`Read${kind}`]],
        create: [Permission.CreateCatalog, Permission[`Create${kind}`]],
        update: [Permission.UpdateCatalog, Permission[`Update${kind}`]],
        delete: [Permission.DeleteCatalog, Permission[`Delete${kind}`]],
    };
}
