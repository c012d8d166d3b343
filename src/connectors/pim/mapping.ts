import { z } from 'zod';

/** A field of the PIM's class, or null where it has none. */
const field = (title: string, usual: string, description: string) =>
    z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL, or null')
        .max(128)
        .nullable()
        .default(usual)
        .meta({ title, description: `${description} null: the PIM has no such field.` });
const needed = (title: string, usual: string, description: string) =>
    z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL')
        .max(128)
        .default(usual)
        .meta({ title, description });

/** The fields of the PIM that products are made of. */
export const productMapping = {
    skuField: needed('SKU field', 'sku', 'The field with the SKU; otherwise itemNumber, then the key.'),
    nameField: needed('Name field', 'name', 'The field with the name; otherwise the key.'),
    slugField: field('Slug field', 'slug', 'The field with the slug; otherwise urlKey, then the name.'),
    descriptionField: field('Description field', 'description', 'The field with the description.'),
    variantsField: field('Variants field', 'variants', 'The field with the variants.'),
    priceField: field('Price field', 'price', 'The field with the price, as a decimal number: 19.95.'),
    stockQuantityField: field('Stock field', 'stockQuantity', 'The field with the stock level.'),
    enabledField: field('Enabled field', 'published', 'The field that says whether it is enabled.'),
    assetsField: z
        .string()
        .regex(/^[_A-Za-z]\w*$/, 'allowed: the name of a field in GraphQL, or null')
        .max(128)
        .nullable()
        .default(null)
        .meta({
            title: 'Pictures field',
            description: 'The field with the images, a list or a single one. null: images in the shop are not changed.',
        }),
} as const;

/** The fields of the PIM that collections are made of. */
export const categoryMapping = {
    nameField: needed('Name field', 'name', 'The field with the name; otherwise the key.'),
    slugField: field('Slug field', 'slug', 'The field with the slug; otherwise the key.'),
    descriptionField: field('Description field', 'description', 'The field with the description.'),
    parentField: field('Parent field', 'parent', 'The field with the parent.'),
    positionField: field(
        'Position field',
        'position',
        'The field with the position among its siblings; otherwise index.',
    ),
} as const;

/** The fields of the PIM that assets are made of. */
export const assetMapping = {
    urlField: needed('URL field', 'fullpath', 'The field with the address, or the path in the PIM.'),
    filenameField: needed('File name field', 'filename', 'The field with the name.'),
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
