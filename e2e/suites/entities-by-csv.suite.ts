import { Channel, CustomerGroup, EventBus, Facet, FacetValue, LanguageCode, StockLocation } from '@vendure/core';
import gql from 'graphql-tag';
import { FlowEntitiesChanged, type JsonObject } from '../../src';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { naming } from '../../test/kit/naming';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, type RunAnswer, RUN_FIELDS, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

interface Import {
    readonly csv: string;
    readonly steps: readonly JsonObject[];
    readonly batchSize?: number;
}

const load = (key: string, config: JsonObject): JsonObject => ({ key, kind: 'LOAD', config });
const facets = load('facets', { adapterCode: 'facetUpsert', codeField: 'facet', nameField: 'facetName' });
const values = load('values', { adapterCode: 'facetValueUpsert', codeField: 'value', nameField: 'valueName' });
const tag: JsonObject = {
    key: 'tag',
    kind: 'TRANSFORM',
    config: { operators: [{ op: 'template', args: { template: '${facet}:${value}', target: 'tag' } }] },
};
const check: JsonObject = {
    key: 'check',
    kind: 'VALIDATE',
    config: {
        rules: [
            { type: 'reference', spec: { field: 'facet', entity: 'FACET' } },
            { type: 'reference', spec: { field: 'tag', entity: 'FACET_VALUE' } },
        ],
    },
};

const COLOURS = `facet,facetName,value,valueName
csv-colour,Colour,red,Red
csv-colour,Colour,blue,Blue
csv-size,Size,small,Small
csv-size,Size,red,Red
`;

