import {
    type ImportFixture,
    type MatchingFigures,
    measureMatching,
    profileOfFixture,
    readImportFixtures,
} from '../../../test/kit/import-fixtures';
import type { ImportColumn, ImportProfile } from './import-profile';
import type { FieldSuggestion, ImportShop, ImportSuggestion } from './import-suggestion';
import { parsePlan } from './parse-plan';
import { suggest } from './suggest';

const LEAST_MAPPED = 0.95;
const MOST_WRONG = 0.01;
const LEAST_RECOGNISED = 0.97;

const fixtures = readImportFixtures();

interface Measured {
    readonly fixture: ImportFixture;
    readonly profile: ImportProfile;
    readonly suggestion: ImportSuggestion;
    readonly figures: MatchingFigures;
}

async function measure(fixture: ImportFixture): Promise<Measured> {
    const profile = await profileOfFixture(fixture);
    const suggestion = suggest(profile, fixture.shop);
    return { fixture, profile, suggestion, figures: measureMatching(fixture, suggestion) };
}

let measured: readonly Measured[];
beforeAll(async () => void (measured = await Promise.all(fixtures.map(measure))));

const SHOP: ImportShop = {
    languages: ['en', 'de'],
    defaultLanguage: 'en',
    currencies: ['EUR', 'USD'],
    defaultCurrency: 'EUR',
    pricesIncludeTax: true,
    taxCategories: [{ name: 'Standard Tax', percent: 19, isDefault: true }],
    facets: [],
    collections: [],
    customFields: [],
    known: [],
    counts: {},
    learned: {},
};

function column(
    name: string,
    type: ImportColumn['type'],
    examples: readonly string[],
    more: Partial<ImportColumn> = {},
): ImportColumn {
    return {
        index: 0,
        name,
        type,
        exceptions: 0,
        filled: 100,
        empties: 0,
        distinct: 100,
        examples,
        uniqueness: 1,
        ...more,
    };
}

function profileOf(columns: readonly ImportColumn[], more: Partial<ImportProfile> = {}): ImportProfile {
    return {
        facts: { format: 'CSV', decimals: 'COMMA', headerRow: 1, skipAfterHeader: 0, footerRows: 0 },
        alternatives: { encodings: [], delimiters: [], headerRows: [], recordPaths: [] },
        sheets: [],
        rows: 100,
        columns: columns.map((each, index) => ({ ...each, index })),
        head: [],
        headNumbers: [],
        groupings: [],
        warnings: [],
        ...more,
    };
}

const SKU = column('Art.-Nr.', 'CODE', ['A-1', 'A-2']);
const STOCK = column('Bestand', 'INTEGER', ['3', '12']);
const NAME = column('Bezeichnung', 'TEXT', ['Tür', 'Lampe']);
const PRICE = column('Preis', 'PRICE', ['1.299,–', '10,00 €'], { currency: 'EUR', decimals: 'COMMA' });

function fieldOf(suggestion: ImportSuggestion, field: string): FieldSuggestion | undefined {
    return suggestion.fields.find(each => each.field === field);
}

function mappingOf({ fields, plan }: ImportSuggestion): unknown {
    return {
        target: plan.target,
        variants: plan.variants,
        fields: fields
            .filter(({ columns }) => columns.length > 0)
            .map(({ field, columns, confidence, score, conversions }) => ({
                field,
                columns,
                confidence,
                score,
                conversions,
            })),
    };
}

/** Numbers between 0 and 1 that are the same in each run. */
function randomNumbers(seed: number): () => number {
    let state = seed;
    return () => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return state / 2147483648;
    };
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
    const result = [...items];
    for (let i = result.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [result[i], result[j]] = [result[j]!, result[i]!];
    }
    return result;
}

