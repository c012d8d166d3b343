import {
    CollectionService,
    CustomerService,
    FacetService,
    FacetValueService,
    isGraphQlErrorResult,
    LanguageCode,
    Product,
    ProductService,
    ProductVariant,
    ProductVariantService,
} from '@vendure/core';
import gql from 'graphql-tag';
import { z } from 'zod';
import {
    type BuiltinCatalogue,
    createPipelineBuilder,
    defineExtractor,
    defineRule,
    type JsonObject,
    reporting,
} from '../../src';
import { naming } from '../../test/kit/naming';
import { DEFAULT_CHANNEL, makeAdministrator } from '../config/administrators';
import type { Database } from '../config/databases';
import { type FlowServer, type RunAnswer, RUN_FIELDS } from '../config/flow-server';
import { platformOf } from '../config/load-harness';
import { productsWith, secondChannel, stockLocation } from '../config/small-catalogue';
import type { SharedSuite } from '../config/shared-shop';

/** The current records of `feed`. */
let rows: readonly JsonObject[] = [];

const feed = defineExtractor({
    code: 'feed',
    title: 'Feed',
    summary: 'Reads what there is just now.',
    config: z.strictObject({}),
    async *extract() {
        yield { records: rows };
    },
});

/** A custom rule of the shop. */
const evenPrice = defineRule({
    code: 'evenPrice',
    title: 'Even price',
    summary: 'Requires an even price.',
    examples: [],
    config: z.strictObject({ field: z.string().meta({ title: 'Field', description: 'The price.' }), ...reporting() }),
    compile:
        ({ field }) =>
        data =>
            Number(data[field]) % 2 === 0 ? undefined : { path: field, problem: 'is odd' },
});

interface Catalogue extends Omit<BuiltinCatalogue, 'extractors' | 'rules'> {
    readonly extractors: readonly [...BuiltinCatalogue['extractors'], typeof feed];
    readonly rules: readonly [...BuiltinCatalogue['rules'], typeof evenPrice];
}
const pipeline = createPipelineBuilder<Catalogue>();

const csvText = `slug,name,sku,price,kind
vr-1,Lamp,VR-1,10.00,lamp
vr-2,,VR-2,-3,lamp
vr-3,Shade,VR-3,20.50,shade
vr-4,Bulb,VR-4,1.00,bulb
vr-5,Copy,VR-1,5.00,lamp
vr-6,Cord,vr 6,2.00,shade
vr-7,Odd,VR-7,3.00,lamp`;

const MESSAGE = 'SKUs are written like VR-1';

const routed = pipeline('routed')
    .throughput({ batchSize: 2, concurrency: 3 })
    .trigger('start', { type: 'MANUAL' })
    .extract('file', { adapterCode: 'csv', csvText })
    .validate('check', {
        rules: [
            { type: 'business', spec: { field: 'sku', required: true, pattern: '^VR-\\d+$', error: MESSAGE } },
            { type: 'required', spec: { field: 'name' } },
            { type: 'range', spec: { field: 'price', min: 0 } },
            { type: 'unique', spec: { field: 'sku' } },
            { type: 'evenPrice', spec: { field: 'price', severity: 'WARNING' } },
        ],
    })
    .transform('cents', [{ op: 'toCents', args: { source: 'price', target: 'price' } }])
    .route('kinds', {
        branches: [
            { name: 'lamps', when: [{ field: 'kind', value: 'lamp' }] },
            { name: 'shades', when: [{ field: 'kind', cmp: 'regex', value: '^(s+)+hade$' }] },
        ],
    })
    .load('lamps', { adapterCode: 'productUpsert' })
    .load('shades', { adapterCode: 'variantUpsert', productSlugField: 'slug' })
    .load('others', { adapterCode: 'productUpsert' })
    .edge('start', 'file')
    .edge('file', 'check')
    .edge('check', 'cents')
    .edge('cents', 'kinds')
    .edge('kinds', 'lamps', 'lamps')
    .edge('kinds', 'shades', 'shades')
    .edge('kinds', 'others', 'default')
    .build();

const straight = (code: string) =>
    pipeline(code)
        .throughput({ batchSize: 3, concurrency: 2 })
        .trigger('start', { type: 'MANUAL' })
        .extract('feed', { adapterCode: 'feed' });

