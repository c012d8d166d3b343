import type { ImportColumn, ImportFacts, ImportProfile, ImportSample } from './import-profile';
import { profileSample } from './profile';

/** A sample that is a whole file. No cell has the delimiter in it. */
function sampleOf(text: string, { delimiter = ';', ...facts }: Partial<ImportFacts> = {}): ImportSample {
    const rows = text.split('\n').map(line => line.split(delimiter));
    return {
        facts: { format: 'CSV', delimiter, ...facts },
        rows,
        leading: rows.length,
        trailing: Math.min(100, rows.length),
        total: rows.length,
    };
}

function profileOf(text: string, facts?: Partial<ImportFacts>): ImportProfile {
    return profileSample(sampleOf(text, facts));
}

/** The column of a file that has only this one and a key. */
function columnOf(name: string, values: readonly string[], facts?: Partial<ImportFacts>): ImportColumn {
    return profileOf([`sku;${name}`, ...values.map((value, i) => `TS-${100 + i};${value}`)].join('\n'), {
        headerRow: 1,
        ...facts,
    }).columns[1]!;
}

function codesOf({ warnings }: ImportProfile): readonly string[] {
    return warnings.map(({ code, column }) => (column === undefined ? code : `${code} ${column}`));
}

describe('the header of a known export', () => {
    const amazon = [
        'TemplateType=home;Version=2024.1;;;;;;;;;',
        'Product Type;Seller SKU;Brand;Product Name;Product ID;Product ID Type;Price;Quantity;Main Image;Other Image 1;Parent SKU',
        'feed_product_type;item_sku;brand_name;item_name;external_product_id;external_product_id_type;standard_price;quantity;main_image_url;other_image_url1;parent_sku',
        'home;AZ-1;Cosy;Cushion 40 cm;4006381333931;EAN;19.90;40;https://z.example.com/1.jpg;https://z.example.com/1b.jpg;AZ',
        'home;AZ-2;Cosy;Cushion 50 cm;4006381333948;EAN;24.90;25;https://z.example.com/2.jpg;https://z.example.com/2b.jpg;AZ',
    ].join('\n');

    it('is the row with its columns, below a row with their titles', () => {
        const { facts, alternatives, rows, columns } = profileOf(amazon);
        expect(facts).toMatchObject({ headerRow: 3, skipAfterHeader: 0 });
        expect(alternatives.headerRows).toContain(2);
        expect(rows).toBe(2);
        expect(columns[1]!.name).toBe('item_sku');
    });

    it('is another row if the user has chosen it', () => {
        expect(profileOf(amazon, { headerRow: 2 }).columns[1]!.name).toBe('Seller SKU');
        expect(profileOf(amazon, { headerRow: null }).columns[1]!.name).toBe('column2');
    });
});

