import type { JsonObject } from '../../core/value/json';
import { RecordIssues, known } from '../entities/record-issues';
import { readsDelete } from '../entities/operation';
import { FieldReader } from '../entities/read-field';
import type { Deleting } from '../lookup/deleting';
import type { RunChannel } from '../lookup/run-channel';
import type { ServiceChannels } from './service-channels';
import type { RecordNames } from './service-config';
import type { ServiceEntity, Values } from './service-entity';
import type { ScalarField } from './service-field';
import type { DesiredOperations, ServiceOperations } from './service-operations';
import { type ServiceStore, textPath } from './service-store';

/** The content of one record. */
export interface ServiceRecord {
    readonly faults: RecordIssues;
    readonly isDelete: boolean;
    readonly key: string | undefined;
    /** Values by path: `name`, `translations.de.name`, `customFields.weight`. */
    readonly said: Values;
    readonly operations: DesiredOperations;
    /** Tokens of the channels that it lists. */
    readonly channels: readonly string[] | undefined;
}

interface Reading {
    readonly entity: ServiceEntity;
    readonly names: RecordNames;
    readonly deleting: Deleting;
    readonly channel: RunChannel;
    readonly channels: ServiceChannels | undefined;
    readonly store: ServiceStore;
    readonly operations: ServiceOperations;
}

/** Reads a record, and reports all errors that are visible in the record itself. */
export function readServiceRecord(data: JsonObject, reading: Reading): ServiceRecord {
    const { entity, names, deleting, channels, store, operations } = reading;
    const reader = new FieldReader(data, new RecordIssues());
    const isDelete = readsDelete(reader, deleting);
    const said: Record<string, Values[string]> = {};
    let listed: readonly string[] | undefined;
    for (const [field, what] of Object.entries(entity.fields)) {
        if (what.kind === 'value') readValue(reader, { reading, field, what, path: field }, said);
        if (what.kind === 'channels') listed = channels!.tokens(reader, names[field]!);
    }
    const desired = operations.read(reader, names);
    const custom = store.custom.read(reader, names['customFields']!, { localisedOnly: false });
    for (const [name, value] of Object.entries(custom ?? {})) said[`customFields.${name}`] = value;
    for (const [field, { kind }] of Object.entries(entity.fields))
        if (kind === 'translations') readTranslations(reader, { reading, field }, said);
    const key = said[entity.key] as string | undefined;
    if (reader.faults.count === 0 && key === undefined)
        reader.faults.add(names[entity.key]!, `is missing; ${entity.called[1]} are found by it`);
    return { faults: reader.faults, isDelete, key, said, operations: desired, channels: listed };
}

interface ReadingValue {
    readonly reading: Reading;
    readonly field: string;
    readonly what: ScalarField;
    readonly path: string;
}

function readValue(
    reader: FieldReader,
    { reading: { names, store }, field, what, path }: ReadingValue,
    said: Record<string, Values[string]>,
): void {
    const limit = what.isText === true ? store.limitOf(field, what) : undefined;
    const value = what.read(reader, names[field]!, limit);
    if (value !== undefined) said[path] = value;
}

/** Translations in the run's language take precedence over the texts outside. */
function readTranslations(
    reader: FieldReader,
    { reading, field }: Pick<ReadingValue, 'reading' | 'field'>,
    said: Record<string, Values[string]>,
): void {
    const { entity, names, channel, store } = reading;
    const translations = reader.inside(names[field]!);
    for (const language of Object.keys(translations?.data ?? {})) {
        if (!channel.languages.includes(language)) {
            translations!.wrong(language, `is not a language of channel ${channel.code}; ${known(channel.languages)}`);
            continue;
        }
        const inside = translations!.inside(language);
        if (!inside) continue;
        const at = (path: string): string => textPath(channel.language, language, path);
        for (const [name, text] of Object.entries(entity.fields))
            if (text.kind === 'value' && text.isTranslated === true)
                readValue(inside, { reading, field: name, what: text, path: at(name) }, said);
        const custom = store.custom.read(inside, names['customFields']!, { localisedOnly: true });
        for (const [name, value] of Object.entries(custom ?? {})) said[at(`customFields.${name}`)] = value;
    }
}
