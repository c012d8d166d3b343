import type { RunChannel } from '../lookup/run-channel';
import type { CustomFields, CustomValues } from './custom-fields';
import { type EntityDescription, fieldsOf } from './description';
import { known, quoted } from './record-issues';
import type { FieldReader, TextLimit } from './read-field';

/** The texts of a record in one language: texts by property, custom fields by name. */
export interface DesiredTexts {
    readonly values: Readonly<Record<string, string>>;
    readonly custom: CustomValues | undefined;
}

type ReadText = (reader: FieldReader, field: string) => string | undefined;

/** How the texts and the custom fields of a kind of entity are read. */
export interface TextFields {
    /** By property. */
    readonly properties: ReadonlyMap<string, ReadText>;
    readonly custom: CustomFields;
}

/** The texts of an entity in each language; `limitOf` returns the limit of their columns. */
export function textFieldsOf(
    entity: EntityDescription,
    custom: CustomFields,
    limitOf: (property: string) => TextLimit | undefined,
): TextFields {
    const { key, fields } = entity;
    const properties = new Map<string, ReadText>();
    if (key.isTranslated === true)
        properties.set(key.field, (reader, field) => keyText(reader, field, { ...key, limit: limitOf(key.field) }));
    for (const property of fieldsOf(entity, 'translated')) {
        const limit = limitOf(property);
        const field = fields[property];
        const mayBeEmpty = field?.kind === 'translated' && field.mayBeEmpty;
        properties.set(property, (reader, name) =>
            mayBeEmpty ? reader.emptiableText(name, limit) : reader.text(name, limit),
        );
    }
    return { properties, custom };
}

/** The given value of a translated key: the stored key may be derived from it. */
function keyText(
    reader: FieldReader,
    field: string,
    { made, limit }: Pick<EntityDescription['key'], 'made'> & { readonly limit: TextLimit | undefined },
): string | undefined {
    const given = reader.unpadded(field, limit);
    const key = given === undefined || !made ? given : made.by(given);
    if (key === '' || key === '-') return reader.wrong(field, `is ${quoted(given)}, of which no slug can be made`);
    return given;
}

/** The texts of a record by language, and its custom fields that do not depend on a language. */
export interface ReadTexts {
    readonly texts: ReadonlyMap<string, DesiredTexts>;
    readonly custom: CustomValues | undefined;
}

interface TextPlace {
    readonly fields: TextFields;
    /** How the record calls its fields. */
    readonly names: Readonly<Record<string, string>>;
    readonly channel: Pick<RunChannel, 'code' | 'language' | 'languages'>;
}

/**
 * Reads texts and custom fields. Those at the top level belong to the run's language; `translations` takes
 * precedence.
 */
export function readTexts(reader: FieldReader, { fields, names, channel }: TextPlace): ReadTexts {
    const { custom, properties } = fields;
    const given = custom.read(reader, names['customFields']!, { localisedOnly: false });
    const base = part(given, custom, false);
    const texts = new Map<string, DesiredTexts>();
    if (properties.size === 0) return { texts, custom: base };
    const own = { values: valuesIn(reader, properties, names), custom: part(given, custom, true) };
    if (Object.keys(own.values).length > 0 || own.custom) texts.set(channel.language, own);
    const translations = reader.inside(names['translations']!);
    for (const language of Object.keys(translations?.data ?? {})) {
        if (!channel.languages.includes(language)) {
            translations!.wrong(language, `is not a language of channel ${channel.code}; ${known(channel.languages)}`);
            continue;
        }
        const inside = translations!.inside(language);
        if (!inside) continue;
        const before = texts.get(language);
        const localised = custom.read(inside, names['customFields']!, { localisedOnly: true });
        texts.set(language, {
            values: { ...before?.values, ...valuesIn(inside, properties, names) },
            custom: before?.custom || localised ? { ...before?.custom, ...localised } : undefined,
        });
    }
    return { texts, custom: base };
}

function valuesIn(
    reader: FieldReader,
    properties: TextFields['properties'],
    names: TextPlace['names'],
): Record<string, string> {
    const values: Record<string, string> = {};
    for (const [property, read] of properties) {
        const value = read(reader, names[property]!);
        if (value !== undefined) values[property] = value;
    }
    return values;
}

/** The custom fields that are, or are not, texts of a language. */
function part(values: CustomValues | undefined, custom: CustomFields, isLocalised: boolean): CustomValues | undefined {
    if (values === undefined) return undefined;
    const entries = Object.entries(values).filter(([name]) => custom.find(name)?.isLocalised === isLocalised);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