describe('a German price list', () => {
    const profile = profileOf(
        [
            'Preisliste Meier & Söhne – gültig ab 01.12.2026;;;;;;',
            'Art.-Nr.;Bezeichnung;Warengruppe;UVP €;Lagerbestand;Gewicht;EAN',
            'ME-0001;Süße Tür;Küche & Bad;1.036,00;333 Stk;7,1 kg;4006381000001',
            'ME-0002;Große Bürste;Küche & Bad;1.528,74 €;29 Stk;65,3 kg;4006381000002',
            'ME-0003;  Weiße Schale  ;Küche & Bad;299,–;;31,1 kg;4006381000003',
            'ME-0004;Kühle Schüssel;Küche & Bad;auf Anfrage;ca. 20 Stk;16,3 kg;4006381000004',
            'ME-0005;Öllampe;Küche & Bad;123,11 €;285 Stk;18,4 kg;4006381000005',
            'ME-0006;Äpfelschale;Küche & Bad;309,78;292 Stk;40,8 kg;4006381000006',
            'ME-0007;Leuchter;Küche & Bad;12,00;12 Stk;4,8 kg;4006381000007',
        ].join('\n'),
    );

    it('has its header below the title', () => {
        expect(profile.facts).toMatchObject({ headerRow: 2, skipAfterHeader: 0, footerRows: 0, decimals: 'COMMA' });
        expect(profile).toMatchObject({ rows: 7, language: 'de', groupings: [] });
        expect(profile.head[0]![0]).toContain('Preisliste');
    });

    it('has columns with types, units, currency and exceptions', () => {
        expect(profile.columns).toMatchObject([
            { name: 'Art.-Nr.', type: 'CODE', uniqueness: 1, empties: 0, filled: 7, distinct: 7 },
            { name: 'Bezeichnung', type: 'TEXT' },
            { name: 'Warengruppe', type: 'TEXT', distinct: 1 },
            {
                name: 'UVP €',
                type: 'PRICE',
                currency: 'EUR',
                currencySign: '€',
                tax: 'WITH',
                decimals: 'COMMA',
                exceptions: 1,
            },
            { name: 'Lagerbestand', type: 'INTEGER', unit: 'Stk', empties: 1, exceptions: 1 },
            { name: 'Gewicht', type: 'NUMBER', unit: 'kg' },
            { name: 'EAN', type: 'BARCODE' },
        ]);
        expect(profile.columns[3]!.examples).toContain('auf Anfrage');
        expect(profile.columns[1]!.examples).toContain('Weiße Schale');
    });

    it('warns of barcodes with a wrong check digit', () => {
        expect(profile.warnings).toEqual([
            { code: 'BARCODE_CHECK_DIGITS', args: { wrong: expect.any(Number), total: 7 }, column: 'EAN' },
        ]);
    });
});

describe('an export with several rows for a product', () => {
    it('is grouped by the column that repeats while others are empty', () => {
        const profile = profileOf(
            [
                'Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Published',
                'blue-shirt,Blue shirt,<p>Nice</p>,Size,S,BS-1,50.00,https://a.example/1.jpg,true',
                'blue-shirt,,,,M,BS-2,50.00,https://a.example/2.jpg,',
                'blue-shirt,,,,L,BS-3,55.00,,',
                'red-hat,Red hat,<p>Warm</p>,Size,S,RH-1,20.00,https://a.example/3.jpg,true',
                'red-hat,,,,M,RH-2,20.00,,',
                'green-sock,Green sock,<p>Soft</p>,Size,M,GS-1,5.00,https://a.example/4.jpg,false',
            ].join('\n'),
            { delimiter: ',' },
        );
        expect(profile.groupings[0]).toEqual({ kind: 'BY_COLUMN', column: 'Handle' });
        expect(profile.language).toBe('en');
        expect(profile.columns.map(({ type }) => type)).toEqual([
            'CODE',
            'TEXT',
            'HTML',
            'TEXT',
            'OPTION',
            'CODE',
            'PRICE',
            'IMAGE_URL',
            'BOOLEAN',
        ]);
        expect(profile.warnings).toEqual([]);
    });

    it('is continued by rows with an empty name', () => {
        const { groupings } = profileOf(
            'name;slug;sku;price\nShirt;shirt;TS-1;5\n;;TS-2;6\n;;TS-3;7\nHat;hat;HT-1;8\n;;HT-2;9\nSock;sock;SK-1;1',
        );
        expect(groupings).toContainEqual({ kind: 'CONTINUING', column: 'name' });
    });

    it('has a column with the SKU of the product', () => {
        const { groupings } = profileOf(
            'sku;parent_sku;name;size\nTS-100;;Shirt;\nTS-101;TS-100;Shirt S;S\nTS-102;TS-100;Shirt M;M\nHT-200;;Hat;\nHT-201;HT-200;Hat S;S\nHT-202;HT-200;Hat M;M',
        );
        expect(groupings).toContainEqual({ kind: 'PARENT', column: 'parent_sku', key: 'sku' });
    });

    it.each<[string, string]>([
        [
            'an address that customers do not have',
            'id;name;city;email;phone\n1;Anna;Berlin;a@b.example;030 1\n2;Bert;Bonn;;\n3;Cora;Kiel;c@d.example;030 3\n4;Dora;Ulm;;',
        ],
        ['a yes and a no', 'sku;featured;text\nA-1;1;x\nA-2;0;y\nA-3;0;\nA-4;0;'],
    ])('is not grouped by %s', (_, text) => {
        expect(profileOf(text).groupings).toEqual([]);
    });

    it('is not grouped by a category that repeats', () => {
        expect(profileOf('sku;name;category\nA-1;x;Shoes\nA-2;y;Shoes\nA-3;z;Hats\nA-4;w;Hats').groupings).toEqual([]);
    });
});

