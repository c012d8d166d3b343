import type { KnownFields } from './loader';

/** What a shop adds to the fields of a loader. */
interface ShopFields {
    /** The names of custom fields. */
    readonly custom: readonly string[];
    /** Those of them that have a text for each language. */
    readonly localised: readonly string[];
    /** The languages of texts in `translations`. */
    readonly languages: readonly string[];
}

/** The names of the fields that hold custom fields and translations. */
interface HolderNames {
    readonly customFields: string;
    readonly translations: string;
}

/**
 * The paths that a record may have for a loader: its fields, each custom field of the shop, and each text in the other languages. Fields of the elements of
 * a list, such as `variants`, are not included.
 */
export function loaderPaths(
    known: KnownFields,
    { custom, localised, languages }: ShopFields,
    holders: HolderNames,
): readonly string[] {
    return [...known].flatMap(([name, inner]) => {
        if (name.startsWith('__')) return [];
        if (name === holders.customFields) return custom.map(field => `${name}.${field}`);
        if (name !== holders.translations || inner === undefined) return [name];
        const texts = [...inner.keys()].flatMap(field =>
            field === holders.customFields ? localised.map(one => `${field}.${one}`) : [field],
        );
        return languages.flatMap(language => texts.map(text => `${name}.${language}.${text}`));
    });
}
