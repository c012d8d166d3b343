import { Logger, ProcessContext, type TransactionalConnection } from '@vendure/core';
import type { DataSource } from 'typeorm';
import { textNaming } from '../../test/kit/naming';
import { FlowAdapterRegistry } from './adapter-registry';
import type { PeriodicJobs } from './periodic-jobs/periodic-jobs';
import type { CodeFirstStart } from './code-first/start';
import { flowMigrations } from '../../migrations';
import { loggingInto, memoryShop } from '../../test/fixtures/memory-shop';
import { FlowTables } from './stores/flow-tables';
import { Startup } from './startup';
import type { ActiveTrigger, ActiveTriggers } from './triggers/active-triggers';

let dataSource: DataSource;
const told: string[] = [];

beforeEach(async () => {
    told.length = 0;
    dataSource = await memoryShop();
});
afterEach(() => dataSource.destroy());

/** Starts Flow, and returns whether periodic work may start. */
async function start(isServer: boolean, webhooks?: ReadonlyArray<Partial<ActiveTrigger>>): Promise<boolean> {
    const connection = { rawConnection: dataSource } as TransactionalConnection;
    Logger.useLogger(loggingInto(told));
    const tables = new FlowTables(connection);
    const process = new ProcessContext();
    jest.spyOn(process, 'isServer', 'get').mockReturnValue(isServer);
    await new Startup(
        { rawConnection: { getRepository: () => ({ count: () => Promise.resolve(webhooks ? 1 : 0) }) } } as never,
        process,
        tables,
        { start: () => undefined } as PeriodicJobs,
        { check: () => [], sync: () => Promise.resolve() } as unknown as CodeFirstStart,
        { refresh: () => Promise.resolve(), of: () => webhooks ?? [] } as unknown as ActiveTriggers,
        new FlowAdapterRegistry(),
    ).begin();
    return tables.exist();
}

describe('the start of a shop', () => {
    it('logs nothing if the migrations have been run', async () => {
        await dataSource.runMigrations();
        expect(await start(true)).toBe(true);
        expect(told).toEqual([]);
    });

    it('logs a security error for each webhook without authentication, once at each start of the server', async () => {
        await dataSource.runMigrations();
        const webhooks = ['NONE', 'HMAC'].map(authentication => ({
            pipelineCode: `posts-${authentication}`,
            stepKey: 'hook',
            config: { authentication },
        }));
        await start(true, webhooks);
        await start(true, webhooks);
        await start(false, webhooks);
        const lines = told.filter(line => line.startsWith('error: Security:'));
        expect(lines).toHaveLength(2);
        for (const line of lines) expect(line).toContain('posts-NONE');
    });

    it.each([
        ['an error of a server', true, 'error'],
        ['a warning of a worker, which may be quicker', false, 'warn'],
    ])("logs in one line how to create Flow's tables: %s", async (_, isServer, level) => {
        expect(await start(isServer)).toBe(false);
        expect(told).toEqual([textNaming(`${level}: `, 'not exist', 'vendure migrate --run')]);
    });

    it('logs in one line that the tables belong to an older version', async () => {
        await dataSource.runMigrations();
        // Removes the last migration, as in an older version.
        await dataSource.query('DELETE FROM migrations WHERE name = ?', [new (flowMigrations.at(-1)!)().name]);
        await dataSource.query('ALTER TABLE flow_pipeline_run DROP COLUMN causes');
        await dataSource.query('DROP TABLE flow_managed_file');
        expect(await start(true)).toBe(false);
        expect(told).toEqual([textNaming('error: ', 'flow_pipeline_run.causes', '1 more', 'vendure migrate --run')]);
    });
});
