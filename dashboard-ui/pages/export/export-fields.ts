import type { ExportEntity, ExportField, ExportPlan, ExportShop, FieldSource } from './export-plan';

/** Groups of the tree of fields: the entity itself, or what is related to it. */
export type FieldGroup =
    'ITSELF' | 'PRODUCT' | 'VARIANT' | 'FACETS' | 'CUSTOM' | 'ADDRESS' | 'CUSTOMER' | 'LINES' | 'SHIPPING' | 'BILLING';

/** A field that can be exported. */
export interface OfferedField extends ExportField {
    /** Identifies it in the tree. */
    readonly id: string;
    readonly group: FieldGroup;
    /** Selected at first. */
    readonly isDefault: boolean;
    /** The label of a custom field, or the name of a facet. */
    readonly label?: string;
}

interface Offer {
    readonly column: string;
    readonly source: FieldSource;
    readonly relations?: readonly string[];
    readonly isDefault?: boolean;
    readonly rows?: string;
    readonly label?: string;
}

const value = (path: string): FieldSource => ({ kind: 'VALUE', path });
const money = (path: string): FieldSource => ({ kind: 'MONEY', path });
const text = (property: string, owner = ''): FieldSource => ({ kind: 'TEXT', owner, property });
const list = (path: string, property: string): FieldSource => ({ kind: 'LIST', path, property });

const DEFAULT = { isDefault: true } as const;

/** The text before the name of a facet in a column, and before that of a stock location. */
const FACET = 'facet:';
const STOCK = 'stock:';

/** What Vendure calls the entities whose custom fields are offered, and where they are in a record. */
const CUSTOM_OF: Readonly<Record<ExportEntity, ReadonlyArray<readonly [entity: string, path: string]>>> = {
    VARIANTS: [
        ['Product', 'product.'],
        ['ProductVariant', ''],
    ],
    PRODUCTS: [['Product', '']],
    CUSTOMERS: [['Customer', '']],
    ORDERS: [['Order', '']],
    COLLECTIONS: [['Collection', '']],
    FACET_VALUES: [['FacetValue', '']],
};

/**
 * The fields of an entity as a tree of groups, in the order of the columns. Products with variants have the columns that the import wizard
 * recognises: options, facets and their values have names, in other languages than that of the channel codes.
 */
export function offeredFields(
    entity: ExportEntity,
    shop: ExportShop,
    language: string,
): ReadonlyMap<FieldGroup, readonly OfferedField[]> {
    const naming = { key: language === shop.defaultLanguage ? ('name' as const) : ('code' as const), shop };
    const groups: ReadonlyArray<readonly [FieldGroup, readonly Offer[]]> = [
        ...OFFERS[entity](naming),
        ['CUSTOM', customFields(entity, shop)],
    ];
    return new Map(
        groups
            .filter(([, offers]) => offers.length > 0)
            .map(([group, offers]) => [group, offers.map(offer => offered(group, offer))]),
    );
}

function offered(group: FieldGroup, { relations = [], isDefault = false, ...offer }: Offer): OfferedField {
    return { id: `${group}.${offer.column}`, group, isDefault, relations, ...offer };
}

/** The fields that are selected at first. */
export function defaultFields(entity: ExportEntity, shop: ExportShop, language: string): readonly ExportField[] {
    return fieldsOf(offeredFields(entity, shop, language), field => field.isDefault);
}

/** The selected fields, in the order of the tree. */
export function fieldsOf(
    groups: ReadonlyMap<FieldGroup, readonly OfferedField[]>,
    isSelected: (field: OfferedField) => boolean,
): readonly ExportField[] {
    return [...groups.values()]
        .flat()
        .filter(isSelected)
        .map(({ column, source, relations, rows }) => ({ column, source, relations, ...(rows && { rows }) }));
}

/** The same fields for another language, as far as they exist. */
export function fieldsInLanguage(plan: ExportPlan, shop: ExportShop, language: string): readonly ExportField[] {
    const selected = new Set(plan.fields.map(keyOf));
    return fieldsOf(offeredFields(plan.entity, shop, language), field => selected.has(keyOf(field)));
}

/** Identifies a field in all languages. */
function keyOf({ source, rows = '', column }: ExportField): string {
    const where = source.kind === 'LIST' ? source.where?.value : undefined;
    return where === undefined ? `${rows} ${column}` : `facet ${where}`;
}

