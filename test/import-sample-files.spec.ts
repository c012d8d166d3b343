import { SAMPLE_FILES } from '../dashboard-ui/pages/import/file/sample-files';
import type { ImportShop, ImportSuggestion } from '../src/core/import/import-suggestion';
import { profileSample } from '../src/core/import/profile';
import { suggest } from '../src/core/import/suggest';
import { readSample } from '../src/io/import/read-sample';

const EMPTY_SHOP: ImportShop = {
    languages: ['en'],
    defaultLanguage: 'en',
    currencies: ['USD'],
    defaultCurrency: 'USD',
    pricesIncludeTax: true,
    taxCategories: [],
    facets: [],
    collections: [],
    customFields: [],
    known: [],
    counts: {},
    learned: {},
};

async function suggested(id: string): Promise<ImportSuggestion> {
    const { filename, text } = SAMPLE_FILES.find(file => file.id === id)!;
    const content = {
        async *open() {
            yield Buffer.from(text);
        },
        local: () => Promise.reject(new Error('Only workbooks are read from the disk.')),
    };
    const sample = await readSample({ filename, content }, new AbortController().signal);
    return suggest(profileSample(sample), EMPTY_SHOP);
}

const withoutColumns = ({ fields }: ImportSuggestion): readonly string[] =>
    fields.filter(({ isRequired, columns }) => isRequired && columns.length === 0).map(({ field }) => field);

describe('the sample files of the import page', () => {
    it.each([
        ['prices', 'PRODUCTS', undefined],
        ['shopify', 'PRODUCTS', 'shopify-products'],
        ['stock', 'STOCK', undefined],
    ] as const)('contain what they promise, and need no mapping: %s', async (id, target, knownExport) => {
        const suggestion = await suggested(id);
        expect(suggestion.plan).toMatchObject({ target, ...(knownExport && { knownExport }) });
        expect(withoutColumns(suggestion)).toEqual([]);
    });
});
