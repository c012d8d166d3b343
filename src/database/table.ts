import type { DataSource, EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { flowError } from '../core/errors/flow-error';
import { column, EMPTY, Name, Sql, type SqlValue, sql } from './statement';

/**
 * A table as TypeORM knows it: names follow the shop's naming strategy and prefix, values are turned as its driver would
 * (dates, booleans, JSON, the money strategy's transformer).
 */
export class Table {
    readonly name: Name;
    private readonly columns = new Map<string, ColumnMetadata>();
    /** Properties whose values all drivers pass on unchanged, which saves asking them for each one. */
    private readonly asIs = new Set<string>();
    /** Properties of which all drivers pass on whole numbers unchanged. */
    private readonly ofNumbers = new Set<string>();

    constructor(
        private readonly metadata: EntityMetadata,
        private readonly dataSource: DataSource,
    ) {
        this.name = new Name(metadata.tablePath);
        for (const column of metadata.columns) {
            // A relation's column is known by its own name (productId) as well as by the relation's (product).
            this.columns.set(column.propertyPath, column);
            const { relationMetadata: relation } = column;
            if (relation?.joinColumns.length === 1) this.columns.set(relation.propertyPath, column);
            if (!this.columns.has(column.databaseName)) this.columns.set(column.databaseName, column);
        }
        for (const [property, column] of this.columns) {
            if (isPassedOn(column)) this.asIs.add(property);
            if (column.type === Number && column.transformer === undefined && !column.isArray)
                this.ofNumbers.add(property);
        }
    }

    has(property: string): boolean {
        return this.columns.has(property);
    }

    /** The column of a property: "sku", "productId", "customFields.weight". */
    column(property: string): Name {
        return new Name(this.meta(property).databaseName);
    }

    /** A value as it is bound for this column. */
    toColumn(property: string, value: unknown): SqlValue {
        if (this.asIs.has(property) || (Number.isInteger(value) && this.ofNumbers.has(property)))
            return value as SqlValue;
        return this.dataSource.driver.preparePersistentValue(value, this.meta(property)) as SqlValue;
    }

    /** The bound values of several rows for this column; SQL values are inserted unchanged. */
    toColumns(property: string, values: readonly unknown[]): ReadonlyArray<SqlValue | Sql> {
        if (this.asIs.has(property)) return values as readonly SqlValue[];
        return values.map(value => (value instanceof Sql ? value : this.toColumn(property, value)));
    }

    /** The value that the entity would have, from the result of a raw SELECT. */
    fromColumn(property: string, value: unknown): unknown {
        if (this.asIs.has(property)) return value;
        return this.dataSource.driver.prepareHydratedValue(value, this.meta(property)) as unknown;
    }

    /** The column's type for a CAST ("integer", "character varying"). */
    typeOf(property: string): string {
        return this.dataSource.driver.normalizeType(this.meta(property));
    }

    /** The size limit of a column: characters of a VARCHAR, bytes of MySQL's TEXT; undefined if there is none. */
    limitOf(property: string): { readonly of: 'characters' | 'bytes'; readonly max: number } | undefined {
        const column = this.meta(property);
        const type = this.dataSource.driver.normalizeType(column);
        const isMySql = ['mysql', 'mariadb'].includes(this.dataSource.options.type);
        if (type === 'text') return isMySql ? { of: 'bytes', max: 65_535 } : undefined;
        const length = Number(column.length || (isMySql && type === 'varchar' ? 255 : 0));
        return length > 0 ? { of: 'characters', max: length } : undefined;
    }

    /** True if the database generates the ids; false if they are UUIDs that the inserting code generates. */
    get numbersItself(): boolean {
        return this.metadata.primaryColumns[0]?.generationStrategy === 'increment';
    }

    /** Which of the kinds of entities that share the table it is for; undefined where no others do. */
    get kind(): { readonly property: string; readonly value: string } | undefined {
        const { discriminatorColumn, discriminatorValue, tableType } = this.metadata;
        if (!discriminatorColumn || tableType !== 'entity-child' || discriminatorValue === undefined) return undefined;
        return { property: discriminatorColumn.propertyPath, value: discriminatorValue };
    }

    private meta(property: string): ColumnMetadata {
        const column = this.columns.get(property);
        if (!column)
            throw flowError('BUG', { problem: `table ${this.metadata.tableName} has no column for "${property}"` });
        return column;
    }
}

function isPassedOn({ type, transformer, isArray, enum: values }: ColumnMetadata): boolean {
    return (
        transformer === undefined &&
        !isArray &&
        values === undefined &&
        (type === String || ['varchar', 'text', 'longtext', 'int', 'integer'].includes(type as string))
    );
}

/** Continues a condition: only rows of the table's own kind that are not softly deleted. */
export function ofLiving(table: Table, alias: string): Sql {
    const { kind } = table;
    const own = kind ? sql` AND ${column(alias, table.column(kind.property).name)} = ${kind.value}` : EMPTY;
    return table.has('deletedAt') ? sql`${own} AND ${column(alias, table.column('deletedAt').name)} IS NULL` : own;
}

export function tableOf(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>): Table {
    return new Table(dataSource.getMetadata(entity), dataSource);
}

/** A join table: `owner` is the column of the entity from whose side it is looked at, `member` that of the other one. */
export class JoinTable extends Table {
    readonly owner: string;
    readonly member: string;

    constructor(metadata: EntityMetadata, dataSource: DataSource, isDeclaredThere = true) {
        super(metadata, dataSource);
        const columns = [metadata.ownerColumns[0]!.propertyPath, metadata.inverseColumns[0]!.propertyPath] as const;
        [this.owner, this.member] = isDeclaredThere ? columns : [columns[1], columns[0]];
    }
}

/** The join table of a many-to-many relation, from either side. */
export function joinTableOf(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>, relation: string): JoinTable {
    const found = dataSource.getMetadata(entity).findRelationWithPropertyPath(relation);
    if (!found?.junctionEntityMetadata)
        throw flowError('BUG', { problem: `the relation "${relation}" has no join table` });
    return new JoinTable(found.junctionEntityMetadata, dataSource, found.isManyToManyOwner);
}
