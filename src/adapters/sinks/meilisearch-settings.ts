import type { Settings } from 'meilisearch';
import { canonicalJson, type JsonValue } from '../../core/value/json';

interface NamedFields {
    readonly searchableFields?: string[] | undefined;
    readonly filterableFields?: string[] | undefined;
    readonly sortableFields?: string[] | undefined;
}

/** The settings of an index that the sink sets. */
type IndexSettings = Pick<Settings, 'searchableAttributes' | 'filterableAttributes' | 'sortableAttributes'>;

/** Those that a configuration names, as the client knows them. */
export function settingsOf({ searchableFields, filterableFields, sortableFields }: NamedFields): IndexSettings {
    return {
        ...(searchableFields && { searchableAttributes: searchableFields }),
        ...(filterableFields && { filterableAttributes: filterableFields }),
        ...(sortableFields && { sortableAttributes: sortableFields }),
    };
}

/**
 * Whether the settings of an index differ. The order of searchable attributes is their weight; the order of the others
 * has no meaning.
 */
export function differs(found: Settings, desired: IndexSettings): boolean {
    return (Object.keys(desired) as Array<keyof IndexSettings>).some(name => {
        const textOf = (value: unknown): string => {
            const list = (Array.isArray(value) ? value : []).map(one => canonicalJson(one as JsonValue));
            return (name === 'searchableAttributes' ? list : [...new Set(list)].sort()).join(' ');
        };
        return textOf(found[name]) !== textOf(desired[name]);
    });
}
