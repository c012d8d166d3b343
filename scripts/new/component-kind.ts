/** The requested component. */
export interface NewComponent {
    readonly code: string;
    readonly category?: string;
    readonly isBatch?: boolean;
}

/** The values that the files of a new component are written from. */
export interface Parts {
    readonly code: string;
    /** The name of the constant. */
    readonly name: string;
    /** The import path in its spec. */
    readonly file: string;
    readonly title: string;
    /** Empty for kinds without category folders. */
    readonly category: string;
    readonly isBatch: boolean;
}

/** How the codes of a kind are spelled. */
export interface CodeSpelling {
    readonly pattern: RegExp;
    readonly allowed: string;
}

export const CAMEL_CASE: CodeSpelling = {
    pattern: /^[a-z][A-Za-z]{0,63}$/,
    allowed: 'camelCase, 1 to 64 letters, the first one small, like "stripHtml"',
};

export const UPPER_CASE: CodeSpelling = {
    pattern: /^(?=.{2,32}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/,
    allowed: 'upper case, 2 to 32 letters, digits and single underscores, the first a letter, like "OBJECT_STORAGE"',
};

/** A kind of component that can be added: where its files are written and what they contain. */
export interface ComponentKind {
    readonly codes: CodeSpelling;
    /** The folder of its files. Existing codes are searched for here and in `alsoIn`. */
    readonly folder: string;
    readonly alsoIn: readonly string[];
    /** Whether the folder has a subfolder for each category, which `--category` selects. */
    readonly hasCategories: boolean;
    /** Whether there is a variant that works on a batch, which `--batch` selects. */
    readonly hasBatch: boolean;
    /** The file that lists all components of the kind, and the name of the constant with the list. */
    readonly index: string;
    readonly list: string;
    /** A working component that satisfies its contract, as a start for the new one. */
    declaration(parts: Parts): string;
    /** Tests of behaviour that examples cannot show. */
    spec(parts: Parts): string;
    /** The remaining work, in order. */
    next(file: string, parts: Parts): readonly string[];
}
