import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ByteSource } from '../../src/core/adapter/files';
import type { ImportTarget } from '../../src/core/import/import-plan';
import type { DecimalStyle, ImportProfile } from '../../src/core/import/import-profile';
import { profileSample } from '../../src/core/import/profile';
import { readSample } from '../../src/io/import/read-sample';
import type { ImportShop, ImportSuggestion } from '../../src/core/import/import-suggestion';

/** How a fixture has to be read. */
interface Reading {
    readonly delimiter: string;
    readonly decimals: DecimalStyle;
    readonly headerRow: number | null;
    readonly skipAfterHeader: number;
}

/** A file of a fixture with the mapping that a person would choose. */
export interface ImportFixture {
    readonly name: string;
    readonly filename: string;
    readonly text: string;
    readonly target: ImportTarget;
    readonly reading: Reading;
    readonly language?: string;
    readonly shop: ImportShop;
    /** Columns by field. What is not listed must not be mapped. */
    readonly fields: Readonly<Record<string, readonly string[]>>;
    /** The column that joins rows to a product or an order. */
    readonly grouping?: string;
    /** The export of a known shop system that the file is. */
    readonly knownExport?: string;
}

/** How well a suggestion is the mapping of a person. */
export interface MatchingFigures {
    readonly name: string;
    readonly expected: number;
    readonly mapped: number;
    readonly high: number;
    /** Fields with high confidence and another column than a person would choose. */
    readonly wrong: readonly string[];
    readonly missing: readonly string[];
    /** Fields that need a look and have a column that a person would not choose. */
    readonly doubtful: readonly string[];
    readonly hasTarget: boolean;
    readonly hasGrouping: boolean;
}

const FOLDER = join(__dirname, '../fixtures/imports');

const SHOP: ImportShop = {
    languages: ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'],
    defaultLanguage: 'en',
    currencies: ['EUR', 'USD', 'GBP', 'PLN', 'CHF'],
    defaultCurrency: 'EUR',
    pricesIncludeTax: true,
    taxCategories: [
        { name: 'Standard Tax', percent: 19, isDefault: true },
        { name: 'Reduced Tax', percent: 7, isDefault: false },
        { name: 'Zero Tax', percent: 0, isDefault: false },
    ],
    facets: [],
    collections: [],
    customFields: [],
    known: [],
    counts: {},
    learned: {},
};

/** All fixtures in the order of their names. */
export function readImportFixtures(): readonly ImportFixture[] {
    const files = readdirSync(FOLDER).sort();
    return files
        .filter(file => extname(file) !== '.json')
        .map(file => {
            const name = file.slice(0, -extname(file).length);
            const expected = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Omit<
                ImportFixture,
                'name' | 'filename' | 'text' | 'shop'
            > & { readonly shop?: Partial<ImportShop> };
            return {
                ...expected,
                name,
                filename: file,
                text: readFileSync(join(FOLDER, file), 'utf8'),
                shop: { ...SHOP, ...expected.shop },
            };
        });
}

/** The profile of a fixture, as it is detected without any facts. */
export async function profileOfFixture({
    filename,
    text,
}: Pick<ImportFixture, 'filename' | 'text'>): Promise<ImportProfile> {
    const bytes = Buffer.from(text);
    const content: ByteSource = {
        async *open() {
            yield bytes;
        },
        local: () => Promise.reject(new Error('A fixture has no local file.')),
    };
    return profileSample(await readSample({ filename, content }, new AbortController().signal));
}

/** Compares a suggestion with the mapping of a person. */
export function measureMatching(fixture: ImportFixture, suggestion: ImportSuggestion): MatchingFigures {
    const language = suggestion.plan.language;
    const expected = new Map(
        Object.entries(fixture.fields).map(
            ([field, columns]) => [withoutDefault(field, language), sorted(columns)] as const,
        ),
    );
    const found = suggestion.fields.filter(({ columns }) => columns.length > 0);
    const isRight = (field: string, columns: readonly string[]) =>
        expected.get(withoutDefault(field, language)) === sorted(columns);
    const high = found.filter(({ confidence }) => confidence === 'HIGH');
    const describe = ({ field, columns }: { readonly field: string; readonly columns: readonly string[] }) =>
        `${field} = ${columns.join(' + ')}`;
    const right = new Set(
        found
            .filter(({ field, columns }) => isRight(field, columns))
            .map(({ field }) => withoutDefault(field, language)),
    );
    const hasTarget = suggestion.plan.target === fixture.target;
    return {
        name: fixture.name,
        expected: expected.size,
        mapped: hasTarget ? right.size : 0,
        high: high.length,
        wrong: high.filter(({ field, columns }) => !isRight(field, columns)).map(describe),
        missing: hasTarget ? [...expected.keys()].filter(field => !right.has(field)) : [...expected.keys()],
        doubtful: found
            .filter(({ confidence, field, columns }) => confidence !== 'HIGH' && !isRight(field, columns))
            .map(describe),
        hasTarget,
        hasGrouping: fixture.grouping === suggestion.plan.variants?.grouping.column,
    };
}

/** `name.de` is `name` in a file whose texts are German. */
function withoutDefault(field: string, language: string | undefined): string {
    return language !== undefined && field.endsWith(`.${language}`) ? field.slice(0, -language.length - 1) : field;
}

function sorted(columns: readonly string[]): string {
    return JSON.stringify([...columns].sort());
}
