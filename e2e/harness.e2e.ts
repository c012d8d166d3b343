import { JobQueueService } from '@vendure/core';
import gql from 'graphql-tag';
import { needs } from '../test/servers/needs';
import type { Database } from './config/databases';
import { type RunningServer, testServer } from './config/test-server';

function bootsAndAnswers(database: Database): void {
    let shop: RunningServer;

    beforeAll(async () => {
        shop = await testServer(database, { jobs: 'sql' });
    });
    afterAll(() => shop?.destroy());

    it('logs in as superadmin and finds the initial data', async () => {
        const { activeAdministrator, taxCategories } = await shop.adminClient.query(gql`
            query Harness { activeAdministrator { emailAddress } taxCategories { items { name } } }
        `);
        expect(activeAdministrator.emailAddress).toBe('superadmin');
        expect(taxCategories.items.map(({ name }: { name: string }) => name).sort()).toEqual([
            'Reduced Tax',
            'Standard Tax',
            'Zero Tax',
        ]);
    });

    it('works a job of the SQL queue', async () => {
        const worked = new Promise(resolve => {
            void shop.app
                .get(JobQueueService)
                .createQueue<{ word: string }>({ name: 'harness', process: async ({ data }) => resolve(data.word) })
                .then(queue => queue.start().then(() => queue.add({ word: 'hello' })));
        });
        await expect(worked).resolves.toBe('hello');
    });

    it('has a database of its own without any table of Flow', async () => {
        const tables = shop.dataSource.createQueryRunner();
        try {
            expect(await tables.hasTable('product')).toBe(true);
            expect(await tables.hasTable('flow_pipeline')).toBe(false);
        } finally {
            await tables.release();
        }
    });
}

describe('a plain Vendure on SQLite', () => bootsAndAnswers('sqlite'));
needs('postgres', 'a plain Vendure on PostgreSQL', () => bootsAndAnswers('postgres'));
needs('mariadb', 'a plain Vendure on MariaDB', () => bootsAndAnswers('mariadb'));
