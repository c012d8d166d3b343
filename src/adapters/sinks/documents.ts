import { identityText } from '../../core/adapter/record-operation';
import { compilePath, type Path } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { CommonArgs } from './common-fields';

/** Of a translation what belongs to its own row, and would take the place of the record's. */
const OF_THE_ROW: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'base']);

/** What becomes of records on their way to a target. */
export class SentDocuments {
    private readonly id: Path;
    private readonly translations: Path;
    private readonly channels: Path;
    private readonly fields: readonly Path[] | undefined;
    private readonly left: ReadonlySet<string>;
    /** A record is asked for its identity, checked and sent, and is translated once. */
    private readonly translated = new WeakMap<JsonObject, JsonObject>();

    /** `sendsId`: the id is a part of what is sent, whatever `fields` and `excludeFields` say; otherwise the target gets it apart. */
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

    /** What the target knows a record by: one value for its check, for writing and for deleting, read from the translated record. */
    identityOf(data: JsonObject): JsonValue | undefined {
        return this.id.get(this.inLanguage(data));
    }

    /** What the target knows a record by. Throws RECORD_INVALID for one that has nothing to be known by. */
    idOf(data: JsonObject): string {
        const id = identityText(this.identityOf(data));
        if (id === undefined)
            throw recordInvalid(this.idField, 'is missing, or no text and no number; the target knows records by it');
        return id;
    }

    /** What a record is reduced to that is to be removed: a number stays the number that it is. */
    identityAlone(data: JsonObject): JsonObject {
        return this.id.set({}, this.identityOf(data)!);
    }

    /** The record with the text of its language, of the fields that are to be sent. */
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

/** What all of Flow's own sinks say of a record before they send it. */
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

/** That of the language itself, else that of the language without its country. */
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

/** A document with what the target knows it by in a field of its own; the record itself where it says so already. */
export function withId(data: JsonObject, field: string, id: string): JsonObject {
    if (data[field] === id) return data;
    // A spread takes five times as long, which is much of what a record takes; but it alone copies a field of this name.
    const sent: Record<string, JsonValue> = Object.hasOwn(data, '__proto__') ? { ...data } : Object.assign({}, data);
    sent[field] = id;
    return sent;
}

/** Throws RECORD_INVALID for an id that has more bytes in UTF-8 than the target takes. */
export function checkIdBytes(id: string, idField: string, most: { readonly bytes: number; readonly of: string }): void {
    // No letter has more than three bytes for each of its code units.
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
