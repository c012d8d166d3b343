import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { BcryptPasswordHashingStrategy, bootstrap, mergeConfig } from '@vendure/core';
import { SUPER_ADMIN_USER_PASSWORD } from '@vendure/common/lib/shared-constants';
import { populateInitialData } from '@vendure/core/cli';
import { freePort } from '../../test/servers/process';
import { keepCompiled } from './code-cache.cjs';
import { initialData } from './initial-data';
import { makeFlowTables } from './flow-tables';
import { type ShopName, loadShop } from './shop';
import { type DatabaseConnection, pluginsWithTables, vendureConfig } from './vendure-config';

/** The value that `databases.ts` passes as the one argument. */
export interface PopulateOrder {
    readonly shop: ShopName;
    readonly connection: DatabaseConnection;
}

/**
 * bcrypt of the superadmin's password with four rounds: with Vendure's twelve, each of the hundred logins of all suites takes half a
 * second.
 */
const QUICK_HASH = '$2b$04$uP.r4li/.ZPTuM1zwJ4blueDB8iA540vRMYgLxxh/oUEzVBfn88DG';

/** Other strategies of bcrypt accept it as well. */
class QuickSuperadmin extends BcryptPasswordHashingStrategy {
    override hash(plaintext: string): Promise<string> {
        return plaintext === SUPER_ADMIN_USER_PASSWORD ? Promise.resolve(QUICK_HASH) : super.hash(plaintext);
    }
}

/** Creates the tables of a shop, adds the initial data and Flow's tables. */
async function populate({ shop, connection }: PopulateOrder): Promise<void> {
    const { config, populate: fill } = loadShop(shop);
    const withTables = mergeConfig(vendureConfig(connection, config), {
        apiOptions: { port: await freePort() },
        dbConnectionOptions: { synchronize: true },
        authOptions: { passwordHashingStrategy: new QuickSuperadmin() },
        plugins: [...pluginsWithTables(), ...(config.plugins ?? [])],
    });
    const app: INestApplication = await bootstrap(withTables);
    await populateInitialData(app, initialData);
    await fill?.(app);
    await app.close();
    await makeFlowTables(connection);
    keepCompiled();
}

populate(JSON.parse(process.argv[2] ?? '{}') as PopulateOrder).then(
    () => process.exit(0),
    error => {
        console.error(error);
        process.exit(1);
    },
);
