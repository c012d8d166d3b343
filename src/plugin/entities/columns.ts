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

/** Column options whose type is settled once the shop's database and its EntityIdStrategy are known. */
const ids = new Set<ColumnOptions>();
const texts = new Set<ColumnOptions>();
const keys = new Set<ColumnOptions>();

/** Options that TypeORM keeps as the very object it was given, so that `flowColumns` can still settle its type. */
interface Given extends Omit<ColumnOptions, 'type' | 'name'> {
    readonly name: string;
}

/** The id of a row of another table, in the shop's type of ids. No foreign key: see `flowEntities`. */
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

/** A short text that rows are found by; compared byte by byte, where MySQL's own collations take "Load" and "load" for one. */
export function keyText(given: Given): ColumnOptions {
    const options: ColumnOptions = { ...given, type: 'varchar' };
    keys.add(options);
    return options;
}

/** A moment, exact to the millisecond at least. */
export function timestampColumn(given: Given): ColumnOptions {
    return { ...given, type: Date, precision: 6 };
}

/** A number of bytes, which a 32-bit integer cannot hold for more than 2 GiB. */
export function byteCount(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** A number that grows beyond what a 32-bit integer holds. */
export function largeCount(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** Milliseconds since 1970 by the database's clock: neither a time zone nor daylight saving can move a lease. */
export function epochMs(given: Given): ColumnOptions {
    return { ...given, type: 'bigint', transformer: wholeNumber };
}

/** A JSON value that is written already: it is stored as it stands. */
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

/** What all of Flow's entities with an id of their own have in common: Vendure's, under snake_case names. */
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
 * Settles what the decorators cannot know: the type of ids, of long texts and of keys. Runs as one of Vendure's
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
        // TypeORM takes the first column that a property was given, and the base class came first.
        const own = metadata.columns.filter(column => column.target === FlowEntity);
        const others = metadata.columns.filter(column => column.target !== FlowEntity);
        metadata.columns.splice(0, metadata.columns.length, ...own, ...others);
    };
}