describe('the header', () => {
    it.each<[string, string, Partial<ImportFacts>]>([
        ['is the first row', 'sku;name;price\nTS-1;Shirt;5\nTS-2;Hat;6', { headerRow: 1 }],
        ['is the first row of words', 'foo;bar\nAnna;Berlin\nBernd;Hamburg\nClara;Berlin', { headerRow: 1 }],
        ['is missing', 'TS-1;Shirt;19.95;5\nTS-2;Hat;5.00;6\nTS-3;Sock;1.00;7', { headerRow: null }],
        [
            'is below two titles and a blank cell',
            'Stock list;;\nWarehouse Berlin;;\nsku;name;stock\nTS-1;Shirt;5\nTS-2;Hat;6',
            { headerRow: 3 },
        ],
        [
            'is followed by units',
            'sku;name;price;weight\n;;EUR;kg\nTS-1;Shirt;5.00;1.5\nTS-2;Hat;6.00;2.5\nTS-3;Sock;1.00;0.1\nTS-4;Belt;1.00;0.1',
            { headerRow: 1, skipAfterHeader: 1 },
        ],
        [
            'is followed by types and obligations',
            'sku;name;stock\ntext;text;number\nrequired;optional;optional\nTS-1;Shirt;5\nTS-2;Hat;6\nTS-3;Sock;1\nTS-4;Belt;3',
            { headerRow: 1, skipAfterHeader: 2 },
        ],
        [
            'is followed by names for programs',
            'Seller SKU;Product Name;Standard Price\nitem_sku;item_name;standard_price\nTS-1;Shirt;5.00\nTS-2;Hat;6.00\nTS-3;Sock;1.00\nTS-4;Belt;3.00',
            { headerRow: 1, skipAfterHeader: 1 },
        ],
        [
            'is that of a list with totals',
            'Artikelnummer;Bezeichnung;Bestand\nTS-1;Hemd;5\nTS-2;Hut;6\nTS-3;Socke;1\nSumme;;12',
            { headerRow: 1, footerRows: 1 },
        ],
    ])('%s', (_, text, facts) => {
        expect(profileOf(text).facts).toMatchObject(facts);
    });

    it('is the row that the user has chosen', () => {
        const { facts, columns, rows } = profileOf('a;b\nsku;name\nTS-1;Shirt', { headerRow: 1 });
        expect(facts.headerRow).toBe(1);
        expect(columns.map(({ name }) => name)).toEqual(['a', 'b']);
        expect(rows).toBe(2);
        expect(profileOf('sku;name\nTS-1;Shirt', { headerRow: null }).columns[0]!.name).toBe('column1');
    });

    it('gives each column a name', () => {
        const profile = profileOf('sku;;price;price\nTS-1;x;5;6\nTS-2;y;6;7', { headerRow: 1 });
        expect(profile.columns.map(({ name }) => name)).toEqual(['sku', 'column2', 'price', 'price (2)']);
        expect(codesOf(profile)).toEqual(['DUPLICATE_COLUMN price (2)']);
    });

    it('is reported if it is missing, and rows of another width are', () => {
        expect(codesOf(profileOf('TS-1;19.95;5\nTS-2;5.00;6\nTS-3;1.00;7'))).toEqual(['NO_HEADER']);
        expect(codesOf(profileOf('sku;name;price\nTS-1;Shirt\nTS-2;Hat;5\nTS-3;Hat;5;9'))).toEqual(['ROW_WIDTHS']);
    });

    it.each<[string, Partial<ImportColumn>]>([
        ['name_de', { language: 'de' }],
        ['Name (fr)', { language: 'fr' }],
        ['description-en_US', { language: 'en' }],
        ['Bezeichnung deutsch', { language: 'de' }],
        ['VK brutto', { tax: 'WITH' }],
        ['Prix TTC', { tax: 'WITH' }],
        ['Prix HT', { tax: 'WITHOUT' }],
        ['Price excl. VAT', { tax: 'WITHOUT' }],
        ['price_usd', { currency: 'USD', type: 'PRICE' }],
        ['Preis CHF', { currency: 'CHF', type: 'PRICE' }],
    ])('says what %s is', (name, expected) => {
        expect(columnOf(name, ['1.50', '2.50', '3.50'])).toMatchObject(expected);
    });

    it('has no language if it is not clear', () => {
        expect(profileOf('sku;ean\nTS-1;5\nTS-2;6').language).toBeUndefined();
        expect(profileOf('kod;nazwa;cena;ilość\nTS-1;x;5;1\nTS-2;y;6;2').language).toBe('pl');
        expect(profileOf('référence;désignation;prix;quantité\nTS-1;x;5;1\nTS-2;y;6;2').language).toBe('fr');
    });
});