const REFERENCES = [
    ['PRODUCT', undefined],
    ['PRODUCT', 'id'],
    ['PRODUCT_VARIANT', undefined],
    ['COLLECTION', undefined],
    ['FACET', undefined],
    ['FACET_VALUE', undefined],
    ['CUSTOMER', undefined],
    ['CHANNEL', undefined],
    ['TAX_CATEGORY', undefined],
    ['STOCK_LOCATION', undefined],
] as const;
const codeOf = (entity: string, by: string | undefined): string =>
    `ref-${entity.toLowerCase().replace('_', '-')}${by === undefined ? '' : `-${by}`}`;

const additions = {
    adapters: [feed, evenPrice],
    pipelines: [
        routed,
        straight('aborting')
            .validate('check', { errorHandlingMode: 'ABORT', rules: [{ type: 'required', spec: { field: 'name' } }] })
            .load('out', { adapterCode: 'productUpsert' })
            .build(),
        straight('distinct')
            .validate('check', { errorHandlingMode: 'FAIL_FAST', rules: [{ type: 'unique', spec: { field: 'sku' } }] })
            .build(),
        ...REFERENCES.map(([entity, by]) =>
            straight(codeOf(entity, by))
                .validate('check', { rules: [{ type: 'reference', spec: { field: 'to', entity, ...(by && { by }) } }] })
                .build(),
        ),
    ],
} satisfies Partial<SharedSuite>;

interface Refused {
    readonly seq: number;
    readonly code: string;
    readonly path: string | null;
    readonly message: string;
    readonly faults: ReadonlyArray<{
        readonly path: string;
        readonly rule: string;
        readonly message: string;
        readonly severity: string;
    }> | null;
}

