import { PluginCommonModule, preBootstrapConfig, VendurePlugin } from '@vendure/core';
import { DataSource } from 'typeorm';
import { flowEntities } from '../../src/plugin/entities/flow-entities';
import { withFlowTables } from '../../src/plugin/tables';
import { type DatabaseConnection, vendureConfig } from './vendure-config';

/** Registers Flow's tables, and nothing else of Flow. */
@VendurePlugin({
    imports: [PluginCommonModule],
    entities: flowEntities,
    configuration: withFlowTables,
    compatibility: '^3.7.0',
})
export class FlowTablesOnly {}

/** Runs Flow's migrations on a shop's database. */
export async function makeFlowTables(connection: DatabaseConnection): Promise<void> {
    const { dbConnectionOptions } = await preBootstrapConfig(vendureConfig(connection, { plugins: [FlowTablesOnly] }));
    const options = { ...dbConnectionOptions, entities: flowEntities, subscribers: [] } as typeof dbConnectionOptions;
    const dataSource = await new DataSource(options).initialize();
    try {
        await dataSource.runMigrations({ transaction: 'each' });
    } finally {
        await dataSource.destroy();
    }
}