describe('the type of a column', () => {
    it.each<[string, string, readonly string[], Partial<ImportColumn>]>([
        ['German words for yes and no', 'aktiv', ['ja', 'nein', 'ja'], { type: 'BOOLEAN' }],
        ['Polish words for yes and no', 'x', ['tak', 'nie', 'tak'], { type: 'BOOLEAN' }],
        ['1 and 0 of a yes/no field', 'Published', ['1', '0', '1'], { type: 'BOOLEAN' }],
        ['1 and 0 of another field', 'stock', ['1', '0', '1'], { type: 'INTEGER' }],
        ['whole numbers', 'stock', ['12', '0', '-3'], { type: 'INTEGER' }],
        ['numbers with thousands', 'x', ['1,299.00', '12.50', '3.10'], { type: 'NUMBER', decimals: 'POINT' }],
        ['Swiss prices', 'Preis', ["1'299.50", '49.-', '12.90'], { type: 'PRICE', decimals: 'POINT' }],
        ['French numbers', 'Prix', ['1 299,50', '12,90', '3,10'], { type: 'PRICE', decimals: 'COMMA' }],
        ['prices with a sign', 'x', ['£5.00', '£ 6.50', '£1,200.00'], { type: 'PRICE', currency: 'GBP' }],
        ['Polish prices', 'cena', ['12,50 zł', '5,00 zł', '1 200,00 zł'], { type: 'PRICE', currency: 'PLN' }],
        ['percents', 'x', ['19 %', '7 %', '19 %'], { type: 'PERCENT' }],
        ['units', 'x', ['10 szt.', '5 szt.', '7 szt.'], { type: 'INTEGER', unit: 'szt.' }],
        ['ISO dates', 'x', ['2026-01-31', '2026-02-01', '2026-03-05'], { type: 'DATE', dateFormat: 'YYYY-MM-DD' }],
        [
            'times',
            'x',
            ['2026-01-31T10:00:00Z', '2026-02-01T23:59:59Z'],
            { type: 'DATE', dateFormat: 'YYYY-MM-DDTHH:mm:ssZ' },
        ],
        ['German dates', 'x', ['31.01.2026', '01.02.2026'], { type: 'DATE', dateFormat: 'DD.MM.YYYY' }],
        ['American dates', 'x', ['01/31/2026', '02/01/2026'], { type: 'DATE', dateFormat: 'MM/DD/YYYY' }],
        ['British dates', 'x', ['31/01/2026', '01/02/2026'], { type: 'DATE', dateFormat: 'DD/MM/YYYY' }],
        ['dates with months', 'x', ['5 mars 2026', '12 août 2026', '1 déc. 2026'], { type: 'DATE' }],
        ['e-mail addresses', 'x', ['a@b.example', 'c@d.example', 'e@f.example'], { type: 'EMAIL' }],
        ['addresses', 'x', ['https://a.example/x', 'www.a.example/b', 'http://c.example'], { type: 'URL' }],
        ['pictures', 'x', ['https://a.example/x.jpg', 'shirt.png', 'b.webp'], { type: 'IMAGE_URL' }],
        [
            'lists of pictures',
            'x',
            ['https://a.example/1.jpg|https://a.example/2.jpg', 'https://a.example/3.jpg'],
            { type: 'IMAGE_URL', separator: '|' },
        ],
        ['barcodes', 'x', ['4006381333931', '4006381333948', '4006381333955'], { type: 'BARCODE' }],
        ['countries', 'Land', ['DE', 'Österreich', 'France'], { type: 'COUNTRY' }],
        ['HTML', 'x', ['<p>One</p>', 'Two', 'a<br/>b'], { type: 'HTML' }],
        [
            'paths',
            'category',
            ['Home > Bath > Towels', 'Home > Kitchen', 'Garden > Tools'],
            { type: 'PATH', separator: ' > ' },
        ],
        ['facets', 'x', ['category:a|brand:b', 'category:a', 'category:a|brand:c'], { type: 'LIST', separator: '|' }],
        ['times with a zone', 'x', ['2026-01-05 10:11:12 +0100', '2026-01-06 11:00:00 +0100'], { type: 'DATE' }],
        [
            'four of five',
            'x',
            ['a@b.example', 'c@d.example', 'e@f.example', 'g@h.example', '?!'],
            { type: 'EMAIL', exceptions: 1 },
        ],
        ['lists', 'tags', ['red|new', 'red', 'sale|new'], { type: 'LIST', separator: '|' }],
        ['sizes', 'x', ['S', 'M', 'XL', 'M'], { type: 'OPTION' }],
        ['numbers of sizes', 'Größe', ['38', '40', '42', '40'], { type: 'OPTION' }],
        ['colours', 'x', ['rot', 'blau', 'rot', 'schwarz'], { type: 'OPTION' }],
        ['codes', 'x', ['AB-12', 'CD-34', 'EF-56'], { type: 'CODE' }],
        ['postcodes', 'PLZ', ['01067', '10115', '80331'], { type: 'CODE' }],
        ['digits of an id', 'id', ['1001', '1002', '1003'], { type: 'CODE' }],
        ['sentences', 'x', ['A fine shirt, made of cotton.', 'Warm, soft and red.', 'Nice'], { type: 'TEXT' }],
        ['nothing', 'x', ['', '', ''], { type: 'EMPTY', filled: 0, empties: 3, uniqueness: 0 }],
    ])('is found for %s', (_, name, values, expected) => {
        expect(columnOf(name, values, { decimals: undefined })).toMatchObject(expected);
    });

    it('has exceptions if most values fit', () => {
        const values = ['1', '2', '3', '4', '5', '6', '7', '8', 'on request', '10'];
        expect(columnOf('stock', values)).toMatchObject({ type: 'INTEGER', exceptions: 1 });
        expect(columnOf('stock', values).examples).toContain('on request');
        expect(columnOf('stock', [...values, 'a', 'b', 'c'])).toMatchObject({ type: 'TEXT', exceptions: 0 });
    });

    it('has an exception among few values if the header says that they are prices', () => {
        const values = ['12.50', '49.00', 'on request'];
        expect(columnOf('price', values)).toMatchObject({ type: 'PRICE', exceptions: 1 });
        expect(columnOf('size', values).type).not.toBe('NUMBER');
    });

    it('does not count words that stand for nothing', () => {
        expect(columnOf('stock', ['1', '-', 'n/a', '4', '5'])).toMatchObject({
            type: 'INTEGER',
            exceptions: 0,
            emptyWords: ['-', 'n/a'],
        });
        expect(columnOf('x', ['some', '-', 'other', 'words here'])).not.toHaveProperty('emptyWords');
    });
});

