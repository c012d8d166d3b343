/** The entities that are read from the PIM. */
export const PIM_ENTITIES = ['product', 'category', 'asset'] as const;
export type PimEntity = (typeof PIM_ENTITIES)[number];

/** The PIM's listings of the classes Product and Category, and of its assets. */
export const PIM_LISTINGS: Readonly<Record<PimEntity, string>> = {
    product: 'getProductListing',
    category: 'getCategoryListing',
    asset: 'getAssetListing',
};

/** The fields that a record always needs. The PIM has them for objects that select them as system columns. */
const USUAL_SELECTIONS: Readonly<Record<PimEntity, string>> = {
    product: 'id key fullpath published objectType @optional',
    category: 'id key fullpath published index @optional',
    asset: '... on asset { id fullpath filename mimetype @optional }',
};

/** A listing to request. */
interface PimListing {
    readonly entityType: PimEntity;
    /** Default: that of `PIM_LISTINGS`. */
    readonly listingField?: string | undefined;
    /** The name of the listing in the response. Default: that of the listing. */
    readonly responseField?: string | undefined;
    /** The fields of each node, as GraphQL. Default: the fields that the entity needs. */
    readonly selection?: string | undefined;
}

const TYPES = {
    first: 'Int',
    after: 'Int',
    sortBy: '[String]',
    sortOrder: '[String]',
    filter: 'String',
    published: 'Boolean',
    defaultLanguage: 'String',
} as const;

/** The query for a listing. The PIM ignores whether assets are published, and has no localized texts for them. */
export function listingQuery({ entityType, listingField, responseField, selection }: PimListing): string {
    const names = Object.entries(TYPES).filter(
        ([name]) => entityType !== 'asset' || (name !== 'published' && name !== 'defaultLanguage'),
    );
    const declared = names.map(([name, type]) => `$${name}: ${type}`).join(', ');
    const given = names.map(([name]) => `${name}: $${name}`).join(', ');
    const field = listingField ?? PIM_LISTINGS[entityType];
    const alias = responseField === undefined || responseField === field ? '' : `${responseField}: `;
    const node = selection ?? USUAL_SELECTIONS[entityType];
    return `query (${declared}) { ${alias}${field}(${given}) { totalCount edges { node { ${node} } } } }`;
}

/** The columns that sort a listing. The PIM has no column `fullpath`, so it is replaced by path and name. */
export function sortColumns(sortBy: string, entityType: PimEntity): readonly string[] {
    return sortBy
        .split(',')
        .map(column => column.trim())
        .flatMap(column => (column === 'fullpath' ? ['path', entityType === 'asset' ? 'filename' : 'key'] : [column]));
}
