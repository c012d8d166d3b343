import { z } from 'zod';

/** A field of the PIM's class, or null where it has none. */
const field = (title: string, usual: string, description: string) =>
    z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL, or null')
        .max(128)
        .nullable()
        .default(usual)
        .meta({ title, description: `${description} null where the PIM has no such field.` });
const needed = (title: string, usual: string, description: string) =>
    z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL')
        .max(128)
        .default(usual)
        .meta({ title, description });

/** The fields of the PIM that products are made of. */
export const productMapping = {
    skuField: needed('SKU field', 'sku', 'Holds the SKU; then itemNumber and the key.'),
    nameField: needed('Name field', 'name', 'Holds the name; then the key.'),
    slugField: field('Slug field', 'slug', 'Holds the slug; then urlKey and the name.'),
    descriptionField: field('Description field', 'description', 'Holds the description.'),
    variantsField: field('Variants field', 'variants', 'Holds the variants.'),
    priceField: field('Price field', 'price', 'Holds the price, as a decimal number: 19.95.'),
    stockQuantityField: field('Stock field', 'stockQuantity', 'Holds the stock level.'),
    enabledField: field('Enabled field', 'published', 'Says whether it is shown.'),
    assetsField: z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL, or null')
        .max(128)
        .nullable()
        .default(null)
        .meta({
            title: 'Pictures field',
            description: 'Holds the pictures, a list or one; with null those of the shop are left alone.',
        }),
} as const;

/** The fields of the PIM that collections are made of. */
export const categoryMapping = {
    nameField: needed('Name field', 'name', 'Holds the name; then the key.'),
    slugField: field('Slug field', 'slug', 'Holds the slug; then the key.'),
    descriptionField: field('Description field', 'description', 'Holds the description.'),
    parentField: field('Parent field', 'parent', 'The field that holds the parent.'),
    positionField: field(
        'Position field',
        'position',
        'Holds the number that it is sorted by among its siblings; then index.',
    ),
} as const;

/** The fields of the PIM that assets are made of. */
export const assetMapping = {
    urlField: needed('URL field', 'fullpath', 'Holds the address, or the path at the PIM.'),
    filenameField: needed('File name field', 'filename', 'Holds the name.'),
} as const;

export type ProductMapping = z.output<z.ZodObject<typeof productMapping>>;
export type CategoryMapping = z.output<z.ZodObject<typeof categoryMapping>>;
export type AssetMapping = z.output<z.ZodObject<typeof assetMapping>>;

/** The usual fields. */
export const USUAL_MAPPING: {
    readonly product: ProductMapping;
    readonly category: CategoryMapping;
    readonly asset: AssetMapping;
} = {
    product: z.strictObject(productMapping).parse({}),
    category: z.strictObject(categoryMapping).parse({}),
    asset: z.strictObject(assetMapping).parse({}),
};
