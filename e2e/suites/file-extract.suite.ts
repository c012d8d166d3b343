import gql from 'graphql-tag';
import { type JsonObject } from '../../src';
import { FlowManagedFile } from '../../src/plugin/entities/managed-file';
import { naming } from '../../test/kit/naming';
import { makeAdministrator, makeChannel } from '../config/administrators';
import { type FlowServer, type RunAnswer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

const products = [
    'slug;name;sku;price;stock',
    'moss-shoe;Moss Shoe;FILE-1;1995;3',
    'slate-shoe;"Slate; ""grey""";FILE-2;not a price;4',
    'sand-shoe;Sand Shoe;FILE-3;500',
    'fern-shoe;=HYPERLINK("x");FILE-4;much;+5',
    'clay-shoe;Clay Shoe;FILE-5;700;1',
].join('\n');

function extraction(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
    });

    const headers = (client = shop.adminClient) => ({
        authorization: `Bearer ${client.getAuthToken()}`,
        'vendure-token': shop.channelToken,
    });
    const upload = async (filename: string, content: string): Promise<string> => {
        const form = new FormData();
        form.set('file', new File([content], filename));
        const response = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers: headers(), body: form });
        const answer = (await response.json()) as { file: { id: string } };
        expect({ status: response.status, answer }).toMatchObject({ status: 201 });
        return answer.file.id;
    };
    const definition = (source: JsonObject, operators: readonly JsonObject[] = []): JsonObject => ({
        version: 1,
        throughput: { batchSize: 2 },
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: source },
            {
                key: 'shape',
                kind: 'TRANSFORM',
                config: { operators: [{ op: 'toNumber', args: { source: 'stock', target: 'stock' } }, ...operators] },
            },
            { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
        ],
        edges: [
            { from: 'start', to: 'in' },
            { from: 'in', to: 'shape' },
            { from: 'shape', to: 'products' },
        ],
    });
    const made = async (
        code: string,
        source: JsonObject,
        operators: readonly JsonObject[] = [{ op: 'toNumber', args: { source: 'price', target: 'price' } }],
    ): Promise<{ id: string; version: number }> => {
        const draft = await pipelines.create({ code, definition: definition(source, operators) });
        return pipelines.publish(draft);
    };
    const rejectsOf = async (
        run: RunAnswer,
        query = '',
        client = shop.adminClient,
        more: Record<string, string> = {},
    ): Promise<{ readonly status: number; readonly text: string; readonly disposition: string | null }> => {
        const response = await fetch(`${shop.url}/flow/runs/${run.id}/rejects.csv${query}`, {
            headers: { ...headers(client), ...more },
        });
        return {
            status: response.status,
            text: Buffer.from(await response.arrayBuffer()).toString(),
            disposition: response.headers.get('content-disposition'),
        };
    };
    const placesOf = async ({ id }: RunAnswer, filter: JsonObject = {}): Promise<unknown> => {
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`query Places($id: ID!, $filter: FlowRecordErrorFilterParameter) { flowRecordErrors(runId: $id, options: { sort: { seq: ASC }, filter: $filter }) { items { stepKey place } } }`,
            { id, filter },
        );
        return flowRecordErrors.items;
    };
    const logOf = async ({ id }: RunAnswer): Promise<readonly unknown[]> => {
        const { flowLogs } = await shop.adminClient.query(
            gql`query Log($id: ID!) { flowLogs(runId: $id, options: { take: 50, sort: { id: ASC } }) { items { level code facts } } }`,
            { id },
        );
        return flowLogs.items;
    };

    it('loads an uploaded file; rejected records are returned in its layout, corrected and uploaded again', async () => {
        const fileId = await upload('supplier.csv', products);
        await made('supplier', { adapterCode: 'csv', fileId, delimiter: ';' });
        const run = await shop.perform('supplier');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            recordsRead: 5,
            recordsLoaded: 2,
            recordsRejected: 3,
        });

        const { status, text, disposition } = await rejectsOf(run);
        expect({ status, disposition }).toEqual({
            status: 200,
            disposition: `attachment; filename="supplier-${run.id}-rejected.csv"`,
        });
        const lines = text.replace('\ufeff', '').split('\r\n');
        const slugOf = (line: string): string => /[a-z]+-shoe/.exec(line)?.[0] ?? '';
        expect(text.startsWith('\ufeff')).toBe(true);
        expect(lines[0]).toBe('Flow: reason;Flow: place;slug;name;sku;price;stock');
        expect(lines.slice(1).sort((a, b) => slugOf(a).localeCompare(slugOf(b)))).toEqual([
            '',
            expect.stringMatching(/price.*much.*;line 5;fern-shoe;"'=HYPERLINK\(""x""\)";FILE-4;much;\+5$/),
            expect.stringMatching(/line 4 has 4 cells.*;line 4;sand-shoe;Sand Shoe;FILE-3;500$/),
            expect.stringMatching(/price.*not a price.*;line 3;slate-shoe;"Slate; ""grey""";FILE-2;not a price;4$/),
        ]);

        expect(await placesOf(run)).toEqual([
            { stepKey: 'shape', place: 'line 3' },
            { stepKey: 'in', place: 'line 4' },
            { stepKey: 'shape', place: 'line 5' },
        ]);
        expect(await placesOf(run, { place: { eq: 'line 4' } })).toEqual([{ stepKey: 'in', place: 'line 4' }]);

        await made('unchanged', { adapterCode: 'csv', fileId: await upload('unchanged.csv', text), delimiter: ';' });
        expect(await shop.perform('unchanged')).toMatchObject({ recordsLoaded: 0, recordsRejected: 3 });

        const corrected = text
            .replace(';not a price;', ';1200;')
            .replace(';much;', ';1300;')
            .replace(/;500(?=\r)/, ';500;2');
        await made('corrected', {
            adapterCode: 'csv',
            fileId: await upload('corrected.csv', corrected),
            delimiter: ';',
        });
        expect(await shop.perform('corrected')).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            recordsLoaded: 3,
        });
        const { products: all } = await shop.adminClient.query(
            gql`{ products(options: { filter: { slug: { in: ["moss-shoe", "slate-shoe", "sand-shoe", "fern-shoe", "clay-shoe"] } } }) { totalItems } }`,
        );
        expect(all.totalItems).toBe(5);
    });

    it('returns exactly what was rejected if nothing but the error is corrected', async () => {
        const fileId = await upload(
            'exact.csv',
            "slug,name,sku,price,stock\nexact-1,@brand,+49 171 1234567,much,1\nexact-2,'quoted,-A1,much,1\n",
        );
        await made('exact', { adapterCode: 'csv', fileId });
        const { text } = await rejectsOf(await shop.perform('exact'));
        expect(text.split('\r\n')[1]).toMatch(/,exact-\d,'/);
        expect(text).toContain("'+49 171 1234567");
        await made('exact-again', {
            adapterCode: 'csv',
            fileId: await upload('corrected.csv', text.replace(/,much,/g, ',100,')),
        });
        expect(await shop.perform('exact-again')).toMatchObject({ outcome: 'SUCCESS', recordsLoaded: 2 });
        const { productVariants } = await shop.adminClient.query(
            gql`{ productVariants(options: { filter: { sku: { in: ["+49 171 1234567", "-A1"] } } }) { items { sku name } } }`,
        );
        expect(productVariants.items).toEqual(
            expect.arrayContaining([
                { sku: '+49 171 1234567', name: '@brand' },
                { sku: '-A1', name: "'quoted" },
            ]),
        );
    });

    it('returns rejected records only to users who may read runs and records, and only those of their channel', async () => {
        const { flowPipelineRuns } = await shop.adminClient.query(
            gql`{ flowPipelineRuns(options: { filter: { recordsRejected: { gt: 0 } } }) { items { id } } }`,
        );
        const run = flowPipelineRuns.items[0] as RunAnswer;
        const other = await makeChannel(shop, 'other');
        const client = (...permissions: string[]) =>
            makeAdministrator(shop, { name: permissions.join('-'), permissions });
        expect(await rejectsOf(run, '', await client('ReadFlowRun'))).toMatchObject({
            status: 403,
            text: expect.stringMatching(naming('FORBIDDEN', 'ReadFlowRecord')),
        });
        expect(await rejectsOf(run, '', await client('ReadFlowRecord'))).toMatchObject({
            status: 403,
            text: expect.stringMatching(naming('FORBIDDEN', 'ReadFlowRun')),
        });
        expect((await rejectsOf(run, '', await client('ReadFlowRun', 'ReadFlowRecord'))).status).toBe(200);
        expect((await rejectsOf(run, '', shop.adminClient, { 'vendure-token': other.token })).status).toBe(404);
        expect((await fetch(`${shop.url}/flow/runs/${run.id}/rejects.csv`)).status).toBe(401);
        expect(await rejectsOf({ ...run, id: 'nonsense' })).toMatchObject({
            status: 404,
            text: expect.stringContaining('RUN_NOT_FOUND'),
        });
        expect(await rejectsOf(run, '?sourceKey=products')).toMatchObject({
            status: 400,
            text: expect.stringContaining('allowed: in'),
        });
        expect((await rejectsOf(run, '?sourceKey=in')).status).toBe(200);
    });

    it('reports the place of a record that a load rejects, in runs and in the test of the step', async () => {
        const rows =
            'slug,name,sku,price,stock\nplace-1,"Moss\nShoe",PLACE-1,100,1\nplace-2,Fern Shoe,PLACE-2,19.95,1\n';
        const source = { adapterCode: 'csv', fileId: await upload('places.csv', rows) };
        await made('places', source);
        const rejected = [{ stepKey: 'products', place: 'line 4' }];
        expect(await placesOf(await shop.perform('places'))).toEqual(rejected);
        const { testFlowStep } = await shop.adminClient.query(
            gql`mutation Try($input: TestFlowStepInput!) { testFlowStep(input: $input) { rejected { stepKey place } } }`,
            {
                input: {
                    definition: definition(source, [{ op: 'toNumber', args: { source: 'price', target: 'price' } }]),
                    stepKey: 'products',
                },
            },
        );
        expect(testFlowStep.rejected).toEqual(rejected);
    });

    it('reads the same file again once a run of it has completed, and writes nothing if nothing has changed', async () => {
        const rows = (...numbers: number[]): string =>
            `slug,name,sku,price,stock\n${numbers.map(n => `offset-${n},No. ${n},OFF-${n},100,1`).join('\n')}\n`;
        const { id } = await made('offsets', { adapterCode: 'csv', fileId: await upload('a.csv', rows(1, 2, 3)) });
        expect(await shop.perform('offsets', 'dryRunFlowPipeline')).toMatchObject({
            recordsRead: 3,
            report: { steps: [{ created: 3 }] },
        });
        expect(await shop.perform('offsets')).toMatchObject({ outcome: 'SUCCESS', recordsRead: 3, recordsLoaded: 3 });
        for (let time = 0; time < 2; time++)
            expect(await shop.perform('offsets')).toMatchObject({
                outcome: 'SUCCESS',
                recordsRead: 3,
                recordsLoaded: 0,
                recordsUnchanged: 3,
            });

        const republish = async (source: JsonObject): Promise<RunAnswer> => {
            const current = (await pipelines.read({ id }))!;
            await pipelines.publish(
                await pipelines.update(current, {
                    definition: definition(source, [{ op: 'toNumber', args: { source: 'price', target: 'price' } }]),
                }),
            );
            return shop.perform('offsets');
        };
        const other = await upload('b.csv', rows(1, 2, 3, 4));
        expect(await republish({ adapterCode: 'csv', fileId: other })).toMatchObject({
            outcome: 'SUCCESS',
            recordsRead: 4,
            recordsLoaded: 1,
            recordsUnchanged: 3,
        });
        expect(await republish({ adapterCode: 'csv', fileId: other, resetCheckpoint: true })).toMatchObject({
            recordsRead: 4,
            recordsUnchanged: 4,
        });
    });

    it('loads nothing of a file that is malformed further down, and reports the place', async () => {
        await made('malformed', {
            adapterCode: 'csv',
            fileId: await upload('broken.csv', `${products.replaceAll('FILE', 'BROKEN')}\nx;"y`),
            delimiter: ';',
        });
        const run = await shop.perform('malformed');
        expect(run).toMatchObject({
            status: 'FAILED',
            recordsLoaded: 0,
            recordsRead: 0,
            error: { code: 'SOURCE_MALFORMED', stepKey: 'in', message: expect.stringContaining('line 7') },
        });
    });

    it('has no records, and an error in its log, if the file is missing, expired or empty', async () => {
        const fileId = await upload('gone.csv', 'a,b\n1,2\n');
        await made('gone', { adapterCode: 'csv', fileId });
        // As if it had expired and was swept: a user who deletes it gets an error that names the pipeline.
        await shop.dataSource.getRepository(FlowManagedFile).delete(fileId.replace('T_', ''));
        const run = await shop.perform('gone');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY' });
        expect(await logOf(run)).toContainEqual({ level: 'ERROR', code: 'FILE_NOT_FOUND', facts: { fileId } });
        const late = await upload('late.csv', 'a,b\n1,2\n');
        await made('late', { adapterCode: 'csv', fileId: late });
        await shop.dataSource
            .getRepository(FlowManagedFile)
            .update(late.replace('T_', ''), { expiresAt: new Date(Date.now() - 60_000) });
        const expired = await shop.perform('late');
        expect(expired).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY', recordsRead: 0 });
        expect(await logOf(expired)).toContainEqual({
            level: 'ERROR',
            code: 'FILE_NOT_FOUND',
            facts: { fileId: late },
        });
        const empty = await upload('hollow.csv', 'a,b\n');
        await made('hollow', { adapterCode: 'csv', fileId: empty });
        const hollow = await shop.perform('hollow');
        expect(hollow).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY' });
        expect(await logOf(hollow)).toContainEqual({
            level: 'ERROR',
            code: 'FILE_WITHOUT_RECORDS',
            facts: { file: 'hollow.csv', fileId: empty },
        });
    });

    it('reads JSON and XML, keeping the types of JSON and the text of XML', async () => {
        await made(
            'from-json',
            {
                adapterCode: 'json',
                itemsPath: 'data.items',
                fileId: await upload(
                    'p.json',
                    JSON.stringify({
                        data: { items: [{ slug: 'json-1', name: 'J', sku: '00123', price: 100, stock: 2 }] },
                    }),
                ),
            },
            [],
        );
        expect(await shop.perform('from-json')).toMatchObject({ outcome: 'SUCCESS', recordsLoaded: 1 });
        const xml =
            '<catalog><item id="7"><slug>xml-1</slug><name>X</name><sku>00124</sku><price>200</price><stock>1</stock></item></catalog>';
        await made('from-xml', { adapterCode: 'xml', recordPath: 'catalog.item', fileId: await upload('p.xml', xml) });
        expect(await shop.perform('from-xml')).toMatchObject({ outcome: 'SUCCESS', recordsLoaded: 1 });
        const { productVariants } = await shop.adminClient.query(
            gql`{ productVariants(options: { filter: { sku: { in: ["00123", "00124"] } } }) { items { sku price } } }`,
        );
        expect(productVariants.items).toEqual(
            expect.arrayContaining([
                { sku: '00123', price: 100 },
                { sku: '00124', price: 200 },
            ]),
        );
    });
}

export const fileExtractionSuite: SharedSuite = { title: 'managed files as sources', tests: extraction };
