/** What was asked for. */
export interface NewComponent {
    readonly code: string;
    readonly category?: string;
    readonly isBatch?: boolean;
}

/** What the files of a new component are written from. */
export interface Parts {
    readonly code: string;
    /** Of the constant. */
    readonly name: string;
    /** As its spec imports it. */
    readonly file: string;
    readonly title: string;
    /** Empty for kinds without folders for categories. */
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

/** A kind of component that people add: where it goes and what is written there. */
export interface ComponentKind {
    readonly codes: CodeSpelling;
    /** Where its files are; its codes are looked for here and in `alsoIn`. */
    readonly folder: string;
    readonly alsoIn: readonly string[];
    /** Whether the folder has one of its own for each category, which `--category` chooses. */
    readonly hasCategories: boolean;
    /** Whether there is one that works on a batch, which `--batch` chooses. */
    readonly hasBatch: boolean;
    /** The file that lists all of them, and the constant in it that does. */
    readonly index: string;
    readonly list: string;
    /** A component that works and keeps to its contract, to be changed into the one that is wanted. */
    declaration(parts: Parts): string;
    /** Tests of what its examples cannot show. */
    spec(parts: Parts): string;
    /** What remains to be done, in its order. */
    next(file: string, parts: Parts): readonly string[];
}
