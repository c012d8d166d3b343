import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
    type EntityMetadataModifier,
    generateMigration,
    NoopLogger,
    ProductVariant,
    type VendureConfig,
} from '@vendure/core';
import { getMetadataArgsStorage } from 'typeorm';
import { flowMigrations } from '../../migrations';
import { textNaming } from '../../test/kit/naming';
import { FlowPlugin } from './flow.plugin';
import { flowEntities } from './entities/flow-entities';
import { rejectForeignMigrations } from './host-migrations';
import type { FlowPluginOptions } from './options/options';

const folder = mkdtempSync(join(tmpdir(), 'flow-host-migrations-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A migration as Vendure generates it. */
const generated = (
    up: string,
    down = 'DROP TABLE "x"',
): string => `import {MigrationInterface, QueryRunner} from "typeorm";

export class More1800000000000 implements MigrationInterface {

   public async up(queryRunner: QueryRunner): Promise<any> {
        await queryRunner.query(\`${up}\`, undefined);
   }

   public async down(queryRunner: QueryRunner): Promise<any> {
        await queryRunner.query(\`${down}\`, undefined);
   }

}
`;
let count = 0;
function shop(text: string, name = '1800000000000-more.ts'): string {
    const place = join(folder, String(count++), 'migrations');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, name), text);
    return place;
}
const duplicate = expect.objectContaining({ code: 'MIGRATION_DUPLICATE' }) as Error;

describe("the shop's own migrations", () => {
    it('are rejected with the file, the tables and what to do when one creates tables of Flow', () => {
        const place = shop(generated('CREATE TABLE "flow_log" ("id" SERIAL NOT NULL)'));
        expect(() => rejectForeignMigrations([join(place, '*.+(js|ts)')])).toThrow(
            expect.objectContaining({
                code: 'MIGRATION_DUPLICATE',
                facts: { where: join(place, '1800000000000-more.ts'), tables: 'flow_log' },
                message: textNaming('delete', 'remove'),
            }),
        );
    });

    it.each([
        ['of PostgreSQL with a schema', 'CREATE TABLE "shop"."flow_pipeline" ("id" SERIAL NOT NULL)'],
        ['of MariaDB', 'CREATE TABLE \\`flow_pipeline\\` (\\`id\\` int NOT NULL)'],
        ['in lowercase', 'create table if not exists flow_pipeline(id int)'],
        ['after other tables', 'CREATE TABLE "shoe" ("id" int);\nCREATE TABLE "flow_pipeline" ("id" int)'],
    ])('are rejected in a statement %s', (_, up) => {
        expect(() => rejectForeignMigrations([join(shop(generated(up)), '*.ts')])).toThrow(duplicate);
    });

    it.each(['*.{js,ts}', '*{.ts,.js}', '**/*.ts', '../**/*.ts', '1*.ts', '1800000000000-more.ts'])(
        'are found by the glob %s',
        glob => {
            const place = shop(generated('CREATE TABLE "flow_log" ("id" int)'));
            expect(() => rejectForeignMigrations([`${place}/${glob}`])).toThrow(duplicate);
        },
    );

    it.each(['*.js', 'old/*.ts', '2*.ts'])('are ignored if the glob %s does not match them', glob => {
        const place = shop(generated('CREATE TABLE "flow_log" ("id" int)'));
        expect(() => rejectForeignMigrations([`${place}/${glob}`])).not.toThrow();
    });

    it('are rejected as classes', () => {
        class Made1800000000000 {
            async up(runner: { query(text: string): Promise<void> }): Promise<void> {
                await runner.query('CREATE TABLE "flow_pipeline_run" ("id" int)');
            }
        }
        expect(() => rejectForeignMigrations([Made1800000000000])).toThrow(duplicate);
        expect(() => rejectForeignMigrations({ made: Made1800000000000 })).toThrow(duplicate);
    });

    it.each([
        ['create tables of the shop', generated('CREATE TABLE "flow_chart" ("id" int)')],
        ['add to tables of Flow', generated('CREATE INDEX "own" ON "flow_log" ("level")')],
        ['delete tables of Flow', generated('DROP TABLE "flow_log"', 'CREATE TABLE "flow_log" ("id" int)')],
    ])('may %s', (_, text) => {
        expect(() => rejectForeignMigrations([join(shop(text), '*.ts')])).not.toThrow();
    });

    it("may be listed together with Flow's, and need not exist", () => {
        expect(() =>
            rejectForeignMigrations([...flowMigrations, join(folder, 'nowhere', '*.ts'), 'nowhere.js']),
        ).not.toThrow();
        expect(() => rejectForeignMigrations(undefined)).not.toThrow();
    });

    it.each([
        ['together with the tables of the shop', {}, 3],
        ['not if the option is false', { lookupIndexes: false }, 0],
        // Checks that an earlier start in this process has no effect.
        ['again if it is not', {}, 3],
    ])('are generated with indexes for what Flow looks up %s', async (name, options: FlowPluginOptions, count) => {
        const text = await generatedText(`indexes-${name}`, false, options);
        const made = text.match(/CREATE INDEX "IDX_flow_\w+" ON "\w+" \("\w+"\)/g) ?? [];
        expect(new Set(made)).toHaveProperty('size', count);
    });

    it('have no second index if the shop has one', async () => {
        const own = { target: ProductVariant, columns: ['sku'], name: 'own_sku', unique: false, synchronize: true };
        const text = await generatedText('own-index', false, {}, ({ indices }) => void indices.push(own));
        getMetadataArgsStorage().indices.splice(getMetadataArgsStorage().indices.indexOf(own), 1);
        expect(text).toMatch(/CREATE INDEX "own_sku"/);
        expect(text).toMatch(/CREATE INDEX "IDX_flow_customer_email_address"/);
        expect(text).not.toMatch(/IDX_flow_product_variant_sku/);
    });

    it.each([
        ['left out where migrations make the tables', false, 0],
        ['there where the shop synchronises its tables', true, flowEntities.length],
    ])("are generated with Flow's tables %s", async (_, synchronize, tables) => {
        const text = await generatedText(`generated-${synchronize}`, synchronize);
        expect(text).toMatch(/CREATE TABLE "product"/);
        expect(new Set(text.match(/(?<=CREATE TABLE )"flow_\w+"/g))).toHaveProperty('size', tables);
    });
});

/** The text of the shop's first migration, as Vendure generates it. */
async function generatedText(
    name: string,
    synchronize: boolean,
    options: FlowPluginOptions = {},
    modifier?: EntityMetadataModifier,
): Promise<string> {
    const outputDir = join(folder, name);
    const config: VendureConfig = {
        apiOptions: { port: 3000, adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
        authOptions: {},
        logger: new NoopLogger(),
        paymentOptions: { paymentMethodHandlers: [] },
        dbConnectionOptions: { type: 'better-sqlite3', database: ':memory:', synchronize, logging: false },
        plugins: [FlowPlugin.init(options)],
        ...(modifier && { entityOptions: { metadataModifiers: [modifier] } }),
    };
    jest.spyOn(console, 'log').mockReturnValue(undefined);
    await generateMigration(config, { name: 'all', outputDir });
    const [file] = readdirSync(outputDir);
    return readFileSync(join(outputDir, file!), 'utf8');
}