describe('suggest: the files of the fixtures', () => {
    it('are at least 60, in eight languages', () => {
        expect(fixtures.length).toBeGreaterThanOrEqual(60);
        expect(new Set(fixtures.map(({ language }) => language)).size).toBe(8);
    });

    it(`have at least ${LEAST_MAPPED * 100} % of the fields mapped that a person would map`, () => {
        const expected = measured.reduce((sum, { figures }) => sum + figures.expected, 0);
        const mapped = measured.reduce((sum, { figures }) => sum + figures.mapped, 0);
        expect(mapped / expected).toBeGreaterThanOrEqual(LEAST_MAPPED);
    });

    it(`have at most ${MOST_WRONG * 100} % wrong mappings with high confidence`, () => {
        const high = measured.reduce((sum, { figures }) => sum + figures.high, 0);
        const wrong = measured.flatMap(({ figures }) => figures.wrong.map(text => `${figures.name}: ${text}`));
        expect(wrong.length / high).toBeLessThanOrEqual(MOST_WRONG);
    });

    it(`are recognised as what they are, at least ${LEAST_RECOGNISED * 100} % of them`, () => {
        const right = measured.filter(({ figures }) => figures.hasTarget && figures.hasGrouping);
        expect(right.length / measured.length).toBeGreaterThanOrEqual(LEAST_RECOGNISED);
    });

    it('are read with the delimiter and the header that a person would choose', () => {
        for (const { fixture, profile } of measured) {
            const { delimiter, headerRow, skipAfterHeader } = fixture.reading;
            expect(profile.facts).toMatchObject({ delimiter, headerRow, skipAfterHeader });
        }
    });

    it.each([
        ['known-magento2-products', [{ type: 'LOOKUP', values: { 'Taxable Goods': 'Standard Tax' } }]],
        ['known-bigcommerce-products', [{ type: 'LOOKUP', values: { Default: 'Standard Tax' } }]],
        ['known-vendure-products', [{ type: 'LOOKUP', values: { standard: 'Standard Tax' } }]],
        // A variation has the tax class of its product.
        ['known-woocommerce-products', [{ type: 'EMPTY_WORDS', words: ['parent'] }]],
    ])('have tax categories of the shop in %s', (name, conversions) => {
        const { suggestion } = measured.find(({ fixture }) => fixture.name === name)!;
        const field = suggestion.fields.find(one => one.field === 'taxCategory')!;
        expect(field.conversions).toEqual([{ type: 'TRIM' }, ...conversions]);
    });

    it('have variants in neighbouring rows with the same name and other options', async () => {
        const planOf = async (rows: readonly string[]) => {
            const text = ['Item no.,Product title,Colour,Price,Qty', ...rows].join('\n');
            return suggest(await profileOfFixture({ filename: 'acme.csv', text }), SHOP).plan;
        };
        const rows = [1, 2, 3].flatMap(n =>
            ['Red', 'Blue'].map(colour => `AC-${n}${colour},Jumper ${n},${colour},2${n}.50,${n}`),
        );
        const plan = await planOf(rows);
        expect(plan.variants?.grouping).toEqual({ kind: 'BY_COLUMN', column: 'Product title' });
        expect(plan.fields.map(({ field }) => field)).toContain('option:Colour');
        // Rows that are apart, or that no option distinguishes, are products.
        expect((await planOf([...rows].sort((a, b) => b.length - a.length))).variants).toBeUndefined();
        expect((await planOf(rows.map(row => row.replace('Blue,', 'Red,')))).variants).toBeUndefined();
    });

    it('are known exports only if they are', () => {
        for (const { fixture, suggestion } of measured) {
            const known = fixture.name.startsWith('known-') ? fixture.name.slice('known-'.length) : undefined;
            expect(suggestion.plan.knownExport).toBe(fixture.knownExport ?? known);
        }
    });
});

describe('suggest: properties', () => {
    it('has the same mapping for any order of the columns', () => {
        const random = randomNumbers(7);
        for (const { fixture, profile, suggestion } of measured) {
            const columns = shuffled(profile.columns, random).map((each, index) => ({ ...each, index }));
            expect(mappingOf(suggest({ ...profile, columns }, fixture.shop))).toEqual(mappingOf(suggestion));
        }
    });

    it('keeps fields of high confidence when an unrelated column is added', () => {
        const UNRELATED = [
            column('Zzyqx', 'TEXT', ['lorem', 'ipsum']),
            column('Qwopfl', 'CODE', ['Z-1', 'Z-2']),
            column('Brrmm', 'PRICE', ['3,00', '4,00'], { decimals: 'COMMA' }),
            column('Internal remark', 'TEXT', ['call back', 'none']),
        ];
        for (const { fixture, profile, suggestion } of measured)
            for (const added of UNRELATED) {
                const columns = [...profile.columns, { ...added, index: profile.columns.length }];
                const again = suggest({ ...profile, columns }, fixture.shop, suggestion.plan.target);
                for (const field of suggestion.fields.filter(({ confidence }) => confidence === 'HIGH'))
                    expect([fixture.name, fieldOf(again, field.field)]).toEqual([
                        fixture.name,
                        expect.objectContaining({ columns: field.columns, confidence: 'HIGH' }),
                    ]);
            }
    });

    it('uses no column twice', () => {
        for (const { suggestion } of measured) {
            const used = suggestion.plan.fields.flatMap(({ columns }) => columns ?? []);
            expect(new Set(used).size).toBe(used.length);
        }
    });

    it('leaves out columns that no plan can name', () => {
        const odd = ['constructor', '__proto__', 'prototype'].map(name => column(name, 'CODE', ['a1', 'a2']));
        const { plan, unused } = suggest(profileOf([...odd, SKU, NAME]), SHOP, 'PRODUCTS');
        expect(parsePlan({ ...plan, source: { kind: 'FILE', fileId: '2' } }).ok).toBe(true);
        expect(unused).toEqual(odd.map(({ name }) => ({ column: name, uses: [] })));
    });

    it('matches the first 500 columns of a wide file, and lists the others', () => {
        const pictures = Array.from({ length: 700 }, (_, i) =>
            column(`Image ${i + 1}`, 'IMAGE_URL', [`https://shop.test/${i}.jpg`, `https://shop.test/${i}-b.jpg`]),
        );
        const { plan, unused } = suggest(profileOf([SKU, NAME, PRICE, ...pictures]), SHOP, 'PRODUCTS');
        const used = plan.fields.flatMap(({ columns = [] }) => columns);
        expect(used).toEqual(expect.arrayContaining(['Art.-Nr.', 'Bezeichnung', 'Preis', 'Image 1']));
        expect(unused).toContainEqual({ column: 'Image 700', uses: [] });
        expect(used.length + unused.length).toBe(703);
    });
});

