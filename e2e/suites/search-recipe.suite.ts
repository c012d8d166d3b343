import gql from 'graphql-tag';
import type { JsonObject } from '../../src/core/value/json';
import type { Engine } from '../../test/kit/engines/engine-server';
import { MeilisearchServer } from '../../test/kit/engines/meilisearch';
import { TypesenseServer } from '../../test/kit/engines/typesense';
import { guideBlocks } from '../../test/kit/guide-blocks';
import { pipelinesOf, type Shown } from '../../test/kit/guide-pipelines';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';

const recipe = guideBlocks.filter(
    ({ place, language }) => language === 'ts' && place.startsWith('docs/guide/search-engines.md'),
);
/** The pipelines of the recipe. Its blocks use the declarations of those before them. */
const shown = pipelinesOf({ ...recipe[0]!, text: recipe.map(({ text }) => text).join('\n') });

/** The guide's configuration with the engine's address in the test. */
const hosted = ({ definition }: Shown, at: JsonObject): JsonObject => ({
    ...(definition as unknown as JsonObject),
    steps: definition.steps.map(step =>
        step.kind === 'SINK' ? { ...step, config: { ...step.config, ...at } } : step,
    ) as unknown as JsonObject[],
});

interface Held {
    readonly engine: Engine;
    readonly held: () => ReadonlyMap<string, JsonObject>;
    readonly at: (port: number) => JsonObject;
}

function meilisearch(): Held {
    const engine = new MeilisearchServer();
    return { engine, held: () => engine.documents('products'), at: port => ({ host: `http://127.0.0.1:${port}` }) };
}

function typesense(): Held {
    const engine = new TypesenseServer();
    // Created in the same way as in the guide.
    engine.make('products_1');
    engine.aliases.set('products', 'products_1');
    const at = (port: number): JsonObject => ({ host: '127.0.0.1', port, protocol: 'http' });
    return { engine, held: () => engine.documents('products'), at };
}

const translations = (name: string, slug: string): JsonObject[] => [
    { languageCode: 'en', name, slug, description: `About ${name}` },
];

function recipes(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    const ask = (text: string, values: object = {}) => shop.adminClient.query(gql(text), values);
    beforeAll(async () => {
        shop = await open();
        const input = {
            code: 'search-key',
            provider: 'INLINE',
            value: 'a-key-for-documents',
            allowedHosts: ['127.0.0.1'],
        };
        await ask('mutation($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id } }', { input });
    });

    const made = async (name: string, slug: string): Promise<string> => {
        const { createProduct } = await ask(
            'mutation($input: CreateProductInput!) { createProduct(input: $input) { id } }',
            { input: { translations: translations(name, slug) } },
        );
        return createProduct.id;
    };
    /** The pipeline with this name, in the shop. */
    async function published(code: string, at: JsonObject): Promise<PipelineAnswer> {
        const definition = hosted(
            shown.find(one => one.code === code)!,
            at,
        );
        const draft = await as(shop.adminClient).create({ code, name: code, definition });
        expect(draft.workingCopy?.issues).toEqual([]);
        return as(shop.adminClient).publish(draft);
    }

    it.each([
        ['meilisearch', meilisearch],
        ['typesense', typesense],
    ])('fill %s again from the beginning, and send changes to it at once', async (name, engineOf) => {
        const { engine, held, at } = engineOf();
        const { port, close } = await engine.listen();
        const names = (): string[] => [...held().values()].map(({ name: of }) => String(of)).sort();
        const [kettle, lamp] = [
            await made(`Kettle ${name}`, `kettle-${name}`),
            await made(`Lamp ${name}`, `lamp-${name}`),
        ];
        const all = async (): Promise<string[]> => {
            const { products } = await ask('{ products(options: { take: 100 }) { items { name } } }');
            return products.items.map((one: { name: string }) => one.name).sort();
        };

        await published(`catalogue-to-${name}`, at(port));
        const run = await shop.perform(`catalogue-to-${name}`);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRejected: 0 });
        expect(names()).toEqual(await all());

        const changes = await published(`changes-to-${name}`, at(port));
        const tub = await made(`Tub ${name}`, `tub-${name}`);
        await ask('mutation($input: UpdateProductInput!) { updateProduct(input: $input) { id } }', {
            input: { id: lamp, enabled: false, translations: translations(`Lantern ${name}`, `lamp-${name}`) },
        });
        await ask('mutation($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }', {
            input: [
                {
                    productId: tub,
                    sku: `T-1-${name}`,
                    price: 1250,
                    translations: [{ languageCode: 'en', name: 'Tub' }],
                },
            ],
        });
        await ask('mutation($id: ID!) { deleteProduct(id: $id) { result } }', { id: kettle });
        const expected = await all();
        await until(
            async () => names(),
            found => JSON.stringify(found) === JSON.stringify(expected),
        );
        expect(names()).not.toContain(`Kettle ${name}`);
        const named = (of: string): JsonObject | undefined => [...held().values()].find(one => one['name'] === of);
        expect(named(`Lantern ${name}`)).toMatchObject({ enabled: false, description: `About Lantern ${name}` });
        await until(
            async () => named(`Tub ${name}`)?.['variants'],
            variants => JSON.stringify(variants ?? null).includes(`T-1-${name}`),
        );

        await shop.perform(`catalogue-to-${name}`);
        expect(names()).toEqual(await all());
        // The test of the other engine must not send its changes to a server that is closed.
        await as(shop.adminClient).disable(changes);
        await close();
    });
}

export const searchRecipeSuite: SharedSuite = { title: 'the recipe for search engines', tests: recipes };
