/** A file to try the import with. */
export interface SampleFile {
    readonly id: 'prices' | 'shopify' | 'stock';
    readonly filename: string;
    readonly text: string;
}

const HOUSEHOLD: ReadonlyArray<readonly [sku: string, name: string, group: string, price: string, stock: string]> = [
    ['T-1001', 'Teapot, cast iron', 'Kitchen', '39.90', '24'],
    ['T-1002', 'Teacup, double-walled', 'Kitchen', '12.50', '120'],
    ['T-1003', 'Tea strainer', 'Kitchen', '6.95', '310'],
    ['T-1004', 'Bread knife, 21 cm', 'Kitchen', '34.00', '42'],
    ['T-2001', 'Linen towel, natural', 'Bathroom', '14.90', '85'],
    ['T-2002', 'Bath mat, cork', 'Bathroom', '29.90', '17'],
    ['T-2003', 'Soap dish, ash', 'Bathroom', '9.80', '63'],
    ['T-3001', 'Watering can, 1.5 l', 'Garden', '24.90', '38'],
    ['T-3002', 'Secateurs', 'Garden', '19.90', '51'],
    ['T-3003', 'Seed box, oak', 'Garden', '44.00', '9'],
];

const SHIRTS: ReadonlyArray<readonly [handle: string, title: string, colours: readonly string[], price: string]> = [
    ['linen-shirt', 'Linen shirt', ['White', 'Navy', 'Olive'], '59.00'],
    ['wool-scarf', 'Wool scarf', ['Grey', 'Rust'], '35.00'],
    ['canvas-bag', 'Canvas bag', ['Natural', 'Black'], '28.00'],
];

function csv(rows: ReadonlyArray<readonly string[]>): string {
    const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return `${rows.map(row => row.map(cell).join(',')).join('\n')}\n`;
}

const SHOPIFY_COLUMNS = [
    'Handle',
    'Title',
    'Body (HTML)',
    'Vendor',
    'Type',
    'Tags',
    'Published',
    'Option1 Name',
    'Option1 Value',
    'Variant SKU',
    'Variant Grams',
    'Variant Inventory Qty',
    'Variant Price',
    'Image Src',
    'Status',
];

function shopifyRows(): ReadonlyArray<readonly string[]> {
    return SHIRTS.flatMap(([handle, title, colours, price]) =>
        colours.map((colour, at) => [
            handle,
            ...(at === 0
                ? [title, `<p>${title}, made to last.</p>`, 'Northwind', 'Clothing', 'summer, new', 'true']
                : ['', '', '', '', '', '']),
            at === 0 ? 'Color' : '',
            colour,
            `${handle}-${colour}`.toUpperCase(),
            '250',
            String(12 + at * 5),
            price,
            '',
            at === 0 ? 'active' : '',
        ]),
    );
}

/** Files that show what an import does: a price list, an export of another shop, a stock list. */
export const SAMPLE_FILES: readonly SampleFile[] = [
    {
        id: 'prices',
        filename: 'price-list.csv',
        text: csv([['Item no.', 'Name', 'Category', 'Price', 'Stock'], ...HOUSEHOLD]),
    },
    { id: 'shopify', filename: 'shopify-products.csv', text: csv([SHOPIFY_COLUMNS, ...shopifyRows()]) },
    {
        id: 'stock',
        filename: 'stock.csv',
        text: csv([['SKU', 'Quantity'], ...HOUSEHOLD.map(([sku, , , , stock]) => [sku, stock])]),
    },
];
