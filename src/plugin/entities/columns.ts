import type { EntityMetadataModifier } from '@vendure/core';
import {
    type ColumnOptions,
    CreateDateColumn,
    type DataSourceOptions,
    UpdateDateColumn,
    type ValueTransformer,
} from 'typeorm';
import { VendureEntity } from '@vendure/core';
import type { DeepPartial } from '@vendure/common/lib/shared-types';

/** Column options whose type is set once the shop's database and its EntityIdStrategy are known. */
const ids = new Set<ColumnOptions>();
const texts = new Set<ColumnOptions>();
const keys = new Set<ColumnOptions>();

/** TypeORM keeps the same options object that it was given, so `flowColumns` can set its type later. */
interface Given extends Omit<ColumnOptions, 'type' | 'name'> {
    readonly name: string;
}

/** The id of a row of another table, with the shop's type of ids. There is no foreign key: see `flowEntities`. */
export function idColumn(given: Given): ColumnOptions {
    const options: ColumnOptions = { ...given, type: 'int' };
    ids.add(options);
    return options;
}

/** Text of any length: MySQL's `text` ends at 64 KB. */
export function longText(given: Given): ColumnOptions {
    const options: ColumnOptions = { ...given, type: 'text' };
    texts.add(options);
    return options;
}

/** A JSON value of any size; the property holds the value, the column its text. */
export function longJson(given: Given): ColumnOptions {
    return longText({ ...given, transformer: jsonText });
}

/** A short text by which rows are found. It is compared byte by byte; MySQL's default collations treat "Load" and "load" as equal. */
export function keyText(given: Given): ColumnOptions {
    const options: ColumnOptions = { ...given, type: 'varchar' };
    keys.add(options);
    return options;
}

/** A point in time, exact to at least a millisecond. */
export function timestampColumn(given: Given): ColumnOptions {
    return { ...given, type: Date, precision: 6 };
}

/** A number of bytes. A 32-bit integer holds at most 2 GiB. */
export function byteCount(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** A number that may exceed a 32-bit integer. */
export function largeCount(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** Milliseconds since 1970 by the database's clock, so that neither a time zone nor daylight saving can move a lease. */
export function epochMs(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** A JSON value that is already serialized. Its text is stored unchanged. */
export class JsonText {
    constructor(readonly text: string) {}
}

const jsonText: ValueTransformer = {
    to: (value: unknown) => {
        if (value === undefined || value === null) return value;
        return value instanceof JsonText ? value.text : JSON.stringify(value);
    },
    from: (text: unknown) => (typeof text === 'string' ? (JSON.parse(text) as unknown) : text),
};
const wholeNumber: ValueTransformer = {
    to: (value: unknown) => value,
    from: (value: unknown) => (typeof value === 'string' ? Number(value) : value),
};

/** The common columns of Flow's entities that have a separate id: Vendure's columns, with snake_case names. */
export abstract class FlowEntity extends VendureEntity {
    protected constructor(input?: DeepPartial<VendureEntity>) {
        super(input);
    }

    @CreateDateColumn({ name: 'created_at' })
    override createdAt: Date;

    @UpdateDateColumn({ name: 'updated_at' })
    override updatedAt: Date;
}

/**
 * Sets what the decorators cannot know: the type of ids, of long texts and of keys. Runs as one of Vendure's
 * `entityOptions.metadataModifiers`, after its EntityIdStrategy has been applied and before TypeORM reads the columns.
 */
export function flowColumns(database: DataSourceOptions['type']): EntityMetadataModifier {
    const isMysql = database === 'mysql' || database === 'mariadb';
    return metadata => {
        const numbers = metadata.generations.find(
            ({ target, propertyName }) => target === VendureEntity && propertyName === 'id',
        );
        for (const options of ids) options.type = numbers?.strategy === 'uuid' ? 'uuid' : 'int';
        for (const options of texts) options.type = isMysql ? 'longtext' : 'text';
        for (const options of keys) {
            if (isMysql) options.collation = 'utf8mb4_bin';
            else delete options.collation;
        }
        // TypeORM uses the first column of a property, and the columns of the base class come first.
        const own = metadata.columns.filter(column => column.target === FlowEntity);
        const others = metadata.columns.filter(column => column.target !== FlowEntity);
        metadata.columns.splice(0, metadata.columns.length, ...own, ...others);
    };
}