function entitiesByCsv(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
        await shop.dataSource
            .getRepository(Channel)
            .update({ token: shop.channelToken }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
    });

    async function publish(code: string, { csv, steps, batchSize = 100 }: Import): Promise<void> {
        const form = new FormData();
        form.set('file', new File([csv], `${code}.csv`));
        const headers = {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
        const answer = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        const { file } = (await answer.json()) as { readonly file: { readonly id: string } };
        const keys = ['start', 'in', ...steps.map(({ key }) => key as string)];
        const definition = {
            version: 1,
            throughput: { batchSize },
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId: file.id } },
                ...steps,
            ],
            edges: keys.slice(1).map((to, i) => ({ from: keys[i], to })),
        };
        const pipelines = as(shop.adminClient);
        await pipelines.publish(await pipelines.create({ code, definition }));
    }

    const counted = ({ counters }: RunAnswer) =>
        Object.fromEntries(
            counters.map(({ stepKey, created, updated, deleted, unchanged, rejected }) => [
                stepKey,
                { created, updated, deleted, unchanged, rejected },
            ]),
        );
    const problems = async ({ id }: RunAnswer): Promise<readonly unknown[]> => {
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`query Rejects($id: ID!) { flowRecordErrors(runId: $id) { items { code path message } } }`,
            { id },
        );
        return flowRecordErrors.items;
    };
    const none = { created: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };

    it('imports facets with their values; a dry run predicts it, though each batch depends on the one before', async () => {
        await publish('csv-facets', { csv: COLOURS, steps: [facets, values, tag, check], batchSize: 1 });
        const dry = await shop.perform('csv-facets', 'dryRunFlowPipeline');
        expect(dry).toMatchObject({ status: 'COMPLETED', recordsRejected: 0 });
        expect(await shop.dataSource.getRepository(Facet).countBy({ code: 'csv-colour' })).toBe(0);
        const run = await shop.perform('csv-facets');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRejected: 0 });
        expect(counted(run)).toMatchObject({
            facets: { ...none, created: 2, unchanged: 2 },
            values: { ...none, created: 4 },
            check: { rejected: 0 },
        });
        expect(counted(dry)).toEqual(counted(run));
        const stored = await shop.dataSource
            .getRepository(FacetValue)
            .find({ relations: { facet: true, channels: true }, order: { id: 'ASC' } });
        const own = stored.filter(({ facet }) => facet.code.startsWith('csv-'));
        expect(own.map(({ code, facet }) => `${facet.code}:${code}`)).toEqual([
            'csv-colour:red',
            'csv-colour:blue',
            'csv-size:small',
            'csv-size:red',
        ]);
        expect(own.every(({ channels }) => channels.length === 2)).toBe(true);
    });

    it('changes nothing when the same file is repeated', async () => {
        expect(counted(await shop.perform('csv-facets'))).toMatchObject({
            facets: { ...none, unchanged: 4 },
            values: { ...none, unchanged: 4 },
        });
    });

    it('lets products of the same dry run use the entities that it has planned', async () => {
        const steps: readonly JsonObject[] = [
            facets,
            values,
            {
                key: 'shape',
                kind: 'TRANSFORM',
                config: {
                    operators: [
                        { op: 'template', args: { template: '${facet}:${value}', target: 'tag' } },
                        { op: 'split', args: { source: 'tag', target: 'facetValues', delimiter: '|' } },
                    ],
                },
            },
            load('products', { adapterCode: 'productUpsert', nameField: 'valueName' }),
        ];
        await publish('csv-products', {
            csv: 'facet,facetName,value,valueName\ncsv-shape,Shape,round,Round\n',
            steps,
        });
        const dry = await shop.perform('csv-products', 'dryRunFlowPipeline');
        expect([dry.status, await problems(dry)]).toEqual(['COMPLETED', []]);
        const run = await shop.perform('csv-products');
        expect(counted(run)).toMatchObject({ products: { ...none, created: 1 } });
        expect(counted(dry)).toEqual(counted(run));
    });

    it('does not delete a facet whose value a product has, and reports that', async () => {
        await publish('csv-used', {
            csv: 'facet,__operation\ncsv-shape,DELETE\n',
            steps: [facets],
        });
        const run = await shop.perform('csv-used');
        expect(counted(run)).toMatchObject({ facets: { ...none, rejected: 1 } });
        expect(await problems(run)).toEqual([
            {
                code: 'RECORD_INVALID',
                path: '__operation',
                message: expect.stringMatching(naming('"DELETE"', 'facet', '1 product')),
            },
        ]);
    });

    it('translates existing entities, and does not change the rest', async () => {
        await publish('csv-german', {
            csv: 'facet,value,german\ncsv-colour,red,Rot\ncsv-colour,blue,Blau\n',
            steps: [
                {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'copy', args: { source: 'german', target: 'translations.de.valueName' } },
                            { op: 'remove', args: { path: 'german' } },
                        ],
                    },
                },
                values,
            ],
        });
        const run = await shop.perform('csv-german');
        expect([counted(run)['values'], await problems(run)]).toEqual([{ ...none, updated: 2 }, []]);
        const [red] = await shop.dataSource
            .getRepository(FacetValue)
            .find({ where: { code: 'red', facet: { code: 'csv-colour' } } });
        const texts = red!.translations.map(({ languageCode, name }) => [languageCode, name]);
        expect(texts.sort()).toEqual([
            ['de', 'Rot'],
            ['en', 'Red'],
        ]);
    });

    it('imports stock locations and customer groups, and deletes them by __operation', async () => {
        const locations = load('locations', { adapterCode: 'stockLocationUpsert' });
        const groups = load('groups', { adapterCode: 'customerGroupUpsert' });
        await publish('csv-places', { csv: 'name,description\nDepot,By the river\nKiosk,\n', steps: [locations] });
        await publish('csv-groups', { csv: 'name\nTrade\nStaff\n', steps: [groups] });
        await publish('csv-closed', {
            csv: 'name,__operation\nDepot,DELETE\nNowhere,DELETE\n',
            steps: [locations],
        });
        await publish('csv-left', { csv: 'name,__operation\nStaff,DELETE\n', steps: [groups] });
        const told = await changesOf(async () => {
            expect(counted(await shop.perform('csv-places'))['locations']).toEqual({ ...none, created: 2 });
            expect(counted(await shop.perform('csv-groups'))['groups']).toEqual({ ...none, created: 2 });
            expect(counted(await shop.perform('csv-groups'))['groups']).toEqual({ ...none, unchanged: 2 });
            const dry = await shop.perform('csv-closed', 'dryRunFlowPipeline');
            expect(counted(dry)['locations']).toEqual({ ...none, deleted: 1, unchanged: 1 });
            expect(counted(await shop.perform('csv-closed'))).toEqual(counted(dry));
            expect(counted(await shop.perform('csv-left'))['groups']).toEqual({ ...none, deleted: 1 });
        });
        expect(told).toMatchObject({
            StockLocation: ['CREATE 2', 'DELETE 1'],
            CustomerGroup: ['CREATE 2', 'DELETE 1'],
        });
        const [left] = await shop.dataSource
            .getRepository(StockLocation)
            .findBy([{ name: 'Depot' }, { name: 'Kiosk' }]);
        expect(left).toMatchObject({ name: 'Kiosk', description: '' });
        expect(
            await shop.dataSource.getRepository(CustomerGroup).findBy([{ name: 'Trade' }, { name: 'Staff' }]),
        ).toEqual([expect.objectContaining({ name: 'Trade' })]);
    });

    it('is allowed with the permissions for facets, or with those for the catalogue, and not with fewer', async () => {
        const rights = ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun', 'ReadFlowRecord'];
        const runAs = async (name: string, permissions: readonly string[]): Promise<RunAnswer> => {
            const client = await makeAdministrator(shop, { name, permissions: [...rights, ...permissions] });
            const { startFlowPipelineRun } = await client.query(
                gql`mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id) { ${RUN_FIELDS} } }`,
                { id: await shop.pipelineId('csv-used') },
            );
            return shop.ended(startFlowPipelineRun.id as string);
        };
        expect((await runAs('csv-facets', ['UpdateFacet', 'CreateFacet'])).status).toBe('COMPLETED');
        expect((await runAs('csv-catalogue', ['UpdateCatalog', 'CreateFacet'])).status).toBe('COMPLETED');
        const { error } = await runAs('csv-nobody', ['UpdateFacet', 'CreateProduct']);
        expect([error?.code, error?.message]).toEqual([
            'FORBIDDEN',
            expect.stringContaining('CreateCatalog or CreateFacet'),
        ]);
    });

    /** The changes that were published meanwhile, by entity. */
    async function changesOf(work: () => Promise<void>): Promise<Record<string, string[]>> {
        const told: Record<string, string[]> = {};
        const heard = shop.app
            .get(EventBus)
            .ofType(FlowEntitiesChanged)
            .subscribe(({ entity, operation, ids, ctx }) => {
                if (ctx.channel.token === shop.channelToken) (told[entity] ??= []).push(`${operation} ${ids.length}`);
            });
        await work();
        // A run ends before its last changes are published.
        await until(
            () => shop.dataSource.getRepository(FlowPendingEffect).count(),
            count => count === 0,
        );
        heard.unsubscribe();
        return told;
    }
}

export const entitiesByCsvSuite: SharedSuite = {
    title: 'facets, values, stock locations and groups by CSV',
    tests: entitiesByCsv,
};
