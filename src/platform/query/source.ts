import {
    ConfigService,
    type CustomFieldConfig,
    Order,
    OrderLine,
    ProductVariant,
    ProductVariantPrice,
    type VendureEntity,
} from '@vendure/core';
import type { EntityMetadata, EntityTarget } from 'typeorm';
import { column, EMPTY, name, raw, type Sql, sql } from '../../database/statement';
import { JoinTable } from '../../database/table';
import type { VendurePlatform } from '../context';
import type { Readable } from './entities';
import { queryFieldsOf, type QueryField } from './fields';

/** A field, and how SQL says it of a row under an alias. */
export interface SourceField extends QueryField {
    of(alias: string): Sql;
}

/** The translations of an entity. */
interface SourceTexts {
    readonly table: Sql;
    readonly fields: readonly SourceField[];
    /** The columns that every table of translations has. */
    at(alias: string, of: 'id' | 'base' | 'languageCode'): Sql;
}

/** A kind of entity as a query reads it: its table, fields, translations, and which of its rows there are for a run. */
export class QuerySource {
    readonly table: Sql;
    readonly fields: readonly SourceField[];
    readonly texts: SourceTexts | undefined;
    readonly isDeletedSoftly: boolean;
    private readonly channels: JoinTable | undefined;

    constructor(
        readonly metadata: EntityMetadata,
        readonly readable: Readable,
        private readonly platform: VendurePlatform,
    ) {
        this.table = tableName(metadata);
        const plain = this.plainFields(metadata, readable);
        this.fields = [...plain, ...this.priceFields(), ...this.orderFields(plain)];
        this.texts = this.textsOf();
        this.isDeletedSoftly = metadata.findColumnWithPropertyName('deletedAt') !== undefined;
        const channels = metadata.findRelationWithPropertyPath('channels')?.junctionEntityMetadata;
        this.channels = channels && new JoinTable(channels, platform.dataSource);
    }

    /** The column of its id. */
    id(alias: string): Sql {
        return this.at(alias, this.metadata.primaryColumns[0]!.databaseName);
    }

    at(alias: string, columnName: string): Sql {
        return column(alias, columnName);
    }

    /** The order of those that one entity has: by their position, where they have one. */
    order(alias: string): readonly Sql[] {
        const position = this.metadata.findColumnWithPropertyName('position');
        return [...(position ? [this.at(alias, position.databaseName)] : []), this.id(alias)];
    }

    /** Joins the table that assigns rows to the run's channel. */
    joinChannel(alias: string): Sql {
        const { channels, platform } = this;
        if (!channels) return EMPTY;
        const of = (property: string): Sql => column(`${alias}c`, channels.column(property).name);
        return sql` JOIN ${channels.name} AS ${name(`${alias}c`)}
            ON ${of(channels.owner)} = ${this.id(alias)} AND ${of(channels.member)} = ${platform.ctx.channelId}`;
    }

    /** Which of its rows a list has: those of the channel that are not deleted. */
    listed(alias: string, includeDeleted: boolean): readonly Sql[] {
        const conditions: Sql[] = [...this.visible(alias)];
        if (this.isDeletedSoftly && !includeDeleted) {
            const deletedAt = this.metadata.findColumnWithPropertyName('deletedAt')!;
            conditions.push(sql`${this.at(alias, deletedAt.databaseName)} IS NULL`);
        }
        const { channelId } = this.platform.ctx;
        if (this.readable.ofChannel === 'channelId') {
            const own = this.metadata.findColumnWithPropertyName('channelId')!;
            conditions.push(sql`${this.at(alias, own.databaseName)} = ${channelId}`);
        } else if (this.readable.ofChannel === 'stockLocation') conditions.push(this.atLocation(alias));
        return conditions;
    }

    /** The rows that users can see: not the root collection, which contains all others. */
    visible(alias: string): readonly Sql[] {
        const isRoot = this.metadata.findColumnWithPropertyName('isRoot');
        const no = this.platform.database.dialect.kind === 'postgres' ? raw('FALSE') : raw('0');
        return isRoot ? [sql`${this.at(alias, isRoot.databaseName)} = ${no}`] : [];
    }

    private atLocation(alias: string): Sql {
        const relation = this.metadata.findRelationWithPropertyPath('stockLocation')!;
        const junction =
            relation.inverseEntityMetadata.findRelationWithPropertyPath('channels')!.junctionEntityMetadata!;
        const channels = new JoinTable(junction, this.platform.dataSource);
        const of = (property: string): Sql => column('lc', channels.column(property).name);
        return sql`EXISTS (SELECT 1 FROM ${channels.name} AS ${name('lc')}
            WHERE ${of(channels.owner)} = ${this.at(alias, relation.joinColumns[0]!.databaseName)}
            AND ${of(channels.member)} = ${this.platform.ctx.channelId})`;
    }