describe('suggest: conversions', () => {
    it('removes the currency, reads dashes and commas, and converts to cents', () => {
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE]), SHOP), 'price')?.conversions).toEqual([
            { type: 'TRIM' },
            { type: 'REMOVE_TEXT', text: '€', of: 'CURRENCY' },
            { type: 'DASH_DECIMALS' },
            { type: 'NUMBER', decimals: 'COMMA' },
            { type: 'TO_CENTS' },
        ]);
    });

    it.each([
        ['Preis netto', true, { type: 'ADD_TAX', percent: 19 }],
        ['Preis brutto', false, { type: 'REMOVE_TAX', percent: 19 }],
        ['Preis brutto', true, undefined],
        ['Preis', false, undefined],
    ])('converts the tax of "%s" for a shop with tax: %s', (name, pricesIncludeTax, expected) => {
        const suggestion = suggest(profileOf([SKU, NAME, { ...PRICE, name }]), { ...SHOP, pricesIncludeTax });
        expect(fieldOf(suggestion, 'price')?.conversions.find(({ type }) => /_TAX$/.test(type))).toEqual(expected);
    });

    it('needs a look at a tax whose rate is not known', () => {
        const suggestion = suggest(profileOf([SKU, NAME, { ...PRICE, name: 'Preis netto' }]), {
            ...SHOP,
            taxCategories: [],
        });
        expect(fieldOf(suggestion, 'price')?.confidence).toBe('NEEDS_A_LOOK');
    });

    it('removes the unit of a stock, and words that stand for nothing', () => {
        const stock = column('Bestand', 'INTEGER', ['5 Stk', '-'], { unit: 'Stk', emptyWords: ['-'] });
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE, stock]), SHOP), 'stock')?.conversions).toEqual([
            { type: 'TRIM' },
            { type: 'EMPTY_WORDS', words: ['-'] },
            { type: 'REMOVE_TEXT', text: 'Stk', of: 'UNIT' },
            { type: 'NUMBER', decimals: 'COMMA' },
        ]);
    });

    it('reads the words of a yes/no column', () => {
        const active = column('aktiv', 'BOOLEAN', ['ja', 'nein']);
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE, active]), SHOP), 'enabled')?.conversions).toEqual([
            { type: 'TRIM' },
            { type: 'BOOLEAN', yes: ['ja'], no: ['nein'] },
        ]);
    });

    it('looks up tax categories by their rate', () => {
        const tax = column('MwSt', 'PERCENT', ['19 %'], { distinct: 1 });
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE, tax]), SHOP), 'taxCategory')?.conversions).toEqual([
            { type: 'TRIM' },
            { type: 'LOOKUP', values: { '19 %': 'Standard Tax' } },
        ]);
    });
});

