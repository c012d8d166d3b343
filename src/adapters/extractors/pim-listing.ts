/** What of the PIM is read. */
export const PIM_ENTITIES = ['product', 'category', 'asset'] as const;
export type PimEntity = (typeof PIM_ENTITIES)[number];

/** The listings that the PIM has of the classes Product and Category, and of its assets. */
export const PIM_LISTINGS: Readonly<Record<PimEntity, string>> = {
    product: 'getProductListing',
    category: 'getCategoryListing',
    asset: 'getAssetListing',
};

/** What of a record is needed whatever else it has; the PIM has these of objects once they are chosen as system columns. */
const USUAL_SELECTIONS: Readonly<Record<PimEntity, string>> = {
    product: 'id key fullpath published objectType @optional',
    category: 'id key fullpath published index @optional',
    asset: '... on asset { id fullpath filename mimetype @optional }',
};

/** A listing to be asked for. */
export interface PimListing {
    readonly entityType: PimEntity;
    /** Default: that of `PIM_LISTINGS`. */
    readonly listingField?: string | undefined;
    /** What its answer is called; as the listing where absent. */
    readonly responseField?: string | undefined;
    /** What is asked for of each node, as GraphQL; what the entity needs at least where absent. */
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

/** The query for a listing. The PIM ignores whether assets are published, and has none of their texts by language. */
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

/** What a listing is sorted by: `fullpath` is no column of the PIM, and means path and name. */
export function sortColumns(sortBy: string, entityType: PimEntity): readonly string[] {
    return sortBy
        .split(',')
        .map(column => column.trim())
        .flatMap(column => (column === 'fullpath' ? ['path', entityType === 'asset' ? 'filename' : 'key'] : [column]));
}
