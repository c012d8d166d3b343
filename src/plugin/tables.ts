import type { EntityMetadataModifier, RuntimeVendureConfig } from '@vendure/core';
import { flowMigrations } from '../../migrations';
import { flowColumns } from './entities/columns';
import { flowEntities } from './entities/flow-entities';

/**
 * Registers Flow's tables with the shop: sets the types of their columns and adds their migrations to the shop's own. For the plugin's
 * `configuration`; the entities themselves are named by the plugin's decorator (`flow-entities.ts`).
 */
export function withFlowTables(config: RuntimeVendureConfig): RuntimeVendureConfig {
    const { dbConnectionOptions: database, entityOptions } = config;
    const migrations = Object.values(database.migrations ?? {}).filter(
        migration => !flowMigrations.includes(migration as (typeof flowMigrations)[number]),
    );
    return {
        ...config,
        entityOptions: {
            ...entityOptions,
            metadataModifiers: [...(entityOptions.metadataModifiers ?? []), flowColumns(database.type)],
        },
        dbConnectionOptions: { ...database, migrations: [...migrations, ...flowMigrations] },
    };
}

/**
 * Excludes Flow's tables from the migrations that the shop generates, because Flow has its own migrations. If the shop uses `synchronize`,
 * which creates tables without migrations, Flow's tables are created too.
 */
export function withoutMigratedTables(config: RuntimeVendureConfig): RuntimeVendureConfig {
    const { entityOptions, dbConnectionOptions } = config;
    const synchronize = dbConnectionOptions.synchronize === true;
    const modifier: EntityMetadataModifier = metadata => {
        for (const table of metadata.filterTables(flowEntities)) Object.assign(table, { synchronize });
    };
    return {
        ...config,
        entityOptions: { ...entityOptions, metadataModifiers: [...(entityOptions.metadataModifiers ?? []), modifier] },
    };
}