interface Naming {
    /** By which property facets, values and options are written. */
    readonly key: 'name' | 'code';
    readonly shop: ExportShop;
}

type Offers = (naming: Naming) => ReadonlyArray<readonly [FieldGroup, readonly Offer[]]>;

const OFFERS: Readonly<Record<ExportEntity, Offers>> = {
    VARIANTS: naming => [
        ['PRODUCT', productFields('product')],
        [
            'VARIANT',
            [
                { column: 'sku', source: value('sku'), ...DEFAULT },
                { column: 'variantName', source: text('name') },
                { column: 'variantEnabled', source: value('enabled') },
                {
                    column: 'optionGroups',
                    source: list('options', `group.${naming.key}`),
                    relations: ['options.group'],
                    ...DEFAULT,
                },
                { column: 'optionValues', source: list('options', naming.key), relations: ['options'], ...DEFAULT },
                { column: 'price', source: money('price'), ...DEFAULT },
                { column: 'currencyCode', source: value('currencyCode') },
                { column: 'taxCategory', source: value('taxCategory.name'), relations: ['taxCategory'], ...DEFAULT },
                ...stockFields(naming.shop),
                { column: 'trackInventory', source: value('trackInventory') },
                { column: 'variantAssets', source: list('assets', 'asset.source'), relations: ['assets.asset'] },
                {
                    column: 'variantFacets',
                    source: list('facetValues', naming.key),
                    relations: ['facetValues.facet'],
                },
                { column: 'variantId', source: value('id') },
            ],
        ],
        ['FACETS', facetFields('product.facetValues', naming)],
    ],
    PRODUCTS: naming => [
        ['ITSELF', productFields('')],
        ['FACETS', facetFields('facetValues', naming)],
    ],
    CUSTOMERS: () => [
        [
            'ITSELF',
            [
                { column: 'emailAddress', source: value('emailAddress'), ...DEFAULT },
                { column: 'title', source: value('title') },
                { column: 'firstName', source: value('firstName'), ...DEFAULT },
                { column: 'lastName', source: value('lastName'), ...DEFAULT },
                { column: 'phoneNumber', source: value('phoneNumber'), ...DEFAULT },
                { column: 'groups', source: list('groups', 'name'), relations: ['groups'] },
                { column: 'createdAt', source: value('createdAt') },
                { column: 'id', source: value('id') },
            ],
        ],
        ['ADDRESS', addressFields('', 'addresses.0', { relations: ['addresses.country'], country: 'country.code' })],
    ],
    ORDERS: () => [
        [
            'ITSELF',
            [
                { column: 'code', source: value('code'), ...DEFAULT },
                { column: 'orderPlacedAt', source: value('orderPlacedAt'), ...DEFAULT },
                { column: 'state', source: value('state'), ...DEFAULT },
                { column: 'currencyCode', source: value('currencyCode'), ...DEFAULT },
                { column: 'total', source: money('total') },
                { column: 'totalWithTax', source: money('totalWithTax'), ...DEFAULT },
                { column: 'shipping', source: money('shipping') },
                { column: 'shippingWithTax', source: money('shippingWithTax') },
                { column: 'totalQuantity', source: value('totalQuantity') },
                { column: 'id', source: value('id') },
            ],
        ],
        [
            'CUSTOMER',
            [
                {
                    column: 'customer',
                    source: value('customer.emailAddress'),
                    relations: ['customer'],
                    ...DEFAULT,
                },
                { column: 'customerFirstName', source: value('customer.firstName'), relations: ['customer'] },
                { column: 'customerLastName', source: value('customer.lastName'), relations: ['customer'] },
            ],
        ],
        [
            'LINES',
            [
                lineField('lineSku', value('productVariant.sku'), ['lines.productVariant']),
                lineField('lineName', value('productVariant.name'), ['lines.productVariant']),
                lineField('lineQuantity', value('quantity')),
                lineField('linePrice', money('proratedUnitPrice')),
                lineField('linePriceWithTax', money('proratedUnitPriceWithTax')),
                lineField('lineTaxRate', value('taxRate')),
            ],
        ],
        ['SHIPPING', addressFields('shipping', 'shippingAddress', { country: 'countryCode' })],
        ['BILLING', addressFields('billing', 'billingAddress', { country: 'countryCode' })],
    ],
    COLLECTIONS: () => [
        [
            'ITSELF',
            [
                { column: 'name', source: text('name'), ...DEFAULT },
                { column: 'slug', source: text('slug'), ...DEFAULT },
                { column: 'description', source: text('description'), ...DEFAULT },
                { column: 'parent', source: value('parent.slug'), relations: ['parent'], ...DEFAULT },
                { column: 'position', source: value('position'), ...DEFAULT },
                { column: 'isPrivate', source: value('isPrivate') },
                { column: 'assets', source: list('assets', 'asset.source'), relations: ['assets.asset'] },
                { column: 'id', source: value('id') },
            ],
        ],
    ],
    FACET_VALUES: () => [
        [
            'ITSELF',
            [
                { column: 'facet', source: value('facet.name'), relations: ['facet'], ...DEFAULT },
                { column: 'facetCode', source: value('facet.code'), relations: ['facet'] },
                { column: 'name', source: text('name'), ...DEFAULT },
                { column: 'code', source: value('code'), ...DEFAULT },
                { column: 'id', source: value('id') },
            ],
        ],
    ],
};