function suite(open: () => Promise<FlowServer>, database: Database): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const stepOf = ({ counters }: RunAnswer, key: string) => counters.find(({ stepKey }) => stepKey === key);

    async function rejected({ id }: RunAnswer): Promise<readonly Refused[]> {
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`query Refused($id: ID!) {
            flowRecordErrors(runId: $id, options: { sort: { seq: ASC } }) { items { seq code path message faults { path rule message severity } } }
        }`,
            { id },
        );
        return flowRecordErrors.items as readonly Refused[];
    }

    async function warnings({ id }: RunAnswer): Promise<readonly string[]> {
        const { flowLogs } = await shop.adminClient.query(
            gql`query Warnings($id: ID!) {
            flowLogs(runId: $id, options: { filter: { level: { eq: "WARN" } }, take: 100 }) { items { message } }
        }`,
            { id },
        );
        return (flowLogs.items as ReadonlyArray<{ message: string }>).map(({ message }) => message);
    }

    it('lists the rules with their schemas', async () => {
        const { flowAdapters } = await shop.adminClient.query(gql`{ flowAdapters(kind: RULE) { kind code schema } }`);
        expect((flowAdapters as ReadonlyArray<{ code: string }>).map(({ code }) => code)).toEqual([
            'business',
            'enum',
            'evenPrice',
            'length',
            'pattern',
            'range',
            'reference',
            'required',
            'type',
            'unique',
        ]);
    });

    it('a file is checked, routed and loaded; each error of a rejected record can be read', async () => {
        const run = await shop.perform('routed');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            recordsRead: 7,
            recordsProcessed: 7,
            recordsLoaded: 3,
            recordsRejected: 4,
        });
        expect(await rejected(run)).toEqual([
            {
                seq: 1,
                code: 'VALIDATION_FAILED',
                path: 'name',
                message: expect.stringMatching(naming(2, 'name', 'missing', 'price', '"-3"', 0)),
                faults: [
                    {
                        path: 'name',
                        rule: 'required',
                        message: expect.stringMatching(naming('name', 'missing')),
                        severity: 'ERROR',
                    },
                    {
                        path: 'price',
                        rule: 'range',
                        message: expect.stringMatching(naming('price', '"-3"', 0)),
                        severity: 'ERROR',
                    },
                    {
                        path: 'price',
                        rule: 'evenPrice',
                        message: expect.stringMatching(naming('price', 'odd')),
                        severity: 'WARNING',
                    },
                ],
            },
            // The variant's product does not exist: the load reports it, without a list of errors.
            expect.objectContaining({ seq: 2, path: expect.any(String), faults: null }),
            {
                seq: 4,
                code: 'VALIDATION_FAILED',
                path: 'sku',
                message: expect.stringMatching(naming('sku', '"VR-1"', 1, 'file')),
                faults: [
                    {
                        path: 'sku',
                        rule: 'unique',
                        message: expect.stringMatching(naming('sku', '"VR-1"', 1, 'file')),
                        severity: 'ERROR',
                    },
                    {
                        path: 'price',
                        rule: 'evenPrice',
                        message: expect.stringMatching(naming('price', 'odd')),
                        severity: 'WARNING',
                    },
                ],
            },
            {
                seq: 5,
                code: 'VALIDATION_FAILED',
                path: 'sku',
                message: MESSAGE,
                faults: [{ path: 'sku', rule: 'business', message: MESSAGE, severity: 'ERROR' }],
            },
        ]);
        expect((await warnings(run)).filter(line => line.includes('is odd')).sort()).toEqual(
            [2, 3, 4, 5, 7].map(number => expect.stringContaining(`Record ${number} of file`)),
        );
        expect(stepOf(run, 'kinds')).toMatchObject({ in: 4, out: 4, filtered: 0 });
        expect(['lamps', 'shades', 'others'].map(key => stepOf(run, key)?.in)).toEqual([2, 1, 1]);
        const skus = (await shop.dataSource.getRepository(ProductVariant).find()).map(({ sku }) => sku);
        expect(skus.filter(sku => sku.startsWith('VR')).sort()).toEqual(['VR-1', 'VR-4', 'VR-7']);
    });

    it('finds the same again in a dry run, and in the next run', async () => {
        for (const how of ['dryRunFlowPipeline', 'startFlowPipelineRun'] as const) {
            expect(stepOf(await shop.perform('routed', how), 'check')).toMatchObject({ in: 7, out: 4, rejected: 3 });
        }
    });

    it('ABORT fails the run at the first invalid record and names it', async () => {
        rows = [
            { slug: 'ab-1', name: 'A', sku: 'AB-1', price: 1 },
            { slug: 'ab-2', sku: 'AB-2', price: 1 },
            { slug: 'ab-3', sku: 'AB-3', price: 1 },
        ];
        const run = await shop.perform('aborting');
        expect(run).toMatchObject({
            status: 'FAILED',
            recordsRejected: 1,
            error: { code: 'VALIDATION_ABORTED', stepKey: 'check' },
        });
        expect(run.error?.message).toMatch(naming(2, 'feed', '"check"', 'name'));
        expect((await rejected(run)).map(({ seq, code }) => [seq, code])).toEqual([[1, 'VALIDATION_FAILED']]);
        expect(await shop.dataSource.getRepository(ProductVariant).countBy({ sku: 'AB-1' })).toBe(0);
    });

    it('a value is unique across batches; each run starts without the values of earlier ones, and leaves none', async () => {
        rows = Array.from({ length: 20 }, (_, i) => ({ sku: `U-${i % 7}` }));
        for (let time = 0; time < 2; time++) {
            const run = await shop.perform('distinct');
            expect(stepOf(run, 'check')).toMatchObject({ in: 20, out: 7, rejected: 13 });
            expect((await rejected(run)).map(({ seq }) => seq)).toEqual([
                7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            ]);
        }
        const [{ count }] = await shop.dataSource.query(
            `SELECT COUNT(*) AS count FROM flow_checkpoint WHERE step_key = 'check' AND ${database === 'postgres' ? '"key"' : '`key`'} LIKE 'unique:sU-%'`,
        );
        expect(Number(count)).toBe(0);
    });

    describe('a reference', () => {
        let productId: string;

        beforeAll(async () => {
            const { ctx } = await platformOf(shop.app);
            const [kept, deleted] = await productsWith(shop.app, ['RF-1', 'RF-2', 'RF-3']);
            productId = String(kept!.productId);
            await shop.app.get(ProductService).softDelete(ctx, deleted!.productId);
            await shop.app.get(ProductVariantService).softDelete(ctx, deleted!.id);
            const facet = await shop.app.get(FacetService).create(ctx, {
                code: 'tint',
                isPrivate: false,
                translations: [{ languageCode: LanguageCode.en, name: 'Tint' }],
            });
            for (const code of ['red', 'dark:blue'])
                await shop.app.get(FacetValueService).create(ctx, facet, {
                    code,
                    facetId: facet.id,
                    translations: [{ languageCode: LanguageCode.en, name: code }],
                });
            await shop.app.get(CollectionService).create(ctx, {
                translations: [{ languageCode: LanguageCode.en, name: 'Lamps', slug: 'lamps', description: '' }],
                filters: [],
            });
            const customer = await shop.app
                .get(CustomerService)
                .create(ctx, { firstName: 'A', lastName: 'B', emailAddress: 'anna@example.com' });
            if (isGraphQlErrorResult(customer)) throw new Error(customer.message);
            await stockLocation(shop.app, 'Hall 7');
            await secondChannel(shop.app, 'retail-b');
            // Removes it from the channel of the runs. Vendure's services do not do that for the default channel.
            const elsewhere = await shop.dataSource.getRepository(ProductVariant).findOneByOrFail({ sku: 'RF-3' });
            await shop.dataSource
                .createQueryBuilder()
                .relation(ProductVariant, 'channels')
                .of(elsewhere.id)
                .remove(ctx.channelId);
            await shop.dataSource
                .createQueryBuilder()
                .relation(Product, 'channels')
                .of(elsewhere.productId)
                .remove(ctx.channelId);
        });

        it.each<readonly [(typeof REFERENCES)[number][0], string | undefined, readonly unknown[], readonly unknown[]]>([
            [
                'PRODUCT',
                undefined,
                ['rf-1'],
                ['rf-2', 'rf-3', 'RF-1', 'nope', '\0', '\ud800', 'x'.repeat(2000), {}, "'; DROP TABLE product; --"],
            ],
            [
                'PRODUCT_VARIANT',
                undefined,
                ['RF-1', ['RF-1', 'RF-1'], [], null, ''],
                ['RF-2', 'RF-3', 'rf-1', ['RF-1', 'RF-9'], true],
            ],
            ['COLLECTION', undefined, ['lamps'], ['lamp', 'Lamps']],
            ['FACET', undefined, ['tint'], ['Tint', 'size']],
            [
                'FACET_VALUE',
                undefined,
                ['tint:red', ['tint:red', 'tint:dark:blue']],
                ['tint:green', 'size:red', 'red', ':', 'tint:', ['tint:red', 'tint:x']],
            ],
            ['CUSTOMER', undefined, ['anna@example.com', 'Anna@Example.com'], ['bert@example.com', 'anna']],
            ['CHANNEL', undefined, ['retail-b', DEFAULT_CHANNEL], ['retail']],
            ['TAX_CATEGORY', undefined, ['Standard Tax'], ['standard tax', 'Luxury Tax']],
            ['STOCK_LOCATION', undefined, ['Hall 7'], ['Hall 8']],
        ])('to a %s is valid if it exists in the channel', async (entity, by, right, wrong) => {
            rows = [...right, ...wrong].map(to => ({ to: to as string }));
            const run = await shop.perform(codeOf(entity, by));
            expect(run).toMatchObject({ status: 'COMPLETED' });
            expect((await rejected(run)).map(({ seq }) => rows[seq])).toEqual(wrong.map(to => ({ to })));
        });

        it('to a product may use its id, with any value', async () => {
            rows = [
                { to: productId },
                { to: Number(productId) },
                { to: '0' },
                { to: '99999999999' },
                { to: 'x' },
                { to: `${productId}.0` },
            ];
            const run = await shop.perform(codeOf('PRODUCT', 'id'));
            expect((await rejected(run)).map(({ seq, message }) => [seq, message])).toEqual([
                [2, expect.stringMatching(naming('to', '"0"', 'product', 'id'))],
                ...[3, 4, 5].map(seq => [seq, expect.any(String)]),
            ]);
        });

        it('names the element of a list that does not exist', async () => {
            rows = [{ to: ['tint:red', 'tint:x'] }];
            const [reject] = await rejected(await shop.perform(codeOf('FACET_VALUE', undefined)));
            expect(reject).toMatchObject({
                path: 'to.1',
                message: expect.stringMatching(naming('to.1', '"tint:x"', 'facet value')),
            });
        });

        it('reveals nothing about customers to users who may not read them', async () => {
            const client = await makeAdministrator(shop, {
                name: 'asker',
                permissions: ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun', 'ReadCatalog'],
            });
            const runAs = async (code: string): Promise<RunAnswer> => {
                const { startFlowPipelineRun } = await client.query(
                    gql`mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id) { ${RUN_FIELDS} } }`,
                    { id: await shop.pipelineId(code) },
                );
                return shop.ended(startFlowPipelineRun.id as string);
            };
            rows = [{ to: 'anna@example.com' }];
            expect(await runAs(codeOf('CUSTOMER', undefined))).toMatchObject({
                status: 'FAILED',
                error: { code: 'FORBIDDEN', message: expect.stringContaining('ReadCustomer') },
            });
            expect(await runAs(codeOf('FACET', undefined))).toMatchObject({ status: 'COMPLETED' });
        });
    });
}

export const validateAndRouteSuite: SharedSuite = {
    title: 'validate and route',
    channel: DEFAULT_CHANNEL,
    ...additions,
    tests: suite,
};
