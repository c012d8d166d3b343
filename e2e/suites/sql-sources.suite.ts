import { naming } from '../../test/kit/naming';
import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { Like } from 'typeorm';
import type { JsonObject } from '../../src';
import { mariadbSource, postgresSource, type SourceDatabase } from '../../test/kit/source-database';
import { needs } from '../../test/servers/needs';
import { makeAdministrator } from '../config/administrators';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

const PASSWORD = 'r3ader pw';

const steps = (extract: JsonObject, ...more: JsonObject[]): JsonObject => {
    const all = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: extract },
        ...more,
        { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
    ] as readonly JsonObject[];
    const edges = all.slice(1).map(({ key }, i) => ({ from: all[i]!['key']!, to: key! }));
    return {
        version: 1,
        steps: all,
        edges,
        errorHandling: { maxRetries: 0 },
        throughput: { batchSize: 3 },
    } as JsonObject;
};

interface Positions {
    readonly positions: ReadonlyArray<{
        stepKey: string;
        trackingValue: string | null;
        primaryKey: string | null;
        runId: string | null;
    }>;
}
const FIELDS = 'stepKey trackingValue primaryKey runId';

function sources(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
    });

    const published = async (code: string, definition: JsonObject): Promise<PipelineAnswer> =>
        pipelines.publish(await pipelines.create({ code, name: code, definition }));
    const connected = async (code: string, { type, target }: SourceDatabase): Promise<string> => {
        const { host, port, database, user: username } = target;
        const settings = { host, port, database, username, passwordSecretCode: 'sql-password' };
        return (await connectionsOf(shop.adminClient).create({ code, type, settings })).id;
    };
    const tried = async (id: string): Promise<{ result: string; message: string; code: string | null }> => {
        const test = gql`mutation Try($id: ID!) { testFlowConnection(id: $id) { result message code } }`;
        return (await shop.adminClient.query(test, { id })).testFlowConnection;
    };
    const skus = async (like: string): Promise<readonly string[]> => {
        const found = await shop.dataSource
            .getRepository(ProductVariant)
            .find({ where: { sku: Like(like) }, order: { sku: 'ASC' } });
        return found.filter(({ deletedAt }) => deletedAt === null).map(({ sku }) => sku);
    };

    needs('postgres', 'a view of an ERP', ({ postgres }) => {
        let source: SourceDatabase;
        beforeAll(async () => {
            source = await postgresSource(postgres);
            await makeSecret(shop.adminClient, 'sql-password', PASSWORD, `replica.example.com:${source.target.port}`);
            await source.ask(
                `CREATE TABLE articles (id serial PRIMARY KEY, number text, title text, price numeric(10,2), changed timestamptz NOT NULL)`,
            );
            await source.ask(
                `INSERT INTO articles (number, title, price, changed) SELECT 'ERP-' || lpad(i::text, 2, '0'), 'Article ' || i, i + 0.99, '2024-01-01'::timestamptz + (i / 4) * interval '1 us' FROM generate_series(1, 10) i`,
            );
            await source.ask(
                `CREATE VIEW shop_articles AS SELECT id, changed, number AS sku, title AS name, lower(number) AS slug, (price * 100)::int AS price FROM articles`,
            );
        });
        afterAll(() => source?.drop());

        const reading: JsonObject = {
            adapterCode: 'database',
            connectionCode: 'erp-postgres',
            query: 'SELECT id, changed, sku, name, slug, price FROM shop_articles',
            pagination: { type: 'CURSOR', pageSize: 3, cursorColumn: 'changed', cursorTieBreakerColumn: 'id' },
            incremental: { enabled: true, column: 'changed' },
        };
        const shaped = {
            key: 'shape',
            kind: 'TRANSFORM',
            config: { operators: [{ op: 'omit', args: { fields: ['id', 'changed'] } }] },
        };

        it('is reached by the test of its connection', async () => {
            const id = await connected('erp-postgres', source);
            expect(await tried(id)).toMatchObject({
                result: 'PASSED',
                code: null,
                message: expect.stringContaining('PostgreSQL'),
            });
            const wrong = {
                host: '127.0.0.1',
                port: source.target.port,
                database: 'nothing_there',
                username: source.target.user,
            };
            const broken = await connectionsOf(shop.adminClient).create({
                code: 'erp-broken',
                type: 'POSTGRES',
                settings: wrong,
            });
            expect(await tried(broken.id)).toMatchObject({ result: 'FAILED', code: 'REMOTE_REFUSED' });
        });

        it('is read by a step test, which reads no more than it shows', async () => {
            const test = gql`mutation Test($input: TestFlowStepInput!) { testFlowStep(input: $input) { out error { code message } } }`;
            const input = {
                definition: steps({ ...reading, query: `${reading['query']} LIMIT 8` }, shaped),
                stepKey: 'in',
                limit: 4,
            };
            const { testFlowStep: seen } = await shop.adminClient.query(test, { input });
            expect(seen).toMatchObject({ error: null });
            expect(seen.out.map(({ sku }: JsonObject) => sku)).toEqual(['ERP-01', 'ERP-02', 'ERP-03', 'ERP-04']);
        });

        it('is loaded once, and after that only its new rows', async () => {
            await published('sql-view', steps(reading, shaped));
            expect(await shop.perform('sql-view')).toMatchObject({
                status: 'COMPLETED',
                outcome: 'SUCCESS',
                recordsRead: 10,
                recordsLoaded: 10,
            });
            expect(await skus('ERP-%')).toHaveLength(10);
            expect(await shop.perform('sql-view')).toMatchObject({ status: 'COMPLETED', recordsRead: 0 });
            await source.ask(
                `INSERT INTO articles (number, title, price, changed) VALUES ('ERP-11', 'Article 11', 1, (SELECT max(changed) FROM articles))`,
            );
            expect(await shop.perform('sql-view')).toMatchObject({
                status: 'COMPLETED',
                recordsRead: 1,
                recordsLoaded: 1,
            });
            expect(await shop.perform('sql-view', 'dryRunFlowPipeline')).toMatchObject({ recordsRead: 11 });
        });

        it('shows a user who may not read records that there is a position, and not its row', async () => {
            const id = await shop.pipelineId('sql-view');
            const reader = await makeAdministrator(shop, { name: 'positions', permissions: ['ReadFlowPipeline'] });
            const ask = gql(
                `query Positions($id: ID!) { positions: flowSavedPositions(pipelineId: $id) { ${FIELDS} } }`,
            );
            const [seen] = ((await shop.adminClient.query(ask, { id })) as Positions).positions;
            expect(seen).toMatchObject({
                stepKey: 'in',
                primaryKey: '11',
                trackingValue: expect.stringContaining('2024-01-01'),
                runId: expect.any(String),
            });
            expect(((await reader.query(ask, { id })) as Positions).positions).toMatchObject([
                { stepKey: 'in', primaryKey: null, trackingValue: null },
            ]);
        });

        it('may not be a file of the server, unless the shop’s own code allows it', async () => {
            const file = {
                adapterCode: 'database',
                databaseType: 'DB_KIND_C',
                database: '/etc/passwd',
                query: 'SELECT 1 AS slug',
            };
            const draft = await pipelines.create({ code: 'sql-file', name: 'File', definition: steps(file) });
            expect((await errorOf(pipelines.publish(draft)))['issues']).toMatchObject([
                { code: 'CONFIG_INVALID', stepKey: 'in', path: 'steps[1].config.database' },
            ]);
            const test = gql`mutation Test($input: TestFlowStepInput!) { testFlowStep(input: $input) { out } }`;
            const input = { definition: steps(file), stepKey: 'in' };
            expect(await errorOf(shop.adminClient.query(test, { input }))).toMatchObject({
                code: 'DEFINITION_INVALID',
            });
            const start = gql`mutation Start($id: ID!) { dryRunFlowPipeline(pipelineId: $id, workingCopy: true) { id } }`;
            expect(await errorOf(shop.adminClient.query(start, { id: draft.id }))).toMatchObject({
                code: 'DEFINITION_INVALID',
            });
            const memory = { ...file, database: ':memory:' };
            expect(
                (await shop.adminClient.query(test, { input: { definition: steps(memory), stepKey: 'in' } }))
                    .testFlowStep.out,
            ).toEqual([{ slug: 1 }]);
        });

        it('does not send the password of its connection to another host', async () => {
            const rejected = published(
                'sql-to-other',
                steps({ ...reading, host: 'replica.example.com', port: 5999 }, shaped),
            );
            expect(await errorOf(rejected)).toMatchObject({ code: 'SECRET_HOST_NOT_ALLOWED' });
            // Nor to a host to which the secret may be sent.
            const elsewhere = { ...reading, host: 'replica.example.com' };
            await published('sql-elsewhere', steps(elsewhere, shaped));
            expect(await shop.perform('sql-elsewhere')).toMatchObject({
                status: 'FAILED',
                error: { code: 'CONNECTION_INVALID' },
            });
        });
    });

    needs(['postgres', 'mariadb'], 'changed rows of a MySQL shop', ({ mariadb }) => {
        let source: SourceDatabase;
        let id: string;
        beforeAll(async () => {
            source = await mariadbSource(mariadb);
            await source.ask(
                'CREATE TABLE wares (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(20), name VARCHAR(50), slug VARCHAR(50), price INT, changed DATETIME(6) NOT NULL, gone DATETIME NULL, KEY (changed, id))',
            );
            for (let i = 1; i <= 7; i++) await write(i, '2024-01-01 00:00:00.000001');
            await connected('my-shop', source);
        });
        afterAll(() => source?.drop());

        const write = (i: number, at: string, gone = 'NULL') =>
            source.ask(`REPLACE INTO wares VALUES (${i}, 'MY-${i}', 'Ware ${i}', 'my-${i}', 100, '${at}', ${gone})`);
        const polling: JsonObject = {
            adapterCode: 'cdc',
            connectionCode: 'my-shop',
            databaseType: 'DB_KIND_B',
            table: 'wares',
            trackingColumn: 'changed',
            trackingType: 'TIMESTAMP',
            primaryKey: 'id',
            columns: ['sku', 'name', 'slug', 'price'],
            batchSize: 5,
            includeDeletes: true,
            deleteColumn: 'gone',
        };
        const run = () => shop.perform('sql-changes');

        it('are read in polls of at most batchSize, at first all of them', async () => {
            id = (await published('sql-changes', steps(polling))).id;
            expect(await run()).toMatchObject({ status: 'COMPLETED', recordsRead: 5, recordsLoaded: 5 });
            expect(await run()).toMatchObject({ status: 'COMPLETED', recordsRead: 2, recordsLoaded: 2 });
            expect(await run()).toMatchObject({ status: 'COMPLETED', recordsRead: 0 });
            expect(await skus('MY-%')).toEqual(['MY-1', 'MY-2', 'MY-3', 'MY-4', 'MY-5', 'MY-6', 'MY-7']);
        });

        it('are deleted in the shop if they are marked as deleted', async () => {
            await write(2, '2024-01-02 00:00:00', 'NOW()');
            await write(8, '2024-01-02 00:00:00');
            expect(await run()).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 2 });
            expect(await skus('MY-%')).toEqual(['MY-1', 'MY-3', 'MY-4', 'MY-5', 'MY-6', 'MY-7', 'MY-8']);
        });

        it('are read again from the beginning after the position is reset, and from a row after it is set; both are in the history', async () => {
            const reset = gql(
                `mutation Reset($id: ID!) { positions: resetFlowSavedPosition(pipelineId: $id, stepKey: "in", comment: "prices were wrong") { ${FIELDS} } }`,
            );
            expect(((await shop.adminClient.query(reset, { id })) as Positions).positions).toEqual([]);
            expect(await errorOf(shop.adminClient.query(reset, { id }))).toMatchObject({ code: 'INPUT_INVALID' });
            expect(await run()).toMatchObject({ recordsRead: 5 });
            const reseed = gql(
                `mutation Seed($id: ID!, $value: String!, $key: String!) { positions: reseedFlowSavedPosition(pipelineId: $id, stepKey: "in", trackingValue: $value, primaryKey: $key) { ${FIELDS} } }`,
            );
            expect(await errorOf(shop.adminClient.query(reseed, { id, value: 'nonsense', key: '6' }))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('trackingValue', '"nonsense"')),
            });
            const after = { value: '2024-01-01 00:00:00.000001', key: '6' };
            expect(((await shop.adminClient.query(reseed, { id, ...after })) as Positions).positions).toEqual([
                { stepKey: 'in', trackingValue: after.value, primaryKey: '6', runId: null },
            ]);
            expect(await run()).toMatchObject({ recordsRead: 3 });
            expect(await run()).toMatchObject({ recordsRead: 0 });
            const history = await pipelines.history({ id });
            expect(history.slice(0, 2)).toMatchObject([
                {
                    action: 'POSITION_SET',
                    comment: expect.stringContaining('"6"'),
                    actor: { identifier: 'superadmin' },
                },
                { action: 'POSITION_RESET', comment: expect.stringContaining('prices were wrong') },
            ]);
        });

        it('keep a position that was set during a run', async () => {
            await write(9, '2024-01-03 00:00:00');
            const started = await shop.start('sql-changes');
            const reseed = gql`mutation Seed($id: ID!) { reseedFlowSavedPosition(pipelineId: $id, stepKey: "in", trackingValue: "2024-01-01 00:00:00", primaryKey: "0") { runId } }`;
            await shop.adminClient.query(reseed, { id });
            await shop.ended(started.id);
            // Either may have come first: the next run begins at the position that was set, or after the run that began there.
            const next = await run();
            expect([0, 4, 5]).toContain(next.recordsRead);
            expect(next).toMatchObject({ status: 'COMPLETED' });
        });

        it('cannot be set for another step', async () => {
            const reseed = gql`mutation Seed($id: ID!) { reseedFlowSavedPosition(pipelineId: $id, stepKey: "out", trackingValue: "1", primaryKey: "1") { runId } }`;
            expect(await errorOf(shop.adminClient.query(reseed, { id }))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringContaining('allowed: in'),
            });
        });
    });
}

export const sqlSourcesSuite: SharedSuite = { title: 'other databases', tests: sources };
