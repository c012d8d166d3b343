import type { JsonObject, JsonValue } from '../../core/value/json';
import { known } from './faults';
import type { CustomValues } from './custom-fields';
import { FieldReader } from './read-field';
import type { Faults } from './faults';
import type { Table } from '../../database/table';
import type { EntityStore } from './entity-store';
import { fieldsOf } from './description';
import type { FieldNames } from './entity-config';
import type { RunChannel } from '../lookup/run-channel';
import type { Deleting } from '../lookup/deleting';
import { readsDelete } from './operation';

/** Texts of one language, by property; custom fields by name. */
export interface DesiredTexts {
    readonly values: Readonly<Record<string, string>>;
    readonly custom: CustomValues | undefined;
}

/** What a record asks of one entity. What it does not have is left as it is. */
export interface DesiredEntity {
    readonly isDelete: boolean;
    /** As given, or made of a text. */
    readonly key: string | undefined;
    /** Keys of others, by field. */
    readonly refs: ReadonlyMap<string, string>;
    readonly values: Readonly<Record<string, JsonValue>>;
    readonly texts: ReadonlyMap<string, DesiredTexts>;
    readonly custom: CustomValues | undefined;
}

/** What reading a record goes by. */
export interface ReadingRules {
    readonly store: EntityStore;
    readonly names: FieldNames;
    readonly channel: RunChannel;
    readonly deleting: Deleting;
}

/** Reads a record; what is wrong with it, `faults` says then. */
export function readEntity(data: JsonObject, rules: ReadingRules, faults: Faults): DesiredEntity {
    const { store, names, deleting } = rules;
    const { entity, table } = store;
    const reader = new FieldReader(data, faults);
    const isDelete = readsDelete(reader, deleting);
    const given = reader.key(names[entity.key.field]!, table.limitOf(entity.key.field));
    const custom = store.custom.read(reader, names['customFields']!, { localisedOnly: false });
    const texts = textsOf(reader, rules, custom);
    return {
        isDelete,
        key: given ?? (reader.has(names[entity.key.field]!) ? undefined : madeKey(rules, texts)),
        refs: refsIn(reader, rules),
        values: valuesIn(reader, rules),
        texts,
        custom: split(custom, store, false),
    };
}

function refsIn(reader: FieldReader, { store: { refs }, names }: ReadingRules): ReadonlyMap<string, string> {
    return new Map(
        [...refs.keys()].flatMap(field => {
            const key = reader.key(names[field]!);
            return key === undefined ? [] : [[field, key] as const];
        }),
    );
}

function valuesIn(reader: FieldReader, { store: { entity, table }, names }: ReadingRules): Record<string, JsonValue> {
    const values: Record<string, JsonValue> = {};
    for (const field of fieldsOf(entity, 'text'))
        put(values, field, reader.emptiableText(names[field]!, table.limitOf(field)));
    for (const field of fieldsOf(entity, 'flag')) put(values, field, reader.flag(names[field]!));
    return values;
}

function put<T>(values: Record<string, T>, field: string, value: T | undefined): void {
    if (value !== undefined) values[field] = value;
}

/** Texts at the top level are those of the run's language; `translations` says it more precisely. */
function textsOf(
    reader: FieldReader,
    rules: ReadingRules,
    custom: CustomValues | undefined,
): ReadonlyMap<string, DesiredTexts> {
    const { store, names, channel } = rules;
    const texts = new Map<string, DesiredTexts>();
    if (!store.texts) return texts;
    const own = { values: textsIn(reader, rules, store.texts), custom: split(custom, store, true) };
    if (Object.keys(own.values).length > 0 || own.custom) texts.set(channel.language, own);
    const translations = reader.inside(names['translations']!);
    for (const language of Object.keys(translations?.data ?? {})) {
        if (!channel.languages.includes(language)) {
            translations!.wrong(language, `is no language of channel ${channel.code}; ${known(channel.languages)}`);
            continue;
        }
        const inside = translations!.inside(language);
        if (!inside) continue;
        const before = texts.get(language);
        const localised = store.custom.read(inside, names['customFields']!, { localisedOnly: true });
        texts.set(language, {
            values: { ...before?.values, ...textsIn(inside, rules, store.texts) },
            custom: before?.custom || localised ? { ...before?.custom, ...localised } : undefined,
        });
    }
    return texts;
}

function textsIn(reader: FieldReader, { store, names }: ReadingRules, table: Table): Record<string, string> {
    const values: Record<string, string> = {};
    for (const property of store.said) put(values, property, reader.text(names[property]!, table.limitOf(property)));
    return values;
}

/** The custom fields that are, or are not, texts of a language. */
function split(
    values: CustomValues | undefined,
    { custom }: EntityStore,
    localised: boolean,
): CustomValues | undefined {
    const entries = Object.entries(values ?? {}).filter(([name]) => custom.find(name)?.isLocalised === localised);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function madeKey(
    { store: { entity }, channel }: ReadingRules,
    texts: ReadonlyMap<string, DesiredTexts>,
): string | undefined {
    const { made } = entity.key;
    const said = made && texts.get(channel.language)?.values[made.of];
    return said === undefined ? undefined : made!.by(said) || undefined;
}
