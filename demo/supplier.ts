/** A fictional supplier of outdoor gear and its price list, the same at every start. */

const BRANDS = ['Nordfjell', 'Alpenglow', 'Kestrel', 'Birkwood', 'Tundra & Co', 'Salt Marsh', 'Höhenweg'];
const COLOURS = ['Moss', 'Slate', 'Rust', 'Midnight', 'Sand', 'Glacier'];
const SIZES = ['S', 'M', 'L', 'XL'];

interface Article {
    readonly en: string;
    readonly de: string;
    readonly category: string;
    readonly from: number;
}

const ARTICLES: readonly Article[] = [
    { en: 'Trekking Jacket', de: 'Trekkingjacke', category: 'Jackets', from: 129 },
    { en: 'Down Vest', de: 'Daunenweste', category: 'Jackets', from: 89 },
    { en: 'Merino Base Layer', de: 'Merino-Unterhemd', category: 'Base Layers', from: 49 },
    { en: 'Hiking Trousers', de: 'Wanderhose', category: 'Trousers', from: 79 },
    { en: 'Two-Person Tent', de: 'Zweipersonenzelt', category: 'Tents', from: 249 },
    { en: 'Sleeping Bag', de: 'Schlafsack', category: 'Sleeping Bags', from: 119 },
    { en: 'Daypack 22 L', de: 'Tagesrucksack 22 L', category: 'Packs', from: 69 },
    { en: 'Expedition Pack 65 L', de: 'Expeditionsrucksack 65 L', category: 'Packs', from: 189 },
    { en: 'Camp Stove', de: 'Campingkocher', category: 'Cooking', from: 39 },
    { en: 'Enamel Mug', de: 'Emaille-Becher', category: 'Cooking', from: 12 },
    { en: 'Head Torch', de: 'Stirnlampe', category: 'Lights', from: 29 },
    { en: 'Trail Shoe', de: 'Trailschuh', category: 'Footwear', from: 99 },
];

const COLUMNS = [
    'Article No',
    'Name EN',
    'Name DE',
    'Description EN',
    'Description DE',
    'Brand',
    'Category',
    'Colour',
    'Size',
    'RRP EUR',
    'On hand',
    'Tax',
];

/** Mulberry32: small, seeded, good enough to spread prices and stock. */
function dice(seed: number): () => number {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

function pick<T>(list: readonly T[], roll: number): T {
    return list[Math.floor(roll * list.length)]!;
}

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** About one row in fifty has an error, as in real files. */
const SPOILED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    57: { 'RRP EUR': 'on request' },
    148: { 'Article No': '' },
    311: { Tax: 'Luxury' },
    402: { 'On hand': 'approx. 20' },
    555: { 'RRP EUR': '' },
    708: { 'Name EN': '' },
    903: { 'On hand': '3.5' },
};

/** The price list as CSV text: a line of column names and `rows` products, some of them with errors. */
export function supplierCsv(rows: number): string {
    const roll = dice(20_261);
    const lines = [COLUMNS.join(',')];
    for (let i = 1; i <= rows; i++) {
        const article = pick(ARTICLES, roll());
        const brand = pick(BRANDS, roll());
        const colour = pick(COLOURS, roll());
        const size = pick(SIZES, roll());
        const number = `OUT-${String(i).padStart(5, '0')}`;
        const row: Record<string, string> = {
            'Article No': number,
            'Name EN': ` ${brand} ${article.en} ${colour} ${size} ${i}`,
            'Name DE': `${brand} ${article.de} ${colour} ${size} ${i}`,
            'Description EN': `${article.en} in ${colour.toLowerCase()}, "made to last", size ${size}.`,
            'Description DE': `${article.de} in ${colour}, für draußen gemacht, Größe ${size}.`,
            Brand: brand,
            Category: article.category,
            Colour: colour,
            Size: size,
            'RRP EUR': (article.from + Math.floor(roll() * 6000) / 100).toFixed(2),
            'On hand': String(Math.floor(roll() * 120)),
            Tax: 'Standard Tax',
            ...SPOILED[i],
        };
        lines.push(COLUMNS.map(column => quoted(row[column]!)).join(','));
    }
    return `${lines.join('\n')}\n`;
}

/** A small file to upload: a new price, new products, and typical errors. */
export function sampleCsv(): string {
    const of = (row: Readonly<Record<string, string>>): Record<string, string> => ({
        Brand: 'Kestrel',
        Category: 'Cooking',
        Colour: 'Rust',
        Size: 'M',
        'On hand': '12',
        Tax: 'Standard Tax',
        ...row,
    });
    const rows = [
        of({ 'Article No': 'OUT-00001', 'Name EN': 'Daypack 22 L, last season', 'RRP EUR': '49.00' }),
        of({ 'Article No': 'NEW-1', 'Name EN': 'Folding Kettle', 'RRP EUR': '34.50' }),
        of({ 'Article No': 'NEW-2', 'Name EN': '  Titanium Spoon ', 'RRP EUR': ' 9.90 ' }),
        of({ 'Article No': 'NEW-3', 'Name EN': 'Camp Oven', 'RRP EUR': 'on request' }),
        of({ 'Article No': '', 'Name EN': 'Article without a number', 'RRP EUR': '5.00' }),
    ];
    const columns = COLUMNS.filter(column => !/DE$/.test(column) && !column.startsWith('Description'));
    return `${[columns.join(','), ...rows.map(row => columns.map(column => quoted(row[column]!)).join(','))].join('\n')}\n`;
}

/** The warehouse's daily file: new prices and stock levels for some of the products, depending on the seed. */
export function warehouseCsv(rows: number, seed = 7): string {
    const roll = dice(seed);
    const lines = ['sku;price;on_hand'];
    for (let i = 1; i <= rows; i++) {
        lines.push(
            `OUT-${String(i * 3).padStart(5, '0')};${(20 + Math.floor(roll() * 20_000) / 100).toFixed(2)};${Math.floor(roll() * 80)}`,
        );
    }
    return `${lines.join('\n')}\n`;
}
