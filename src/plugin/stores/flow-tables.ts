import { Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { EntityMetadata } from 'typeorm';
import { flowMigrations } from '../../../migrations';
import { flowEntities } from '../entities/flow-entities';

/** Checks whether Flow's migrations have been run: a worker may start before the server has created the tables. */
@Injectable()
export class FlowTables {
    private found = false;

    constructor(private readonly connection: TransactionalConnection) {}

    async exist(): Promise<boolean> {
        return (await this.missing()).length === 0;
    }

    /** The tables that the database lacks, and of the others the columns, such as "flow_log.facts". */
    async missing(): Promise<readonly string[]> {
        this.found ||= await this.isMigrated();
        if (this.found) return [];
        const { rawConnection } = this.connection;
        const desired = flowEntities.map(entity => rawConnection.getMetadata(entity));
        const columns = await this.columns(desired[0]!);
        const missing = desired.flatMap(({ tableName, columns: own }) => {
            const there = columns.get(tableName);
            if (!there) return [tableName];
            return own
                .filter(({ databaseName }) => !there.has(databaseName))
                .map(c => `${tableName}.${c.databaseName}`);
        });
        this.found = missing.length === 0;
        return missing;
    }

    /**
     * Whether the last of Flow's migrations has been run. Where it has not, the tables may be there all the same: a shop may synchronise them, or
     * have lost its list of migrations.
     */
    private async isMigrated(): Promise<boolean> {
        const { rawConnection } = this.connection;
        const { driver, options } = rawConnection;
        const table = driver.buildTableName(
            options.migrationsTableName ?? 'migrations',
            driver.schema,
            // Of SQLite it would be the file.
            options.type === 'better-sqlite3' ? undefined : driver.database,
        );
        const last = new (flowMigrations.at(-1)!)().name;
        const runner = rawConnection.createQueryRunner();
        try {
            if (!(await runner.hasTable(table))) return false;
            const found = await rawConnection
                .createQueryBuilder(runner)
                .select('m.name', 'name')
                .from(table, 'm')
                .where('m.name = :last', { last })
                .getRawMany();
            return found.length > 0;
        } finally {
            await runner.release();
        }
    }

    /** One statement for all tables. It queries the database's own catalogue, so missing tables cause no error. */
    private async columns({ schema }: EntityMetadata): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
        const { rawConnection } = this.connection;
        const listed = (where: string): string =>
            `SELECT table_name AS tbl, column_name AS col FROM information_schema.columns WHERE table_name LIKE 'flow%' AND ${where}`;
        const statements: Readonly<Record<string, () => Promise<unknown>>> = {
            postgres: () =>
                rawConnection.query(listed('table_schema = coalesce($1, current_schema())'), [schema ?? null]),
            'better-sqlite3': () =>
                rawConnection.query(
                    `SELECT m.name AS tbl, c.name AS col FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.name LIKE 'flow%'`,
                ),
        };
        const ask =
            statements[rawConnection.options.type] ?? (() => rawConnection.query(listed('table_schema = database()')));
        const columns = new Map<string, Set<string>>();
        for (const { tbl, col } of (await ask()) as ReadonlyArray<{ readonly tbl: string; readonly col: string }>) {
            columns.set(tbl, (columns.get(tbl) ?? new Set()).add(col));
        }
        return columns;
    }
}
