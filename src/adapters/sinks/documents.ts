import { identityText } from '../../core/adapter/record-operation';
import { compilePath, type Path } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { CommonArgs } from './common-fields';

/** The fields of a translation that belong to its own row, and must not replace those of the record. */
const OF_THE_ROW: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'base']);

/** Prepares records for a target. */
export class SentDocuments {
    private readonly id: Path;
    private readonly translations: Path;
    private readonly channels: Path;
    private readonly fields: readonly Path[] | undefined;
    private readonly left: ReadonlySet<string>;
    /** A record is identified, checked and sent, but translated only once. */
    private readonly translated = new WeakMap<JsonObject, JsonObject>();

    /**
     * `sendsId`: the id is part of the sent document, independent of `fields` and `excludeFields`. Otherwise the target
     * gets it separately.
     */
    constructor(
        private readonly args: Omit<CommonArgs, 'batchSize' | 'defaultOperation'>,
        private readonly idField: string,
        private readonly sendsId = false,
    ) {
        this.id = compilePath(idField);
        this.translations = compilePath(args.translationsField ?? 'translations');
        this.channels = compilePath(args.channelField ?? 'channels');
        this.fields = args.fields?.map(compilePath);
        this.left = new Set(args.fields ? [] : args.excludeFields);
    }

    /** Whether a record is for the channel of the step. */
    keeps(data: JsonObject): boolean {
        const { channelCode } = this.args;
        const channels = channelCode === undefined ? undefined : this.channels.get(data);
        if (!Array.isArray(channels)) return true;
        return (channels as readonly JsonValue[]).some(
            channel => channel === channelCode || (isJsonObject(channel) && channel['code'] === channelCode),
        );
    }

    /**
     * The identity of a record at the target: one value for checking, writing and deleting, read from the translated
     * record.
     */
    identityOf(data: JsonObject): JsonValue | undefined {
        return this.id.get(this.inLanguage(data));
    }

    /** The identity of a record at the target, as text. Throws RECORD_INVALID for a record without an identity. */
    idOf(data: JsonObject): string {
        const id = identityText(this.identityOf(data));
        if (id === undefined)
            throw recordInvalid(this.idField, 'is missing, or no text and no number; the target knows records by it');
        return id;
    }

    /** What is sent of a record that is to be removed. A number stays a number. */
    identityAlone(data: JsonObject): JsonObject {
        return this.id.set({}, this.identityOf(data)!);
    }

    /** The record with its translation, reduced to the fields that are sent. */
    of(data: JsonObject): JsonObject {
        const whole = this.inLanguage(data);
        if (!this.fields && this.left.size === 0) return whole;
        const sent = this.fields
            ? picked(whole, this.fields)
            : Object.fromEntries(Object.entries(whole).filter(([name]) => !this.left.has(name)));
        const id = this.sendsId ? this.id.get(whole) : undefined;
        return id === undefined ? sent : this.id.set(sent, id);
    }

    private inLanguage(data: JsonObject): JsonObject {
        const { languageCode } = this.args;
        if (languageCode === undefined) return data;
        const known = this.translated.get(data);
        if (known) return known;
        const made = this.translate(data, languageCode);
        this.translated.set(data, made);
        return made;
    }

    private translate(data: JsonObject, languageCode: string): JsonObject {
        const all = this.translations.get(data);
        if (typeof all !== 'object' || all === null) return data;
        const found = translationIn(all, languageCode);
        const rest = this.translations.unset(data);
        if (!found) return rest;
        const laid = Object.entries(found).filter(([name]) => !OF_THE_ROW.has(name));
        const merged = laid.map(([name, value]) => {
            const before = rest[name];
            return [name, isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value] as const;
        });
        return { ...rest, ...Object.fromEntries(merged) };
    }
}

/** The checks of all of Flow's own sinks before a record is sent. */
export abstract class DocumentSession {
    constructor(protected readonly documents: SentDocuments) {}

    keeps(data: JsonObject): boolean {
        return this.documents.keeps(data);
    }

    identity(data: JsonObject): JsonValue | undefined {
        return this.documents.identityOf(data);
    }

    shown(data: JsonObject): JsonObject {
        return this.documents.of(data);
    }
}

/** The translation of the language itself, or else of the language without its country. */
function translationIn(all: JsonValue, languageCode: string): JsonObject | undefined {
    const codes = [languageCode, languageCode.split(/[_-]/, 1)[0]!];
    for (const code of codes) {
        const found = Array.isArray(all)
            ? (all as readonly JsonValue[]).find(one => isJsonObject(one) && one['languageCode'] === code)
            : isJsonObject(all) && Object.hasOwn(all, code)
              ? all[code]
              : undefined;
        if (isJsonObject(found)) return found;
    }
    return undefined;
}

/** A document with its id in a separate field; the record itself if that field already has it. */
export function withId(data: JsonObject, field: string, id: string): JsonObject {
    if (data[field] === id) return data;
    // A spread takes five times as long, a large part of the time for a record. But only a spread copies a field of
    // this name.
    const sent: Record<string, JsonValue> = Object.hasOwn(data, '__proto__') ? { ...data } : Object.assign({}, data);
    sent[field] = id;
    return sent;
}

/** Throws RECORD_INVALID if an id has more bytes in UTF-8 than the target allows. */
export function checkIdBytes(id: string, idField: string, most: { readonly bytes: number; readonly of: string }): void {
    // A UTF-16 code unit has at most three bytes in UTF-8.
    if (id.length * 3 <= most.bytes || Buffer.byteLength(id) <= most.bytes) return;
    throw recordInvalid(idField, `has more than ${most.bytes} bytes, which no ${most.of} may have`);
}

function picked(data: JsonObject, fields: readonly Path[]): JsonObject {
    let sent: JsonObject = {};
    for (const field of fields) {
        const value = field.get(data);
        if (value !== undefined) sent = field.set(sent, value);
    }
    return sent;
}
