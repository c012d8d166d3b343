import type { RuntimeVendureConfig } from '@vendure/core';
import { flowMigrations } from '../../migrations';
import { flowColumns } from './entities/columns';

/**
 * Makes the shop know Flow's tables: settles the types of their columns and adds their migrations to the shop's own. For the
 * plugin's `configuration`; the entities themselves are named by the plugin's decorator (`flow-entities.ts`).
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