    private textsOf(): SourceTexts | undefined {
        const relation = this.metadata.findRelationWithPropertyPath('translations');
        if (!relation) return undefined;
        const { inverseEntityMetadata: metadata } = relation;
        const base = relation.inverseRelation!.joinColumns[0]!.databaseName;
        const named = { id: 'id', languageCode: 'languageCode' };
        const own = new Set(['id', 'createdAt', 'updatedAt', 'languageCode', 'baseId']);
        return {
            table: tableName(metadata),
            fields: this.plainFields(metadata, {}).filter(field => !own.has(field.name) && field.columnName !== base),
            at: (alias, of) =>
                column(alias, of === 'base' ? base : metadata.findColumnWithPropertyName(named[of])!.databaseName),
        };
    }

    private plainFields(metadata: EntityMetadata, readable: Pick<Readable, 'columns'>): readonly SourceField[] {
        const { dataSource, ctx } = this.platform;
        const customFields = this.customFields();
        return queryFieldsOf(metadata, readable, { dataSource, ctx, customFields }).map(field => ({
            ...field,
            of: alias => column(alias, field.columnName),
        }));
    }

    private customFields(): readonly CustomFieldConfig[] {
        const all = this.platform.injector.get(ConfigService).customFields as unknown as Readonly<
            Record<string, readonly CustomFieldConfig[]>
        >;
        return all[this.metadata.name] ?? [];
    }

    /** Of an order: its totals, which Vendure calculates from columns and lines. */
    private orderFields(plain: readonly SourceField[]): readonly SourceField[] {
        if (this.metadata.target !== Order) return [];
        const field = (name: string): SourceField => plain.find(one => one.name === name)!;
        const [subTotal, subTotalWithTax, shipping, shippingWithTax] = [
            field('subTotal'),
            field('subTotalWithTax'),
            field('shipping'),
            field('shippingWithTax'),
        ];
        const sum = (name: string, a: SourceField, b: SourceField): SourceField => ({
            ...a,
            name,
            keys: [name],
            of: alias => sql`(${a.of(alias)} + COALESCE(${b.of(alias)}, 0))`,
        });
        const lines = this.platform.dataSource.getMetadata(OrderLine as EntityTarget<VendureEntity>);
        const quantity = column('ql', lines.findColumnWithPropertyName('quantity')!.databaseName);
        const order = lines.findRelationWithPropertyPath('order')!.joinColumns[0]!.databaseName;
        return [
            sum('total', subTotal, shipping),
            sum('totalWithTax', subTotalWithTax, shippingWithTax),
            {
                name: 'totalQuantity',
                keys: ['totalQuantity'],
                columnName: 'totalQuantity',
                kind: 'number',
                isNullable: false,
                toJson: value => Number(value),
                toColumn: value => value,
                of: alias => sql`(SELECT COALESCE(SUM(${quantity}), 0) FROM ${tableName(lines)} AS ${name('ql')}
                    WHERE ${column('ql', order)} = ${this.id(alias)})`,
            },
        ];
    }

    /** Of a variant: what it costs in the run's channel, in the channel's own currency. */
    private priceFields(): readonly SourceField[] {
        if (this.metadata.target !== ProductVariant) return [];
        const { dataSource, ctx } = this.platform;
        const prices = new QueryPrices(dataSource.getMetadata(ProductVariantPrice as EntityTarget<VendureEntity>));
        const price = queryFieldsOf(prices.metadata, {}, { dataSource, ctx, customFields: [] }).find(
            field => field.name === 'price',
        )!;
        const { defaultCurrencyCode } = ctx.channel;
        const own = { channelId: ctx.channelId, currency: defaultCurrencyCode };
        return [
            { ...price, isNullable: true, of: alias => prices.priceOf(this.id(alias), own) },
            {
                name: 'currencyCode',
                keys: ['currencyCode'],
                columnName: 'currencyCode',
                kind: 'text',
                isNullable: false,
                toJson: () => defaultCurrencyCode,
                toColumn: value => value,
                of: () =>
                    dataSource.options.type === 'postgres'
                        ? sql`CAST(${defaultCurrencyCode} AS varchar)`
                        : sql`${defaultCurrencyCode}`,
            },
        ];
    }
}

/** The table of prices. */
class QueryPrices {
    constructor(readonly metadata: EntityMetadata) {}

    priceOf(
        variantId: Sql,
        { channelId, currency }: { readonly channelId: string | number; readonly currency: string },
    ): Sql {
        const of = (property: string): Sql =>
            column('pr', this.metadata.findColumnWithPropertyName(property)!.databaseName);
        const variant = this.metadata.findRelationWithPropertyPath('variant')!.joinColumns[0]!.databaseName;
        return sql`(SELECT ${of('price')} FROM ${tableName(this.metadata)} AS ${name('pr')}
            WHERE ${column('pr', variant)} = ${variantId} AND ${of('channelId')} = ${channelId} AND ${of('currencyCode')} = ${currency}
            ORDER BY ${of('id')} LIMIT 1)`;
    }
}

function tableName({ tablePath }: EntityMetadata): Sql {
    return sql`${name(tablePath)}`;
}
