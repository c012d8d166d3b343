import type { RuntimeVendureConfig } from '@vendure/core';
import { flowError } from '../core/errors/flow-error';
import { LimitedResponses } from './api/limited-responses';
import { unquotedInput } from './api/unquoted-input';
import { largeBodies } from './http/large-bodies';
import type { FlowOptions } from './options/options';
import { rejectForeignMigrations } from './host-migrations';
import { knownPermissions } from './known-permissions';
import { flowPermissions } from './permissions';
import { withoutMigratedTables, withFlowTables } from './tables';

type ApiOptions = FlowOptions['api'];

const DATABASES: ReadonlySet<string> = new Set(['postgres', 'mysql', 'mariadb', 'better-sqlite3']);

/**
 * Adds to the shop's configuration what Flow needs: permissions, tables, migrations, a larger limit for request bodies, and error messages
 * without secrets. Throws DATABASE_UNSUPPORTED and MIGRATION_DUPLICATE.
 */
export function configureFlow(config: RuntimeVendureConfig, { maxCost }: ApiOptions): RuntimeVendureConfig {
    const { type } = config.dbConnectionOptions;
    if (!DATABASES.has(type)) throw flowError('DATABASE_UNSUPPORTED', { type });
    rejectForeignMigrations(config.dbConnectionOptions.migrations);
    const { customPermissions } = config.authOptions;
    const missing = flowPermissions.filter(permission => !customPermissions.includes(permission));
    const authOptions = { ...config.authOptions, customPermissions: [...customPermissions, ...missing] };
    const { apolloServerPlugins, middleware, adminApiPath } = config.apiOptions;
    const own = largeBodies(adminApiPath);
    const others = apolloServerPlugins.filter(
        plugin => plugin !== unquotedInput && !(plugin instanceof LimitedResponses),
    );
    const apiOptions = {
        ...config.apiOptions,
        apolloServerPlugins: [
            ...others,
            unquotedInput,
            new LimitedResponses({ maxCost, defaultTake: config.apiOptions.adminListQueryLimit }),
        ],
        // Runs after the shop's own middleware: a parser with a larger limit than Flow's reads the body first.
        middleware: [...middleware.filter(({ handler }) => handler !== own.handler), own],
    };
    return withFlowTables(withoutMigratedTables({ ...config, authOptions, apiOptions }));
}

/**
 * Calls `check` with the permissions of the shop once all plugins have been configured, before the database is connected. Vendure passes
 * the same configuration to all plugins, and calls its metadata modifiers next.
 */
export function checkedLast(
    config: RuntimeVendureConfig,
    { api, check }: { readonly api: ApiOptions; check(permissions: ReadonlySet<string>): void },
): RuntimeVendureConfig {
    const { entityOptions, ...rest } = configureFlow(config, api);
    let isDue = true;
    const modifier = (): void => {
        // When a process boots again, this may run before the other plugins are configured.
        if (isDue) check(knownPermissions(config));
        isDue = false;
    };
    return {
        ...rest,
        entityOptions: { ...entityOptions, metadataModifiers: [...(entityOptions.metadataModifiers ?? []), modifier] },
    };
}
