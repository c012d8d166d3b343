import type { JsonObject, JsonValue } from '../../core/value/json';
import { name, type Sql, sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import { orderPricesOf } from './order-prices';
import type { QuerySource, SourceField } from './source';

/** A record that is being built; the targets of relations are added later. */
export interface Shaped {
    readonly id: Id;
    readonly data: Record<string, JsonValue>;
    /** For each followed relation: the id of its target. */
    readonly links: readonly (Id | null)[];
    /** The translation that its texts are of. */
    language?: string;
    textIds?: Set<Id>;
}

/** The requested parts of an entity. */
interface ShapeProjection {
    /** The language of the texts; an entity without texts in it gets those of its first translation. */
    readonly language: string;
    /** Translated texts are in the record itself, instead of in a list of translations. */
    readonly isFlat: boolean;
    /** Which of the names at the top of a record are emitted. */
    keeps(name: string): boolean;
    /** Columns that lead to what relations refer to. */
    readonly links: readonly string[];
    /** Marks deleted entities. */
    readonly marksDeleted: boolean;
}

/** The field in the record of a deleted entity, so that sinks and loads delete it as well. */
const OPERATION = '__operation';

/** Columns of rows under short names, and records of them. A row is an entity with one of its translations, or with none. */
export class Shape {
    private readonly own: readonly SourceField[];
    private readonly texts: readonly SourceField[];
    /** Whether translations are read at all. */
    readonly hasTexts: boolean;
    private readonly marks: boolean;
    private readonly pricesOf: ReturnType<typeof orderPricesOf>;

    constructor(
        private readonly source: QuerySource,
        private readonly desired: ShapeProjection,
    ) {
        const kept = ({ keys }: SourceField): boolean => desired.keeps(keys[0]!);
        this.own = source.fields.filter(kept);
        const texts = source.texts?.fields ?? [];
        this.texts = desired.isFlat ? texts.filter(kept) : desired.keeps('translations') ? texts : [];
        this.hasTexts =
            this.texts.length > 0 || (source.texts !== undefined && desired.isFlat && desired.keeps('languageCode'));
        this.pricesOf = orderPricesOf(source.metadata);
        this.marks = desired.marksDeleted && source.isDeletedSoftly;
    }

    /** Of the entity's own row. Its id comes as `id`. */
    columns(alias: string): readonly Sql[] {
        const { source, own, desired } = this;
        const deletedAt = source.metadata.findColumnWithPropertyName('deletedAt');
        return [
            sql`${source.id(alias)} AS ${name('id')}`,
            ...own.map((field, i) => sql`${field.of(alias)} AS ${name(`o${i}`)}`),
            ...desired.links.map((link, i) => sql`${source.at(alias, link)} AS ${name(`l${i}`)}`),
            ...(this.marks ? [sql`${source.at(alias, deletedAt!.databaseName)} AS ${name('gone')}`] : []),
        ];
    }

    /** Of its translation. */
    textColumns(alias: string): readonly Sql[] {
        const { texts } = this.source;
        if (!this.hasTexts || !texts) return [];
        return [
            sql`${texts.at(alias, 'id')} AS ${name('ti')}`,
            sql`${texts.at(alias, 'languageCode')} AS ${name('tl')}`,
            ...this.texts.map((field, i) => sql`${field.of(alias)} AS ${name(`t${i}`)}`),
        ];
    }

    /** Joins the translations of what has this id. */
    joinTexts(alias: string, id: Sql): Sql {
        const { texts } = this.source;
        return this.hasTexts && texts
            ? sql` LEFT JOIN ${texts.table} AS ${name(alias)} ON ${texts.at(alias, 'base')} = ${id}`
            : sql``;
    }

    /** The order in which the first translation comes first. */
    textOrder(alias: string): readonly Sql[] {
        const { texts } = this.source;
        return this.hasTexts && texts ? [texts.at(alias, 'id')] : [];
    }

    /** Adds a row to the records: a new record, or a further translation of an existing one. */
    take(row: Row, records: Map<Id, Shaped>): Shaped {
        const id = row['id'] as Id;
        let shaped = records.get(id);
        if (!shaped) records.set(id, (shaped = this.shaped(id, row)));
        if (this.hasTexts) this.takeText(row, shaped);
        return shaped;
    }

    private shaped(id: Id, row: Row): Shaped {
        const { own, texts, desired } = this;
        const data: Record<string, JsonValue> = {};
        for (let i = 0; i < own.length; i++) put(data, own[i]!, row[`o${i}`]);
        if (this.pricesOf) Object.assign(data, this.pricesOf(data));
        if (desired.isFlat) {
            // A record has the same fields whether it is translated or not.
            for (const field of texts) put(data, field, null);
            if (this.hasTexts && desired.keeps('languageCode')) data['languageCode'] = null;
        } else if (this.hasTexts) data['translations'] = [];
        if (this.marks && row['gone'] !== null) data[OPERATION] = 'DELETE';
        return { id, data, links: desired.links.map((_, i) => (row[`l${i}`] ?? null) as Id | null) };
    }

    private takeText(row: Row, shaped: Shaped): void {
        const language = row['tl'] as string | null;
        if (language === null || language === undefined) return;
        const { texts, desired } = this;
        if (!desired.isFlat) {
            shaped.textIds ??= new Set();
            const id = row['ti'] as Id;
            if (shaped.textIds.has(id)) return;
            shaped.textIds.add(id);
            const translation: Record<string, JsonValue> = { languageCode: language };
            for (let i = 0; i < texts.length; i++) put(translation, texts[i]!, row[`t${i}`]);
            (shaped.data['translations'] as JsonObject[]).push(translation);
            return;
        }
        if (shaped.language !== undefined && (shaped.language === desired.language || language !== desired.language))
            return;
        shaped.language = language;
        for (let i = 0; i < texts.length; i++) put(shaped.data, texts[i]!, row[`t${i}`]);
        if (desired.keeps('languageCode')) shaped.data['languageCode'] = language;
    }
}

/** `customFields` is the one object within a record whose names are fields. */
function put(data: Record<string, JsonValue>, { keys, toJson }: SourceField, value: unknown): void {
    if (keys.length === 1) {
        data[keys[0]!] = toJson(value);
        return;
    }
    const inner = (data[keys[0]!] ??= {}) as Record<string, JsonValue>;
    inner[keys.slice(1).join('.')] = toJson(value);
}