describe('what is not clear', () => {
    it.each<[string, string, readonly string[], string]>([
        ['dates without a part over 12', 'x', ['01/02/2026', '03/04/2026'], 'DATE_ORDER x'],
        ['dates with one digit', 'x', ['1.2.2026', '13.4.2026'], 'DATE_WITHOUT_FORMAT x'],
        ['days of a spreadsheet', 'date', ['45321', '45322', '45323'], 'DATE_SERIAL_NUMBERS date'],
        ['numbers with one separator and three digits', 'x', ['1.234', '2.500', '3.000'], 'DECIMALS_UNCLEAR x'],
        ['dollars', 'price', ['$5.00', '$6.00', '$7.00'], 'CURRENCY_UNCLEAR price'],
        ['two currencies', 'price', ['5.00 €', '6.00 CHF', '7.00 €'], 'SEVERAL_CURRENCIES price'],
        ['shortened barcodes', 'EAN', ['4.00638E+12', '4.00638E+12', '4.00639E+12'], 'BARCODE_SHORTENED EAN'],
    ])('is reported for %s', (_, name, values, warning) => {
        const text = [`sku;${name}`, ...values.map((value, i) => `TS-${100 + i};${value}`)].join('\n');
        expect(codesOf(profileOf(text, { headerRow: 1 }))).toEqual([warning]);
    });

    it('is read as other columns are', () => {
        expect(columnOf('stock', ['1.234', '2.500'], { decimals: 'POINT' })).toMatchObject({ type: 'NUMBER' });
        expect(columnOf('stock', ['1.234', '2.500'], { decimals: 'COMMA' })).toMatchObject({ type: 'INTEGER' });
        const { columns } = profileOf('sku;stock;price\nTS-1;1.234;5,50\nTS-2;2.500;6,75\nTS-3;100;7,95');
        expect(columns[1]).toMatchObject({ type: 'INTEGER', decimals: 'COMMA' });
    });
});

