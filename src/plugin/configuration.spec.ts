import type { RuntimeVendureConfig } from '@vendure/core';
import { textNaming } from '../../test/kit/naming';
import { configureFlow } from './configuration';

const shopOn = (type: string) =>
    ({
        dbConnectionOptions: { type, entities: [], migrations: [] },
        entityOptions: {},
        authOptions: { customPermissions: [] },
        apiOptions: { apolloServerPlugins: [], middleware: [], adminApiPath: 'admin-api' },
    }) as unknown as RuntimeVendureConfig;

describe("a shop's configuration", () => {
    it.each(['postgres', 'mysql', 'mariadb', 'better-sqlite3'])('is completed on %s', type => {
        expect(configureFlow(shopOn(type), { maxCost: 10_000 }).authOptions.customPermissions.length).toBeGreaterThan(
            0,
        );
    });

    it('is rejected on an unsupported database, with the supported ones', () => {
        expect(() => configureFlow(shopOn('sqljs'), { maxCost: 10_000 })).toThrow(
            expect.objectContaining({
                code: 'DATABASE_UNSUPPORTED',
                message: textNaming('"sqljs"', 'PostgreSQL', 'MariaDB', 'MySQL', 'SQLite'),
            }),
        );
    });

    it("contains each of Flow's permissions once, however often it is completed", () => {
        const once = configureFlow(shopOn('postgres'), { maxCost: 10_000 });
        expect(configureFlow(once, { maxCost: 10_000 }).authOptions.customPermissions).toEqual(
            once.authOptions.customPermissions,
        );
        expect(configureFlow(once, { maxCost: 10_000 }).apiOptions.apolloServerPlugins).toHaveLength(2);
        expect(configureFlow(once, { maxCost: 10_000 }).apiOptions.middleware).toHaveLength(1);
    });
});
