import type { RuntimeVendureConfig } from '@vendure/core';
import { flowError } from '../core/errors/flow-error';
import { flowPermissions } from './permissions';
import { withFlowTables } from './tables';

const DATABASES: ReadonlySet<string> = new Set(['postgres', 'mysql', 'mariadb', 'better-sqlite3']);

/** Adds to the shop's configuration what Flow needs: permissions, tables, migrations. Throws DATABASE_UNSUPPORTED. */
export function configureFlow(config: RuntimeVendureConfig): RuntimeVendureConfig {
    const { type } = config.dbConnectionOptions;
    if (!DATABASES.has(type)) throw flowError('DATABASE_UNSUPPORTED', { type });
    const { customPermissions } = config.authOptions;
    const missing = flowPermissions.filter(permission => !customPermissions.includes(permission));
    const authOptions = { ...config.authOptions, customPermissions: [...customPermissions, ...missing] };
    return withFlowTables({ ...config, authOptions });
}