function productFields(owner: string): readonly Offer[] {
    const prefix = owner === '' ? '' : `${owner}.`;
    const own = owner === '' ? [] : [owner];
    return [
        { column: 'slug', source: text('slug', owner), relations: own, ...DEFAULT },
        { column: 'name', source: text('name', owner), relations: own, ...DEFAULT },
        { column: 'description', source: text('description', owner), relations: own, ...DEFAULT },
        { column: 'enabled', source: value(`${prefix}enabled`), relations: own, ...DEFAULT },
        {
            column: 'assets',
            source: list(`${prefix}assets`, 'asset.source'),
            relations: [`${prefix}assets.asset`],
            ...DEFAULT,
        },
        { column: 'productId', source: value(`${prefix}id`), relations: own },
    ];
}

/** One column of the only location, or one for each. */
function stockFields({ stockLocations }: ExportShop): readonly Offer[] {
    if (stockLocations.length < 2)
        return [
            {
                column: 'stock',
                source: value('stockLevels.0.stockOnHand'),
                relations: ['stockLevels'],
                ...DEFAULT,
            },
        ];
    return stockLocations.map(name => ({
        column: STOCK + name,
        source: {
            kind: 'FIRST',
            path: 'stockLevels',
            property: 'stockOnHand',
            where: { property: 'stockLocation.name', value: name },
        },
        relations: ['stockLevels.stockLocation'],
        label: name,
        ...DEFAULT,
    }));
}

/** A column for each facet, with the values of the product. */
function facetFields(path: string, { key, shop }: Naming): readonly Offer[] {
    return shop.facets.map(({ code, name }) => ({
        column: FACET + (key === 'name' ? name : code),
        source: { kind: 'LIST', path, property: key, where: { property: 'facet.code', value: code } },
        relations: [`${path}.facet`],
        label: name,
        ...DEFAULT,
    }));
}

function lineField(column: string, source: FieldSource, relations: readonly string[] = ['lines']): Offer {
    return { column, source, relations, rows: 'lines' };
}

const ADDRESS_FIELDS = [
    'fullName',
    'company',
    'streetLine1',
    'streetLine2',
    'postalCode',
    'city',
    'province',
    'phoneNumber',
] as const;

function addressFields(
    prefix: string,
    path: string,
    { relations = [], country }: { readonly relations?: readonly string[]; readonly country: string },
): readonly Offer[] {
    const column = (name: string): string => (prefix === '' ? name : prefix + name[0]!.toUpperCase() + name.slice(1));
    // The phone number of a customer is another field.
    const names = ADDRESS_FIELDS.filter(name => prefix !== '' || name !== 'phoneNumber');
    return [
        ...names.map(name => ({ column: column(name), source: value(`${path}.${name}`), relations })),
        { column: column('country'), source: value(`${path}.${country}`), relations },
    ];
}

function customFields(entity: ExportEntity, { customFields: all }: ExportShop): readonly Offer[] {
    return CUSTOM_OF[entity].flatMap(([owner, path]) =>
        all
            .filter(field => field.entity === owner)
            .map(({ name, label }) => ({
                column: `${entity === 'VARIANTS' && path === '' ? 'variant.' : ''}customFields.${name}`,
                source: value(`${path}customFields.${name}`),
                relations: path === '' ? [] : [path.slice(0, -1)],
                label,
            })),
    );
}
