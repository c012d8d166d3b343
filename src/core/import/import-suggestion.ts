import type { Conversion, ImportPlan, ImportTarget } from './import-plan';

/** What the suggestion needs to know about the shop. All lists may be empty. */
export interface ImportShop {
    readonly languages: readonly string[];
    readonly defaultLanguage: string;
    readonly currencies: readonly string[];
    readonly defaultCurrency: string;
    readonly pricesIncludeTax: boolean;
    readonly taxCategories: ReadonlyArray<{
        readonly name: string;
        readonly percent: number | null;
        readonly isDefault: boolean;
    }>;
    /** Names of facets with the names of their values. */
    readonly facets: ReadonlyArray<{ readonly name: string; readonly values: readonly string[] }>;
    readonly collections: readonly string[];
    readonly customFields: ReadonlyArray<{
        readonly entity: 'Product' | 'ProductVariant' | 'Customer' | 'Collection';
        readonly name: string;
        readonly label: string;
        readonly type: string;
    }>;
    /** The share, 0 to 1, of a column's sampled values that exist in the shop as a field: `sku`, `slug`, `emailAddress`. No entry: not known. */
    readonly known: ReadonlyArray<{ readonly column: string; readonly field: string; readonly share: number }>;
    /** How often the shop has what a target writes, for example SKUs. */
    readonly counts: Readonly<Partial<Record<ImportTarget, number>>>;
    /** What users have corrected before: header (normalised) to field. */
    readonly learned: Readonly<Record<string, string>>;
    /** Further words for fields, by the field: `{ sku: ['house number'] }`. */
    readonly synonyms?: Readonly<Record<string, readonly string[]>>;
}

export type Confidence = 'HIGH' | 'NEEDS_A_LOOK' | 'NONE';

/** Why a column was chosen, rendered by the page. */
export interface SuggestionReason {
    readonly code:
        | 'EXACT'
        | 'SYNONYM'
        | 'PART'
        | 'SIMILAR'
        | 'VALUES'
        | 'SHOP'
        | 'LEARNED'
        | 'KNOWN_EXPORT'
        | 'ONLY_CANDIDATE'
        /** The user has chosen it. */
        | 'CHOSEN'
        | 'NONE';
    readonly args: Readonly<Record<string, string | number>>;
}

export interface FieldSuggestion {
    readonly field: string;
    readonly isRequired: boolean;
    readonly columns: readonly string[];
    /** 0 to 1. */
    readonly score: number;
    readonly confidence: Confidence;
    readonly reason: SuggestionReason;
    readonly alternatives: ReadonlyArray<{ readonly column: string; readonly score: number }>;
    readonly conversions: readonly Conversion[];
}

export interface TargetScore {
    readonly target: ImportTarget;
    readonly score: number;
    /** Columns that speak for it. */
    readonly columns: readonly string[];
}

export interface ImportSuggestion {
    /** The best first. */
    readonly targets: readonly TargetScore[];
    readonly plan: ImportPlan;
    /** The target's fields: required ones first, then those with a column, then the others. */
    readonly fields: readonly FieldSuggestion[];
    /** Columns that no field uses, with the fields that could use them. */
    readonly unused: ReadonlyArray<{ readonly column: string; readonly uses: readonly string[] }>;
}
