import { identityText } from '../../core/adapter/record-operation';
import { compilePath, type Path } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { CommonArgs } from './common-fields';

/** Of a translation what belongs to its own row, and would take the place of the record's. */
const OF_THE_ROW: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'base']);

/** What becomes of records on their way to a target (spec 3, "Sink step: common fields"). */
export class SentDocuments {
    private readonly id: Path;
    private readonly translations: Path;
    private readonly channels: Path;
    private readonly fields: readonly Path[] | undefined;
    private readonly left: ReadonlySet<string>;

    constructor(
        private readonly args: Omit<CommonArgs, 'batchSize' | 'defaultOperation'>,
        private readonly idField: string,
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

    identityOf(data: JsonObject): JsonValue | undefined {
        return this.id.get(data);
    }

    /** What the target knows a record by. Throws RECORD_INVALID for one that has nothing to be known by. */
    idOf(data: JsonObject): string {
        const id = identityText(this.id.get(data));
        if (id === undefined)
            throw recordInvalid(this.idField, 'is missing, or no text and no number; the target knows records by it');
        return id;
    }

    /** What a record is reduced to that is to be removed: a number stays the number that it is. */
    identityAlone(data: JsonObject): JsonObject {
        return this.id.set({}, this.id.get(data)!);
    }

    /** The record with the text of its language, of the fields that are to be sent. */
    of(data: JsonObject): JsonObject {
        const whole = this.args.languageCode === undefined ? data : this.inLanguage(data, this.args.languageCode);
        if (this.fields) return picked(whole, this.fields);
        if (this.left.size === 0) return whole;
        return Object.fromEntries(Object.entries(whole).filter(([name]) => !this.left.has(name)));
    }

    private inLanguage(data: JsonObject, languageCode: string): JsonObject {
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