describe('a sample of a large file', () => {
    it('has the counts of the whole file without the rows that are not records', () => {
        const sample: ImportSample = {
            facts: { format: 'CSV' },
            rows: [
                ['sku', 'stock'],
                ['TS-1', '5'],
                ['TS-2', ''],
                ['TS-9', '7'],
            ],
            leading: 3,
            trailing: 1,
            total: 1_001,
            counts: [
                { empties: 0, distinct: null },
                { empties: 400, distinct: 51 },
            ],
        };
        const { rows, columns } = profileSample(sample);
        expect(rows).toBe(1_000);
        expect(columns).toMatchObject([
            { name: 'sku', filled: 1_000, empties: 0, distinct: null },
            { name: 'stock', filled: 600, empties: 400, distinct: 50 },
        ]);
    });

    it('has the fields and lists of records', () => {
        const { facts, columns, warnings } = profileSample({
            facts: { format: 'JSON' },
            fields: ['sku', 'price.amount', 'tags'],
            lists: ['tags'],
            rows: [
                ['TS-1', '5.5', '["a","b"]'],
                ['TS-2', '6', ''],
            ],
            leading: 2,
            trailing: 2,
            total: 2,
        });
        expect(facts).toMatchObject({ headerRow: null, decimals: 'POINT' });
        expect(columns.map(({ type }) => type)).toEqual(['CODE', 'PRICE', 'LIST']);
        expect(warnings).toEqual([]);
    });

    it('may be empty', () => {
        expect(profileSample({ facts: { format: 'CSV' }, rows: [], leading: 0, trailing: 0, total: 0 })).toMatchObject({
            rows: 0,
            columns: [],
            warnings: [],
        });
    });
});
