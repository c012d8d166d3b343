import { buildSchema, type GraphQLSchema } from 'graphql';

/** The part of the PIM's classes that a configuration shows. */
export interface PimConfiguration {
    /** The chosen system columns; without them `key`, `fullpath`, `published` and `filename` are not fields. */
    readonly columns?: readonly ('key' | 'fullpath' | 'published')[];
    /** Fields of the class that are left out of its schema. */
    readonly without?: readonly string[];
    /** The name of the product class. */
    readonly productClass?: string;
}

const ALL_COLUMNS = ['key', 'fullpath', 'published'] as const;
const COLUMN_TYPES = { key: 'String', fullpath: 'String', published: 'Boolean' } as const;
const ARGUMENTS =
    'ids: String, fullpaths: String, tags: String, defaultLanguage: String, first: Int, after: Int, sortBy: [String], sortOrder: [String], filter: String, published: Boolean';

/** The public schema of a configuration: its listings and their fields. */
export function pimSchema({
    columns = ALL_COLUMNS,
    without = [],
    productClass = 'Product',
}: PimConfiguration = {}): GraphQLSchema {
    const system = columns.map(column => `${column}: ${COLUMN_TYPES[column]}`).join(' ');
    const own = (fields: Readonly<Record<string, string>>): string =>
        Object.entries(fields)
            .filter(([name]) => !without.includes(name.replace(/\(.*/, '')))
            .map(([name, type]) => `${name}: ${type}`)
            .join(' ');
    const usual = `id: ID creationDate: Int modificationDate: Int objectType: String index: Int classname: String ${system}`;
    const product = `object_${productClass}`;
    const listing = (type: string, node: string): string =>
        `type ${type}Connection { edges: [${type}Edge] totalCount: Int } type ${type}Edge { cursor: String node: ${node} }`;
    return buildSchema(`
        union element = ${product} | object_Category | object_folder
        type object_folder { id: ID ${system} }
        type ${product} { ${usual} parent: element children(objectTypes: [String]): [element] ${own({
            sku: 'String',
            'name(language: String)': 'String',
            'description(language: String)': 'String',
            price: 'Float',
            stockQuantity: 'Float',
            images: '[picture]',
        })} }
        type object_Category { ${usual} parent: element ${own({
            slug: 'String',
            'name(language: String)': 'String',
            'description(language: String)': 'String',
        })} }
        union picture = asset | asset_folder
        type asset { id: ID filename: String fullpath: String mimetype: String type: String filesize: Int modificationDate: Int }
        type asset_folder { id: ID filename: String fullpath: String }
        ${listing(product, product)} ${listing('object_Category', 'object_Category')} ${listing('asset', 'picture')}
        type Query {
            get${productClass}Listing(${ARGUMENTS}): ${product}Connection
            getCategoryListing(${ARGUMENTS}): object_CategoryConnection
            getAssetListing(${ARGUMENTS.replace('tags: String, ', '')}): assetConnection
        }`);
}
