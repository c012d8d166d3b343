import type { JsonObject, JsonValue } from '../../core/value/json';
import type { CustomValues } from './custom-fields';
import { FieldReader } from './read-field';
import type { Faults } from './faults';
import type { EntityStore } from './entity-store';
import { fieldsOf } from './description';
import type { FieldNames } from './entity-config';
import type { RunChannel } from '../lookup/run-channel';
import type { Deleting } from '../lookup/deleting';
import { readsDelete } from './operation';
import { type DesiredTexts, readTexts } from './read-texts';

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
    const { texts, custom } = readTexts(reader, { fields: store.textFields, names, channel: rules.channel });
    return {
        isDelete,
        key: given ?? (reader.has(names[entity.key.field]!) ? undefined : madeKey(rules, texts)),
        refs: refsIn(reader, rules),
        values: valuesIn(reader, rules),
        texts,
        custom,
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

function madeKey(
    { store: { entity }, channel }: ReadingRules,
    texts: ReadonlyMap<string, DesiredTexts>,
): string | undefined {
    const { made } = entity.key;
    const text = made && texts.get(channel.language)?.values[made.of];
    return text === undefined ? undefined : made!.by(text) || undefined;
}
