import type { QueryRunner, TableColumnOptions } from 'typeorm';

type Options = Omit<TableColumnOptions, 'name' | 'type'>;
type Column = (name: string, options?: Options) => TableColumnOptions;

/** How the columns of Flow's tables are spelled on the database at hand; used by migrations only. */
export interface ColumnTypes {
    /** Of the table itself. */
    readonly id: TableColumnOptions;
    /** The id of another table's row. */
    readonly idOf: Column;
    readonly int: Column;
    /** A number that starts at 0. */
    readonly count: Column;
    /** How a number stands as a column's default. */
    readonly initial: (value: number) => string;
    /** Yes or no, with what it is until somebody says otherwise. */
    readonly flag: (name: string, value: boolean) => TableColumnOptions;
    readonly bigint: Column;
    readonly varchar: (name: string, length: number, options?: Options) => TableColumnOptions;
    /** A varchar that rows are found by, compared byte by byte. */
    readonly key: (name: string, length: number, options?: Options) => TableColumnOptions;
    readonly longText: Column;
    readonly moment: Column;
    readonly createdAt: TableColumnOptions;
    readonly updatedAt: TableColumnOptions;
}

/** The shop decides the type of ids by its EntityIdStrategy; a migration finds it where TypeORM has it, at an entity. */
export function columnTypes(queryRunner: QueryRunner): ColumnTypes {
    const { driver } = queryRunner.connection;
    const hasUuids =
        queryRunner.connection.getMetadata('FlowPipeline').primaryColumns[0]?.generationStrategy === 'uuid';
    const int = driver.normalizeType({ type: 'int' });
    const idType = hasUuids ? driver.normalizeType({ type: 'uuid' }) : int;
    switch (driver.options.type) {
        case 'postgres':
            return {
                ...shared(idType, int),
                flag: (name, value) => ({ name, type: 'boolean', default: String(value) }),
                id: hasUuids
                    ? { name: 'id', type: 'uuid', isPrimary: true, isGenerated: true, generationStrategy: 'uuid' }
                    : {
                          name: 'id',
                          type: 'integer',
                          isPrimary: true,
                          isGenerated: true,
                          generationStrategy: 'increment',
                      },
                key: (name, length, options) => ({ name, type: 'varchar', length: String(length), ...options }),
                longText: (name, options) => ({ name, type: 'text', ...options }),
                moment: (name, options) => ({ name, type: 'timestamp', precision: 6, ...options }),
                createdAt: { name: 'created_at', type: 'timestamp', default: 'now()' },
                updatedAt: { name: 'updated_at', type: 'timestamp', default: 'now()' },
            };
        case 'mysql':
        case 'mariadb':
            return {
                ...shared(idType, int, value => `'${value}'`),
                flag: (name, value) => ({ name, type: 'tinyint', default: value ? "'1'" : "'0'" }),
                // MySQL, unlike newer MariaDBs, has no uuid type: there its ids are texts of 36 letters, made by TypeORM or Flow.
                id: hasUuids
                    ? {
                          name: 'id',
                          type: idType,
                          ...(idType === 'varchar' && { length: '36' }),
                          isPrimary: true,
                          isGenerated: true,
                          generationStrategy: 'uuid',
                      }
                    : { name: 'id', type: 'int', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
                idOf: (name, options) => ({
                    name,
                    type: idType,
                    ...(idType === 'varchar' && { length: '255' }),
                    ...options,
                }),
                key: (name, length, options) => ({
                    name,
                    type: 'varchar',
                    length: String(length),
                    collation: 'utf8mb4_bin',
                    ...options,
                }),
                longText: (name, options) => ({ name, type: 'longtext', ...options }),
                moment: (name, options) => ({ name, type: 'datetime', precision: 6, ...options }),
                createdAt: { name: 'created_at', type: 'datetime', precision: 6, default: 'CURRENT_TIMESTAMP(6)' },
                updatedAt: {
                    name: 'updated_at',
                    type: 'datetime',
                    precision: 6,
                    default: 'CURRENT_TIMESTAMP(6)',
                    onUpdate: 'CURRENT_TIMESTAMP(6)',
                },
            };
        default:
            return {
                ...shared(idType, int),
                flag: (name, value) => ({ name, type: 'boolean', default: value ? '1' : '0' }),
                id: hasUuids
                    ? { name: 'id', type: 'varchar', isPrimary: true, isGenerated: true, generationStrategy: 'uuid' }
                    : {
                          name: 'id',
                          type: 'integer',
                          isPrimary: true,
                          isGenerated: true,
                          generationStrategy: 'increment',
                      },
                key: (name, length, options) => ({ name, type: 'varchar', length: String(length), ...options }),
                longText: (name, options) => ({ name, type: 'text', ...options }),
                moment: (name, options) => ({ name, type: 'datetime', precision: 6, ...options }),
                createdAt: { name: 'created_at', type: 'datetime', default: "datetime('now')" },
                updatedAt: { name: 'updated_at', type: 'datetime', default: "datetime('now')" },
            };
    }
}

type Shared = Pick<ColumnTypes, 'idOf' | 'int' | 'count' | 'initial' | 'bigint' | 'varchar'>;

function shared(idType: string, int: string, initial = String as (value: number) => string): Shared {
    return {
        initial,
        idOf: (name, options) => ({ name, type: idType, ...options }),
        int: (name, options) => ({ name, type: int, ...options }),
        count: (name, options) => ({ name, type: int, default: initial(0), ...options }),
        bigint: (name, options) => ({ name, type: 'bigint', ...options }),
        varchar: (name, length, options) => ({ name, type: 'varchar', length: String(length), ...options }),
    };
}