describe('suggest: the shop', () => {
    it('takes a column whose values are SKUs of the shop, whatever its name', () => {
        const shop = { ...SHOP, known: [{ column: 'Kennung', field: 'sku', share: 0.97 }] };
        const field = fieldOf(suggest(profileOf([{ ...SKU, name: 'Kennung' }, NAME, PRICE]), shop), 'sku');
        expect(field).toMatchObject({ columns: ['Kennung'], reason: { code: 'SHOP' } });
    });

    it('takes what a user has corrected before', () => {
        const shop = { ...SHOP, learned: { 'art nr': 'name', bezeichnung: 'sku' } };
        const suggestion = suggest(profileOf([SKU, { ...NAME, type: 'CODE' }, PRICE]), shop);
        expect(fieldOf(suggestion, 'sku')).toMatchObject({
            columns: ['Bezeichnung'],
            confidence: 'HIGH',
            reason: { code: 'LEARNED' },
        });
    });

    it('maps a barcode to the custom field that means it, and leaves it out without one', () => {
        const ean = column('EAN', 'BARCODE', ['4006381333931']);
        const customFields = [{ entity: 'ProductVariant' as const, name: 'gtin', label: 'GTIN', type: 'string' }];
        const profile = profileOf([SKU, NAME, PRICE, ean]);
        expect(fieldOf(suggest(profile, { ...SHOP, customFields }), 'variants.0.customFields.gtin')?.columns).toEqual([
            'EAN',
        ]);
        expect(suggest(profile, SHOP).unused).toEqual([{ column: 'EAN', uses: ['facet:EAN'] }]);
    });

    it('uses a facet of the shop by its meaning', () => {
        const brand = column('Hersteller', 'OPTION', ['Acme', 'Bolt'], { uniqueness: 0.1 });
        const shop = { ...SHOP, facets: [{ name: 'Brand', values: ['Acme'] }] };
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE, brand]), shop), 'facet:Brand')?.columns).toEqual([
            'Hersteller',
        ]);
    });

    it('takes further words for a field', () => {
        const shop = { ...SHOP, synonyms: { sku: ['Hausnummer intern'] } };
        expect(
            fieldOf(suggest(profileOf([{ ...SKU, name: 'Hausnummer intern' }, NAME, PRICE]), shop), 'sku')?.columns,
        ).toEqual(['Hausnummer intern']);
    });
});

describe('suggest: the header and the values', () => {
    it.each([
        ['E-Mail-Einwilligung', 'BOOLEAN', 'emailAddress'],
        ['Mindestmenge', 'INTEGER', 'stock'],
        ['Staffelpreis', 'PRICE', 'price'],
        ['Price Group', 'PRICE', 'price'],
        ['Bild Alt Text', 'TEXT', 'assets'],
        ['Product ID', 'INTEGER', 'sku'],
    ] as const)('does not take "%s" (%s) for %s', (name, type, field) => {
        const suggestion = suggest(
            profileOf([column(name, type, ['1', '2'])]),
            SHOP,
            field === 'emailAddress' ? 'CUSTOMERS' : 'PRODUCTS',
        );
        expect(fieldOf(suggestion, field)?.columns).toEqual([]);
    });

    it('never takes a column whose values do not fit', () => {
        const suggestion = suggest(profileOf([SKU, NAME, column('Preis', 'TEXT', ['auf Anfrage'])]), SHOP);
        expect(fieldOf(suggestion, 'price')?.columns).toEqual([]);
    });

    it('takes a recommended retail price for the price only if there is no other', () => {
        const recommended = { ...PRICE, name: 'UVP €' };
        expect(fieldOf(suggest(profileOf([SKU, NAME, recommended]), SHOP), 'price')).toMatchObject({
            columns: ['UVP €'],
            confidence: 'HIGH',
        });
        expect(fieldOf(suggest(profileOf([SKU, NAME, recommended, PRICE]), SHOP), 'price')?.columns).toEqual(['Preis']);
    });

    it('ignores a currency and a language that the shop does not have', () => {
        const columns = [
            SKU,
            NAME,
            { ...PRICE, name: 'Preis CHF', currency: 'CHF' },
            { ...NAME, name: 'Bezeichnung_fr' },
        ];
        const suggestion = suggest(profileOf(columns), SHOP, 'PRODUCTS');
        expect(suggestion.unused.map(({ column: name }) => name)).toEqual(['Preis CHF', 'Bezeichnung_fr']);
    });

    it('knows a list of products by prices in a currency that the shop does not have', () => {
        const columns = [SKU, NAME, { ...PRICE, name: 'Preis CHF', currency: 'CHF' }, STOCK];
        expect(suggest(profileOf(columns), SHOP).targets[0]!.target).toBe('PRODUCTS');
    });

    it('does not take a list of new articles for prices or stock of existing ones', () => {
        const shop = { ...SHOP, known: [{ column: SKU.name, field: 'sku', share: 0 }] };
        const found = suggest(profileOf([SKU, STOCK]), shop).targets.find(({ target }) => target === 'STOCK')!;
        const usual = suggest(profileOf([SKU, STOCK]), SHOP).targets.find(({ target }) => target === 'STOCK')!;
        expect(found.score).toBeLessThan(usual.score * 0.6);
    });

    it('is as sure of the SKU of new articles as in an empty shop', () => {
        const shop = { ...SHOP, known: [{ column: SKU.name, field: 'sku', share: 0 }] };
        expect(fieldOf(suggest(profileOf([SKU, NAME, PRICE]), shop), 'sku')?.confidence).toBe('HIGH');
    });
});
