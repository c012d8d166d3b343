import type { RequestContext } from '@vendure/core';
import type { JsonValue } from '../../core/value/json';
import type { Dialect } from '../../database/dialect';
import { EMPTY, type Sql, column, join, name, sql } from '../../database/statement';
import { type JoinTable, ofLiving, type Table } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { asJson } from './columns';
import { type CustomFields, customValues } from './custom-fields';
import type { EntityDescription } from './description';

/** What is read of entities. */
export interface ReadingOptions {
    /** Reads only the entity's own row, its key and its name: no further translations, no custom fields. */
    readonly isBare?: boolean;
}

/** A translation of an entity, as it was read. */
interface StoredText {
    readonly language: string;
    readonly id: Id;
    readonly values: Record<string, JsonValue>;
}

/** The entity that the rows belong to, and their tables. */
interface Read {
    readonly entity: Pick<EntityDescription, 'key'>;
    readonly table: Table;
    readonly texts: Table | undefined;
    readonly channels: JoinTable | undefined;
    readonly custom: CustomFields;
    readonly dialect: Dialect;
    readonly own: readonly string[];
    readonly translated: readonly string[];
    readonly platform: { readonly ctx: Pick<RequestContext, 'channelId' | 'languageCode'> };
}

/** The property of a reference's column. */
export function idOf(field: string): string {
    return `${field}Id`;
}

/** The statement that reads entities of a kind, and the mapping of its rows: one for each entity and translation. */
export class EntityReading {
    private readonly isBare: boolean;
    /** The names of the columns of `own` in the statement, followed by those of the translations. */
    private readonly ownNames: readonly string[];
    private readonly textNames: readonly string[];

    constructor(
        private readonly store: Read,
        { isBare = false }: ReadingOptions,
    ) {
        this.isBare = isBare;
        this.ownNames = store.own.map((_, i) => `e${i}`);
        this.textNames = store.translated.map((_, i) => `t${i}`);
    }

    /** All entities that meet a condition, in no particular order. `channel` contains the run's channel, or null if they are not assigned to it. */
    statement(condition: Sql): Sql {
        const { entity, own, table } = this.store;
        const { within } = entity.key;
        const parts: Sql[] = [
            sql`${this.at('id')} AS ${name('id')}`,
            ...own.map((property, i) => sql`${this.at(property)} AS ${name(this.ownNames[i]!)}`),
            ...this.readCustom.map(({ property }, i) => sql`${this.at(property)} AS ${name(`b${i}`)}`),
            ...(within === undefined ? [] : [sql`${this.at(idOf(within))} AS ${name('within')}`]),
        ];
        return sql`SELECT ${join([...parts, ...this.channelParts(), ...this.textParts()])} FROM ${table.name} AS ${name('e')}
            ${this.lookUpChannel()} ${this.lookUpTexts()} WHERE ${condition}${ofLiving(table, 'e')}`;
    }

    /** The values of the entity's own row. */
    valuesIn(row: Row): Record<string, JsonValue> {
        const { own, table } = this.store;
        const values = customValues('b', row, this.readCustom);
        own.forEach((property, i) => {
            values[property] = asJson(table.fromColumn(property, row[this.ownNames[i]!]));
        });
        return values;
    }

    /** The translation of a row; undefined where it has none. */
    textIn(row: Row): StoredText | undefined {
        const language = row['language'] as string | null | undefined;
        if (language === null || language === undefined) return undefined;
        const values = customValues('l', row, this.isBare ? [] : this.store.custom.localised);
        this.readTranslated.forEach((property, i) => (values[property] = row[this.textNames[i]!] as string));
        return { language, id: row['textId'] as Id, values };
    }

    /** A column of its base table. */
    private at(property: string): Sql {
        return column('e', this.store.table.column(property).name);
    }

    private get readCustom(): CustomFields['base'] {
        return this.isBare ? [] : this.store.custom.base;
    }

    /** What is read of its translations. */
    private get readTranslated(): readonly string[] {
        const { entity, translated } = this.store;
        if (!this.isBare) return translated;
        const { field, isTranslated, made } = entity.key;
        return [...(isTranslated === true ? [field] : []), ...(made ? [made.of] : [])];
    }

    private channelParts(): readonly Sql[] {
        const { channels } = this.store;
        return channels ? [sql`${column('c', channels.column(channels.member).name)} AS ${name('channel')}`] : [];
    }

    private lookUpChannel(): Sql {
        const { channels, dialect, platform } = this.store;
        if (!channels) return EMPTY;
        const c = (property: string): Sql => column('c', channels.column(property).name);
        const isOwn = sql`${c(channels.owner)} = ${this.at('id')} AND ${c(channels.member)} = ${platform.ctx.channelId}`;
        return dialect.lookUp(channels.name, 'c', isOwn);
    }

    private textParts(): readonly Sql[] {
        const { custom, texts } = this.store;
        if (!texts || this.readTranslated.length === 0) return [];
        const t = (property: string): Sql => column('t', texts.column(property).name);
        return [
            sql`${t('id')} AS ${name('textId')}`,
            sql`${t('languageCode')} AS ${name('language')}`,
            ...this.readTranslated.map((property, i) => sql`${t(property)} AS ${name(this.textNames[i]!)}`),
            ...(this.isBare ? [] : custom.localised.map(({ property }, i) => sql`${t(property)} AS ${name(`l${i}`)}`)),
        ];
    }

    private lookUpTexts(): Sql {
        const { dialect, platform, texts } = this.store;
        if (!texts || this.readTranslated.length === 0) return EMPTY;
        const t = (property: string): Sql => column('t', texts.column(property).name);
        const own = this.isBare ? sql` AND ${t('languageCode')} = ${platform.ctx.languageCode}` : EMPTY;
        return dialect.lookUp(texts.name, 't', sql`${t('base')} = ${this.at('id')}${own}`);
    }
}
