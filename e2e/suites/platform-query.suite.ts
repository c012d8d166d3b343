import { CustomerService, Product, type RequestContext, RequestContextService } from '@vendure/core';
import type { JsonObject } from '../../src';
import { pathFrom, QUERIED_ENTITIES, withParents } from '../../src/platform/query/entities';
import { platformQuery } from '../../src/platform/extractors/platform-query';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import { setUp } from '../../src/plugin/setup';
import { LoggedDatabase } from '../../src/plugin/stores/logged-database';
import type { VendurePlatform } from '../../src/platform/context';
import { guideBlocks } from '../../test/kit/guide-blocks';
import { pipelinesOf } from '../../test/kit/guide-pipelines';
import { naming } from '../../test/kit/naming';
import { readPages } from '../../src/testing/bare-extract';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';
import { makeAdministrator } from '../config/administrators';
import type { FlowServer } from '../config/flow-server';
import { platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { orderQueries } from './order-queries';

/** The queries in the guides. */
const shown = guideBlocks
    .filter(({ notRun }) => notRun === undefined)
    .flatMap(pipelinesOf)
    .filter(({ definition }) => definition.steps.some(({ config }) => config['adapterCode'] === 'platformQuery'));

const SEASONS = ['', 'b', 'a', '', 'c', 'a', 'é', 'E'];

function queries(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    let ctx: RequestContext;
    const sent: string[] = [];

    const load = async (code: string, records: readonly JsonObject[], of = platform): Promise<void> => {
        const { changes } = await (
            await openLoaderTestRun({ loader: setUp({}).registry.get('loader', code), platform: of })
        )(records);
        expect(changes.filter(({ action }) => action === 'reject')).toEqual([]);
    };
    beforeAll(async () => {
        shop = await open();
        const plain = await platformOf(shop.app, shop.channelToken);
        platform = { ...plain, database: new LoggedDatabase(plain.database, text => sent.push(text)) };
        ctx = await shop.app.get(RequestContextService).create({ apiType: 'admin', channelOrToken: shop.channelToken });
        await load('facetUpsert', [{ code: 'queried', name: 'Queried' }]);
        await load('facetValueUpsert', [{ facet: 'queried', code: 'yes', name: 'Yes' }]);
        await load(
            'productUpsert',
            SEASONS.map((season, i) => ({
                slug: `q-${i}`,
                name: `Query ${season || 'none'} ${i}`,
                description: season,
                enabled: i % 2 === 0,
                facetValues: ['queried:yes'],
                optionGroups: ['size'],
                variants: [
                    { sku: `Q-${i}-1`, name: 'One', price: 100 * i, options: { size: 'S' } },
                    { sku: `Q-${i}-2`, name: 'Two', price: 100 * i + 1, options: { size: 'M' } },
                ],
            })),
        );
        // Products of another channel are not visible.
        await load('productUpsert', [{ slug: 'q-elsewhere', name: 'Elsewhere' }], await platformOf(shop.app));
    });

    const read = async (config: JsonObject, at: VendurePlatform = platform): Promise<readonly JsonObject[]> => {
        const pages = await readPages({ extractor: platformQuery, config }, { platform: at });
        return pages.flatMap(({ records }) => records);
    };
    const slugs = async (filter: JsonObject, more: JsonObject = {}): Promise<readonly unknown[]> =>
        (await read({ entity: 'PRODUCT', filters: [filter], ...more })).map(({ slug }) => slug);
    const faultsOf = async (config: JsonObject): Promise<unknown> =>
        read(config).then(
            () => 'nothing',
            ({ code, details }: { code?: string; details?: { issues: ReadonlyArray<{ message: string }> } }) => [
                code,
                ...(details?.issues ?? []).map(({ message }) => message),
            ],
        );
    const unknown = (path: string, given: string, guess: string) =>
        expect.stringMatching(naming(path, `"${given}"`, `"${guess}"`)) as unknown;

    it('read the entities of the channel, flat, with ids as texts and money as whole numbers', async () => {
        const [record, ...more] = await read({
            entity: 'PRODUCT',
            relations: ['variants.productVariantPrices', 'facetValues.facet', 'featuredAsset'],
            filters: [{ field: 'slug', operator: 'eq', value: 'q-2' }],
        });
        expect(more).toEqual([]);
        const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
        const id = expect.stringMatching(/^(\d+|[0-9a-f-]{36})$/) as string;
        expect(record).toMatchObject({
            id,
            createdAt: iso,
            deletedAt: null,
            enabled: true,
            name: 'Query a 2',
            slug: 'q-2',
            languageCode: 'en',
            featuredAsset: null,
            facetValues: [{ id, code: 'yes', name: 'Yes', facet: { id, code: 'queried', name: 'Queried' } }],
            variants: [
                {
                    sku: 'Q-2-1',
                    name: 'One',
                    price: 200,
                    currencyCode: ctx.channel.defaultCurrencyCode,
                    productId: record!['id'],
                },
                {
                    sku: 'Q-2-2',
                    name: 'Two',
                    price: 201,
                    productVariantPrices: [{ price: 201, channelId: String(ctx.channelId) }],
                },
            ],
        });
        expect(record).not.toHaveProperty('translations');
        const all = await read({ entity: 'PRODUCT', includeFields: ['slug'] });
        expect(all.map(({ slug }) => slug)).toEqual(SEASONS.map((_, i) => `q-${i}`));
    });

    it('need as many statements for a page of eight as for one of two', async () => {
        const relations = ['variants.productVariantPrices', 'facetValues', 'assets.asset'];
        for (const [batchSize, pages] of [
            [9, 1],
            [3, 3],
        ] as const) {
            sent.splice(0);
            expect(await read({ entity: 'PRODUCT', relations, batchSize })).toHaveLength(8);
            // Variants, their prices, facet values and assets. There are no assets, so nothing more is read for them.
            expect(sent).toHaveLength(pages * 5);
        }
    });

    it.each([
        ['description', 'ASC'],
        ['description', 'DESC'],
        ['enabled', 'ASC'],
        ['updatedAt', 'ASC'],
        ['updatedAt', 'DESC'],
        ['id', 'DESC'],
        ['deletedAt', 'ASC'],
        ['deletedAt', 'DESC'],
    ])('come in the same order whatever the size of a page, by %s %s', async (sortBy, sortOrder) => {
        const config = { entity: 'PRODUCT', sortBy, sortOrder };
        const whole = await read({ ...config, batchSize: 100 });
        expect(new Set(whole.map(({ id }) => id)).size).toBe(8);
        for (const batchSize of [1, 3]) expect(await read({ ...config, batchSize })).toEqual(whole);
    });

    it('sort by prices, and compare them', async () => {
        const config = {
            entity: 'PRODUCT_VARIANT',
            sortBy: 'price',
            sortOrder: 'DESC',
            includeFields: ['sku', 'price'],
            batchSize: 2,
        };
        const filters = [
            { field: 'price', operator: 'gte', value: 500 },
            { field: 'price', operator: 'lt', value: '601' },
        ];
        expect(await read({ ...config, filters })).toEqual([
            { sku: 'Q-6-1', price: 600 },
            { sku: 'Q-5-2', price: 501 },
            { sku: 'Q-5-1', price: 500 },
        ]);
    });

    it.each<[string, JsonObject, readonly number[]]>([
        ['eq, by the case of letters', { field: 'description', operator: 'eq', value: 'E' }, [7]],
        ['ne', { field: 'description', operator: 'ne', value: 'a' }, [0, 1, 3, 4, 6, 7]],
        ['in', { field: 'description', operator: 'in', value: ['b', 'E', 'C'] }, [1, 7]],
        ['like, with a character', { field: 'slug', operator: 'like', value: 'Q-_' }, [0, 1, 2, 3, 4, 5, 6, 7]],
        ['like, which takes a percent sign for itself', { field: 'slug', operator: 'like', value: 'q\\%' }, []],
        ['contains', { field: 'name', operator: 'contains', value: 'QUERY A' }, [2, 5]],
        ['contains, of what is a pattern elsewhere', { field: 'name', operator: 'contains', value: '%' }, []],
        ['true', { field: 'enabled', operator: 'eq', value: true }, [0, 2, 4, 6]],
        ['no value', { field: 'deletedAt', operator: 'eq', value: null }, [0, 1, 2, 3, 4, 5, 6, 7]],
        ['a value', { field: 'deletedAt', operator: 'ne', value: null }, []],
        ['a date', { field: 'updatedAt', operator: 'gt', value: '2020-01-01' }, [0, 1, 2, 3, 4, 5, 6, 7]],
        ['a later date', { field: 'updatedAt', operator: 'gt', value: '2120-01-01T00:00:00Z' }, []],
        ['what no id can be', { field: 'id', operator: 'in', value: ["1' OR '1'='1", '-1', '999999999999'] }, []],
        ['hostile text', { field: 'name', operator: 'eq', value: "x' OR 1=1 --" }, []],
    ])('filter by %s', async (_, filter, found) => {
        expect(await slugs(filter)).toEqual(found.map(i => `q-${i}`));
    });

    it('filter variants by their product', async () => {
        const skus = async (...filters: readonly JsonObject[]): Promise<readonly unknown[]> =>
            (await read({ entity: 'PRODUCT_VARIANT', filters, includeFields: ['sku'] })).map(({ sku }) => sku);
        const enabled = { field: 'product.enabled', operator: 'eq', value: true };
        const sku = { field: 'sku', operator: 'like', value: 'Q-_-1' };
        expect(await skus(enabled, sku)).toEqual(['Q-0-1', 'Q-2-1', 'Q-4-1', 'Q-6-1']);
        const queried = { field: 'allFacetValues', operator: 'eq', value: 'queried:yes' };
        expect(await skus(queried, sku)).toHaveLength(8);
        expect(await skus({ ...queried, field: 'facetValues' }, sku)).toEqual([]);
        expect(await skus({ ...queried, operator: 'ne' }, sku)).toEqual([]);
        await load('facetValueUpsert', [{ facet: 'queried', code: 'own', name: 'Own' }]);
        await load('productUpsert', [{ slug: 'q-3', variants: [{ sku: 'Q-3-1', facetValues: ['queried:own'] }] }]);
        expect(await skus({ ...queried, value: 'queried:own' })).toEqual(['Q-3-1']);
    });

    it('report unknown fields and values, with what is allowed', async () => {
        const filter = (field: string, value: string): JsonObject => ({ field, operator: 'eq', value });
        expect(await faultsOf({ entity: 'PRODUCT', filters: [filter('nam', 'x'), filter('enabled', 'yes')] })).toEqual([
            'DEFINITION_INVALID',
            unknown('step.filters[0].field', 'nam', 'name'),
            expect.stringContaining('step.filters[1].value'),
        ]);
        expect(await faultsOf({ entity: 'PRODUCT', includeFields: ['slugg'] })).toEqual([
            'DEFINITION_INVALID',
            unknown('step.includeFields[0]', 'slugg', 'slug'),
        ]);
        expect(await faultsOf({ entity: 'CUSTOMER', sortBy: 'passwordHash' })).toEqual([
            'DEFINITION_INVALID',
            expect.stringContaining('"passwordHash"'),
        ]);
    });

    it('return no password and no session, whatever relations of a customer are read', async () => {
        const emailAddress = 'queried@example.com';
        await shop.app
            .get(CustomerService)
            .create(platform.ctx, { emailAddress, firstName: 'Q', lastName: 'R' }, 'a password');
        const [customer] = await read({
            entity: 'CUSTOMER',
            relations: ['user', 'addresses.country', 'groups'],
            filters: [{ field: 'emailAddress', operator: 'eq', value: emailAddress }],
        });
        expect(Object.keys(customer!['user'] as JsonObject).sort()).toEqual([
            'createdAt',
            'deletedAt',
            'id',
            'identifier',
            'lastLogin',
            'updatedAt',
            'verified',
        ]);
        for (const path of ['user.authenticationMethods', 'user.sessions', 'user.roles', 'channels'])
            expect(pathFrom('CUSTOMER', path)).toHaveProperty('problem');
    });

    it('follow only relations that the shop has, and can be read along each', async () => {
        for (const entity of QUERIED_ENTITIES) {
            const known = withParents(relationsOf(entity));
            for (const relations of known.map(path => [path]))
                expect(Array.isArray(await read({ entity, relations, batchSize: 2 }))).toBe(true);
        }
    });

    describe('of orders', () => orderQueries(() => platform));

    it('leave out deleted entities, or mark them', async () => {
        await load('productUpsert', [{ slug: 'q-gone', name: 'Gone' }]);
        await load('productUpsert', [{ slug: 'q-gone', __operation: 'DELETE' }]);
        const filter = { field: 'slug', operator: 'eq', value: 'q-gone' };
        expect(await slugs(filter)).toEqual([]);
        expect(
            await read({ entity: 'PRODUCT', filters: [filter], includeDeleted: true, includeFields: ['slug'] }),
        ).toEqual([{ slug: 'q-gone', __operation: 'DELETE' }]);
        // Those without a value come first, and with DESC last, wherever a page ends.
        for (const sortOrder of ['ASC', 'DESC']) {
            const config = { entity: 'PRODUCT', includeDeleted: true, sortBy: 'deletedAt', sortOrder };
            const whole = (await read({ ...config, batchSize: 100 })).map(({ slug }) => slug);
            expect(whole.at(sortOrder === 'ASC' ? -1 : 0)).toBe('q-gone');
            for (const batchSize of [1, 3])
                expect((await read({ ...config, batchSize })).map(({ slug }) => slug)).toEqual(whole);
        }
    });

    describe('in pipelines', () => {
        const definition = (config: JsonObject): JsonObject => ({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'vendureQuery', ...config } },
                {
                    key: 'check',
                    kind: 'VALIDATE',
                    config: { rules: [{ type: 'required', spec: { field: 'missing' } }] },
                },
            ],
            edges: [
                { from: 'start', to: 'read' },
                { from: 'read', to: 'check' },
            ],
        });
        const publish = async (code: string, config: JsonObject): Promise<string> => {
            const draft = await as(shop.adminClient).create({ code, definition: definition(config) });
            await as(shop.adminClient).publish(draft);
            const [row] = await shop.dataSource.query<Array<{ id: string }>>(
                `SELECT id FROM flow_pipeline WHERE code = '${code}'`,
            );
            return row!.id;
        };
        const run = async (pipelineId: string, seed?: readonly JsonObject[]) => {
            const order = { pipelineId, channelId: ctx.channelId, actor: null, dryRun: false, ...(seed && { seed }) };
            const runId = await shop.app.get(RunStarter).start(order);
            const ended = await shop.ended(`T_${String(runId)}`);
            const rejects = await shop.dataSource
                .getRepository(FlowRecordError)
                .find({ where: { runId }, order: { seq: 'ASC', ordinal: 'ASC' } });
            return {
                ended,
                rejects,
                came: rejects.filter(({ stepKey }) => stepKey === 'check').map(({ payload }) => payload),
            };
        };

        it('read what has changed since the last completed run', async () => {
            const pipelineId = await publish('queried-since', {
                entity: 'PRODUCT',
                updatedSince: 'LAST_RUN',
                overlapSec: 0,
                batchSize: 3,
                filters: [{ field: 'slug', operator: 'like', value: 'q-_' }],
                includeFields: ['slug'],
            });
            expect((await run(pipelineId)).came).toHaveLength(8);
            const products = shop.dataSource.getRepository(Product);
            const long = new Date('2001-01-01T00:00:00Z');
            const all = await read({ entity: 'PRODUCT', includeFields: ['id', 'slug'] });
            const keys = all.map(({ id }) => id as never);
            await products.update(keys, { updatedAt: long });
            expect((await run(pipelineId)).came).toEqual([]);
            await products.update([keys[3]!], { updatedAt: new Date() });
            expect((await run(pipelineId)).came).toEqual([{ slug: 'q-3' }]);
        });

        it('look up the entities that a seed names, and pass on the deletion of a missing one', async () => {
            const pipelineId = await publish('queried-lookup', {
                entity: 'PRODUCT',
                seedMode: 'LOOKUP',
                includeFields: ['id', 'slug'],
                filters: [{ field: 'slug', operator: 'like', value: 'q-_' }],
            });
            const all = await read({ entity: 'PRODUCT', includeFields: ['id', 'slug'] });
            const idOf = (i: number): string => String(all.find(({ slug }) => slug === `q-${i}`)!['id']);
            const { came, rejects, ended } = await run(pipelineId, [
                { event: 'ProductEvent', id: idOf(4) },
                { productId: idOf(1) },
                { ids: [idOf(2), '999999', idOf(0)] },
                { id: 'no id at all' },
                { id: '999999', __operation: 'DELETE', note: 'gone' },
                { event: 'OrderEvent', id: idOf(5) },
            ]);
            expect(came).toEqual([
                { id: idOf(4), slug: 'q-4' },
                { id: idOf(1), slug: 'q-1' },
                { id: idOf(2), slug: 'q-2' },
                { id: idOf(0), slug: 'q-0' },
                { id: '999999', __operation: 'DELETE', note: 'gone' },
            ]);
            expect(rejects.filter(({ stepKey }) => stepKey === 'read')).toMatchObject([
                { seq: 5, code: 'RECORD_INVALID' },
            ]);
            expect(ended.counters.find(({ stepKey }) => stepKey === 'read')).toMatchObject({
                in: 6,
                out: 5,
                filtered: 1,
                rejected: 1,
            });
        });

        it('name only what the shop has, or cannot be published', async () => {
            const filters = [{ field: 'nam', operator: 'eq', value: 'x' }];
            const config = { entity: 'PRODUCT', filters, includeFields: ['slugg'], sortBy: 'name' };
            const draft = await as(shop.adminClient).create({
                code: 'queried-unknown',
                definition: definition(config),
            });
            const at = (path: string, given: string, guess: string) => ({
                code: 'CONFIG_INVALID',
                path,
                stepKey: 'read',
                message: unknown(path, given, guess),
            });
            expect(draft.workingCopy?.issues).toMatchObject([
                at('steps[1].config.filters[0].field', 'nam', 'name'),
                at('steps[1].config.includeFields[0]', 'slugg', 'slug'),
            ]);
            await expect(as(shop.adminClient).publish(draft)).rejects.toMatchObject({
                response: { errors: [{ extensions: { code: 'DEFINITION_INVALID' } }] },
            });
        });

        it.each(shown.map(guide => [guide.code, guide.definition as unknown as JsonObject] as const))(
            'run as a guide prints them: %s',
            async (code, printed) => {
                const draft = await as(shop.adminClient).create({ code: `guide-${code}`, definition: printed });
                const { id, ...published } = await as(shop.adminClient).publish(draft);
                expect(published.revision).not.toBeNull();
                const order = { pipelineId: id.slice(2), channelId: ctx.channelId, actor: null, dryRun: true };
                const runId = await shop.app.get(RunStarter).start(order);
                expect(await shop.ended(`T_${String(runId)}`)).toMatchObject({ status: 'COMPLETED' });
            },
        );

        it('need the permission to read what they read, and what their relations lead to', async () => {
            const permissions = [
                ...['ReadFlowPipeline', 'CreateFlowPipeline', 'UpdateFlowPipeline', 'PublishFlowPipeline'],
                ...['RunFlowPipeline', 'ReadFlowRun', 'ReadCatalog'],
            ];
            const client = await makeAdministrator(shop, { name: 'query-reader', permissions });
            const publishAs = async (code: string, config: JsonObject): Promise<string> =>
                as(client)
                    .create({ code, definition: definition(config) })
                    .then(draft => as(client).publish(draft))
                    .then(
                        () => 'published',
                        (error: {
                            response?: { errors?: ReadonlyArray<{ extensions?: { code?: string }; message: string }> };
                        }) => String(error.response?.errors?.[0]?.message ?? error),
                    );
            expect(await publishAs('queried-allowed', { entity: 'PRODUCT', relations: ['variants'] })).toBe(
                'published',
            );
            expect(await publishAs('queried-orders', { entity: 'ORDER' })).toContain('ReadOrder');
            expect(
                await publishAs('queried-buyers', { entity: 'PROMOTION', relations: ['orders.customer'] }),
            ).toContain('ReadPromotion');
        });
    });
}

/** The relations of an entity that may be followed, and those of the related entities, as the error message lists them. */
function relationsOf(entity: (typeof QUERIED_ENTITIES)[number]): readonly string[] {
    const allowed = (path: string): readonly string[] => {
        const unknown = pathFrom(entity, path === '' ? '?' : `${path}.?`);
        const [, names] = ('problem' in unknown && /allowed: (.*)$/.exec(unknown.problem.message)) || [];
        return names?.split(', ') ?? [];
    };
    return allowed('').flatMap(first => [first, ...allowed(first).map(second => `${first}.${second}`)]);
}

/** Queries of the shop, on each database. */
export const platformQuerySuite: SharedSuite = { title: 'queries of the shop', tests: queries };
