import type { JsonObject, JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';
import type { CustomValues } from './custom-fields';
import { FieldReader } from './read-field';
import type { RecordIssues } from './record-issues';
import type { EntityStore } from './entity-store';
import { type ChildStore, type DesiredChild, readChild } from './child-store';
import { fieldsOf } from './description';
import type { FieldNames } from './entity-config';
import type { RunChannel } from '../lookup/run-channel';
import type { Deleting } from '../lookup/deleting';
import { readsDelete } from './operation';
import { type DesiredTexts, readTexts } from './read-texts';
import { readRefs, readValues } from './read-values';

/** The values that a record sets for one entity. Fields that it does not have stay unchanged. */
export interface DesiredEntity {
    readonly isDelete: boolean;
    /** By which it is meant in the place of its key. */
    readonly id?: Id;
    /** As the record gives it. */
    readonly key: string | undefined;
    /** The record's name in the run's language; it identifies the entity if the record has no key. */
    readonly name?: string | undefined;
    /** The text of which the key of a new entity is made; its name by default. */
    readonly keySource?: string;
    /** Keys of others, by field. */
    readonly refs: ReadonlyMap<string, string>;
    readonly values: Readonly<Record<string, JsonValue>>;
    readonly texts: ReadonlyMap<string, DesiredTexts>;
    readonly custom: CustomValues | undefined;
    /** Keys of its members, by field. */
    readonly members: ReadonlyMap<string, readonly string[]>;
    readonly children: ReadonlyMap<string, readonly DesiredChild[]>;
}

/** What is needed to read a record. */
export interface ReadingRules {
    readonly store: EntityStore;
    readonly children: ReadonlyMap<string, ChildStore>;
    readonly names: FieldNames;
    readonly channel: RunChannel;
    readonly deleting: Deleting;
}

/** Reads a record; errors are added to `issues`. */
export function readEntity(data: JsonObject, rules: ReadingRules, issues: RecordIssues): DesiredEntity {
    const { store, names, deleting } = rules;
    const { entity, table } = store;
    const place = { fields: entity.fields, table, name: (field: string) => names[field]! };
    const reader = new FieldReader(data, issues);
    const isDelete = readsDelete(reader, deleting);
    const { field, isTranslated, made } = entity.key;
    const { texts, custom } = readTexts(reader, { fields: store.textFields, names, channel: rules.channel });
    const own = texts.get(rules.channel.language)?.values;
    const given = isTranslated === true ? own?.[field] : reader.key(names[field]!, table.limitOf(field));
    return {
        isDelete,
        key: given === undefined ? undefined : (entity.key.normal?.(given) ?? given),
        name: made && own?.[made.of],
        refs: readRefs(reader, place),
        values: readValues(reader, place),
        texts,
        custom,
        members: new Map(
            fieldsOf(entity, 'members').flatMap(field => {
                const keys = reader.texts(names[field]!);
                return keys ? [[field, keys] as const] : [];
            }),
        ),
        children: new Map(
            [...rules.children].flatMap(([field, child]) => {
                const list = reader.objects(names[field]!);
                return list ? [[field, list.map(one => readChild(one, child))] as const] : [];
            }),
        ),
    };
}
