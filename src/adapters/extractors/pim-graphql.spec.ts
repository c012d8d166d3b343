import { ApiReader, type ApiRead } from '../../../test/kit/api-reader';
import type { ApiServer, PlayedAnswer } from '../../../test/kit/api-plays';
import { naming } from '../../../test/kit/naming';
import { PimCatalogue } from '../../../test/kit/pim/catalogue';
import { PIM_KEY, PimServer } from '../../../test/kit/pim/server';
import type { PimConfiguration } from '../../../test/kit/pim/schema';
import { isFlowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { extractContext } from '../../testing/bare-extract';
import { noResources } from '../../core/adapter/no-resources';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import { pimGraphql } from './pim-graphql';

const SIZE = { products: 250, variantsEvery: 10, categories: 60, assets: 30 };
const api = new ApiReader(pimGraphql);
const closing: PimServer[] = [];
afterEach(async () => {
    for (const server of closing.splice(0)) await server.close();
});

async function pimWith(configuration?: PimConfiguration): Promise<PimServer> {
    const server = await new PimServer(new PimCatalogue(SIZE), configuration).listen();
    closing.push(server);
    return server;
}

const settings = (baseUrl: string): JsonObject => ({
    baseUrl,
    auth: { type: 'API_KEY', headerName: 'apikey', secretCode: 'pim-key' },
});
const read = (
    server: Pick<PimServer, 'endpoint'>,
    config: JsonObject = {},
    part: Record<string, unknown> = {},
): Promise<ApiRead> =>
    api.read({ url: '' } as ApiServer, {
        config: { connectionCode: 'pim', entityType: 'product', ...config },
        connection: { type: 'GRAPHQL', settings: settings(server.endpoint) },
        secrets: { 'pim-key': PIM_KEY },
        part,
    });
const ids = ({ records }: ApiRead) => records.map(({ id }) => Number(id));
const productIds = (server: PimServer) => [...server.catalogue.products.keys()];

describe('the PIM', () => {
    it('is read in pages, each product once, variants with their products', async () => {
        const server = await pimWith();
        const answer = await read(server, { first: 70 });
        expect(answer.error).toBeUndefined();
        expect(ids(answer)).toEqual(productIds(server));
        // Variants are rows of the listing as well.
        expect(server.asked.map(({ first, after }) => [first, after])).toEqual(
            [0, 70, 140, 210, 280].map(at => [70, at]),
        );
        expect(server.asked[0]).toMatchObject({ sortBy: ['id'], sortOrder: ['ASC'], published: true });
    });

    it('sorts categories by path and key, since it has no column fullpath', async () => {
        const server = await pimWith();
        const { records } = await read(server, { entityType: 'category' });
        const paths = records.map(({ fullpath }) => String(fullpath));
        for (const [at, path] of paths.entries()) {
            const above = path.slice(0, path.lastIndexOf('/'));
            if (paths.includes(above)) expect(paths.indexOf(above)).toBeLessThan(at);
        }
        expect(server.asked[0]).toMatchObject({ sortBy: ['path', 'key'], sortOrder: ['ASC', 'ASC'] });
    });

    it('has folders among its assets, which are skipped', async () => {
        const server = await pimWith();
        const answer = await read(server, { entityType: 'asset' });
        expect(answer.records).toHaveLength(30);
        expect(answer.records[0]).toMatchObject({ mimetype: 'image/png', _origin: new URL(server.endpoint).origin });
    });

    it('omits records that the key may not see from its pages, and is read to its end nevertheless', async () => {
        const server = await pimWith();
        for (let id = 50; id < 125; id++) server.listings.hidden.add(id);
        const answer = await read(server, { first: 25 });
        expect(answer.error).toBeUndefined();
        expect(ids(answer)).toEqual(productIds(server).filter(id => id < 50 || id > 124));
    });

    const parts = ({ pages }: ApiRead): readonly unknown[] => pages.flatMap(({ isPart }) => isPart ?? []);
    /** The same is reported to a worker that takes over after the last page. */
    const takenOver = (server: PimServer, { pages }: ApiRead, config: JsonObject): Promise<ApiRead> =>
        read(server, config, { resumeFrom: JSON.parse(JSON.stringify(pages.at(-1)!.checkpoint)) as JsonValue });

    it('is read partially if it has not returned all that it counts, so that nothing is taken to be missing', async () => {
        const server = await pimWith();
        expect(parts(await read(server, { first: 25 }))).toEqual([]);
        for (const id of [50, 249, 250]) server.listings.hidden.add(id);
        const answer = await read(server, { first: 25 });
        const told = [expect.stringMatching(naming(3, 300))];
        expect(parts(answer)).toEqual(told);
        expect(parts(await takenOver(server, answer, { first: 25 }))).toEqual(told);
        for (const id of productIds(server)) server.listings.hidden.add(id);
        for (const { variants } of server.catalogue.products.values())
            for (const { id } of variants) server.listings.hidden.add(id);
        expect(parts(await read(server))).toEqual([expect.stringMatching(/\b300\b\D+\b300\b/)]);
    });

    it('is reported if its total decreases while it is read', async () => {
        const server = await pimWith();
        server.disturb = async (_request, answer) => {
            if (server.asked.length < 4) return undefined;
            await answer();
            return { body: { data: { getProductListing: { totalCount: 0, edges: [] } } } };
        };
        const answer = await read(server, { first: 50 });
        expect(answer.error).toBeUndefined();
        const told = ['counted 300 records while it was read, and 0 in the end'];
        expect(parts(answer)).toEqual(told);
        expect(parts(await takenOver(server, answer, { first: 50 }))).toEqual(told);
    });

    it.each([
        ['the first page', 0],
        ['the page before', 50],
    ])('fails if %s is repeated again and again', async (_, at) => {
        const server = await pimWith();
        server.disturb = async ({ body }, answer) => {
            const { query, variables } = JSON.parse(body) as { query: string; variables: { after: number } };
            if (variables.after <= at) return undefined;
            void answer;
            const again = JSON.stringify({ query, variables: { ...variables, after: at } });
            return server.answer({
                method: 'POST',
                url: new URL(server.endpoint),
                headers: {},
                body: again,
                number: 0,
            });
        };
        server.key = undefined;
        const { error, records } = await read(server, { first: 50 });
        expect(error?.code).toBe('PAGES_ENDLESS');
        expect(error?.message).toMatch(naming('argument', 'after', 50));
        expect(records.length).toBeLessThanOrEqual(150);
    });

    it('returns unpublished ones if requested', async () => {
        const server = await pimWith();
        server.catalogue.products.get(7)!.isPublished = false;
        expect(ids(await read(server))).not.toContain(7);
        expect(ids(await read(server, { includeUnpublished: true }))).toContain(7);
    });

    it('filters by a JSON text', async () => {
        const server = await pimWith();
        const filter = JSON.stringify({ path: { $like: '/Products/3/%' } });
        const read3 = ids(await read(server, { filter }));
        expect(read3).toEqual(productIds(server).filter(id => id % 7 === 3));
    });

    it('fails after the last allowed page, whose records are loaded before', async () => {
        const server = await pimWith();
        const { records, error } = await read(server, { first: 50, maxPages: 2 });
        expect(error?.code).toBe('PAGE_LIMIT');
        expect(error?.message).toContain('maxPages');
        expect(records).toHaveLength(100);
        // The total shows that there is more, so no further page is requested.
        expect(server.asked).toHaveLength(2);
        expect((await read(server, { first: 100, maxPages: 3 })).error).toBeUndefined();
    });

    it('loses products while it is read, and none of the others is missed', async () => {
        const server = await pimWith();
        const left = new Set(productIds(server));
        server.disturb = () => {
            // Records that were already read are deleted, so all later ones move up.
            const gone = server.asked.length === 2 ? [1, 2, 3, 60] : server.asked.length === 4 ? [61, 100] : [];
            for (const id of gone) server.catalogue.products.delete(id);
            for (const id of gone) left.delete(id);
            return undefined;
        };
        const answer = await read(server, { first: 50 });
        expect(answer.error).toBeUndefined();
        const found = [...new Set(ids(answer))].filter(id => left.has(id));
        expect(found.sort((a, b) => a - b)).toEqual([...left]);
    });

    it('resumes at its page when a worker has died, and does not read finished pages again', async () => {
        const server = await pimWith();
        const { pages } = await read(server, { first: 50 });
        let before = 0;
        for (const { checkpoint, records } of pages.slice(0, 3)) {
            before += records.length;
            const resumeFrom = JSON.parse(JSON.stringify(checkpoint)) as JsonValue;
            expect(ids(await read(server, { first: 50 }, { resumeFrom }))).toEqual(productIds(server).slice(before));
        }
        const resumeFrom = pages.at(-1)!.checkpoint;
        expect((await read(server, { first: 50 }, { resumeFrom })).records).toEqual([]);
    });

    it('gets requests for no more than a preview shows', async () => {
        const server = await pimWith();
        expect(ids(await read(server, {}, { limit: 3, mode: 'preview' }))).toEqual([1, 2, 3]);
        expect(server.asked).toHaveLength(1);
    });

    const partly = async (answer: () => Promise<object>): Promise<PlayedAnswer> => {
        const body = (await answer()) as { data: Record<string, { edges: Array<{ node: { published: null } }> }> };
        Object.values(body.data)[0]!.edges[0]!.node.published = null;
        return { body: { ...body, errors: [{ message: 'Internal server error', path: ['published'] }] } };
    };
    const issues: ReadonlyArray<
        readonly [string, (answer: () => Promise<object>) => PlayedAnswer | Promise<PlayedAnswer>]
    > = [
        ['429', () => ({ status: 429, headers: { 'retry-after': '0' } })],
        ['500', () => ({ status: 500 })],
        ['errors in addition to its records', partly],
        [
            'an error that it keeps to itself',
            () => ({ body: { errors: [{ message: 'Internal server error' }], data: { getProductListing: null } } }),
        ],
        ['half an answer', async answer => ({ body: await answer(), isCut: true })],
    ];
    it.each(issues)('responds with %s to each page once, and is read nevertheless', async (_, issue) => {
        const server = await pimWith();
        let number = 0;
        server.disturb = (_request, answer) => (number++ % 2 === 0 ? issue(answer) : undefined);
        const answer = await read(server, { first: 60 });
        expect(answer.error).toBeUndefined();
        expect(ids(answer)).toEqual(productIds(server));
        expect(answer.records.every(({ published }) => published === true)).toBe(true);
    });

    it('is checked page by page, whatever the size of a page', async () => {
        const server = await pimWith();
        for (const product of server.catalogue.products.values()) product.description = { en: 'x'.repeat(20_000) };
        let number = 0;
        server.disturb = (_request, answer) => (number++ % 2 === 0 ? partly(answer) : undefined);
        const query = `query ($first: Int, $after: Int) { getProductListing(first: $first, after: $after, sortBy: "id") { totalCount edges { node { id objectType published description } } } }`;
        const answer = await read(server, { query, first: 100 });
        expect(ids(answer)).toEqual(productIds(server));
        expect(answer.records.every(({ published }) => published === true)).toBe(true);
    });

    it('is not read if errors remain in addition to its records', async () => {
        const server = await pimWith();
        server.disturb = (_request, answer) => partly(answer);
        const { error, records } = await read(server);
        expect([error?.code, records]).toEqual(['REMOTE_BUSY', []]);
        expect(error?.message).toContain('Internal server error');
    });

    const QUERY = (fields: string) =>
        `query ($first: Int, $after: Int, $published: Boolean) { all: getProductListing(first: $first, after: $after, sortBy: "id", published: $published) { totalCount edges { node { id ${fields} } } } }`;
    const own = (fields: string): JsonObject => ({ query: QUERY(fields), responseField: 'all' });

    const rejections: ReadonlyArray<readonly [string, (server: PimServer) => void, JsonObject, readonly string[]]> = [
        ['an inactive configuration', server => (server.isActive = false), {}, ['404', 'no active configuration']],
        [
            'a class that is not there',
            server => server.configure({ productClass: 'Shoe' }),
            {},
            ['getProductListing', 'add it to the query schema'],
        ],
        [
            'a system column that was not chosen',
            server => server.configure({ columns: ['key'] }),
            {},
            ['system column "fullpath"', 'system column "published"'],
        ],
        ['a rejected key', server => (server.key = 'another'), {}, ['403', 'not one of the configuration']],
        [
            'a field that was not chosen',
            server => server.configure({ without: ['price'] }),
            own('sku price'),
            ['Add the field "price"'],
        ],
        [
            'a sort column that it does not have',
            () => undefined,
            { sortBy: 'colour' },
            ['Internal server error', 'cannot sort'],
        ],
    ];
    it.each(rejections)('explains what to do about %s', async (_, arrange, config, words) => {
        const server = await pimWith();
        arrange(server);
        const { error } = await read(server, config);
        for (const word of words) expect(error?.message).toContain(word);
    });

    it('gets a custom query, with fields in every language', async () => {
        const server = await pimWith();
        const { records } = await read(server, { ...own('sku name @languages'), languages: ['de', 'fr'] });
        expect(records[0]).toMatchObject({
            sku: 'PIM-1',
            name: 'pim product 1 en',
            name__de: 'pim product 1 de',
            name__fr: 'pim product 1 fr',
        });
    });

    it('is read without the fields that it does not have, if they are optional', async () => {
        const server = await pimWith({ without: ['price'] });
        const config = own(
            'sku @languages objectType price @optional itemNumber @optional(quiet: true) children { ... on object_Product { price @optional } }',
        );
        const answer = await read(server, { ...config, languages: ['de'] });
        expect(answer.error).toBeUndefined();
        expect(ids(answer)).toEqual(productIds(server));
        expect(answer.records[0]).not.toHaveProperty('sku__de');
        expect(answer.log.join()).toContain('"price"');
        expect(answer.log.join()).not.toContain('"itemNumber"');
    });

    it('keeps redirects at its origin', async () => {
        const other = await pimWith();
        const server = await pimWith();
        server.disturb = () => ({ status: 307, headers: { location: other.endpoint } });
        expect((await read(server)).error).toMatchObject({ code: 'OUTBOUND_ORIGIN' });
        expect(other.asked).toEqual([]);
    });
});

describe('a configuration of pimGraphQL', () => {
    const VARIABLES = '$first: Int, $after: Int';
    const query = (variables: string, listing: string): JsonObject => ({
        query: `query (${variables}) { getProductListing(first: $first, after: $after) { ${listing} } }`,
    });
    const NODE = 'totalCount edges { node { id } }';
    const rejected: ReadonlyArray<readonly [JsonObject, string]> = [
        [{ entityType: 'shoe' }, 'entityType'],
        [{ first: 0 }, 'first'],
        [{ first: 1_001 }, 'first'],
        [{ maxPages: 10_001 }, 'maxPages'],
        [{ sortBy: 'id; DROP' }, 'sortBy'],
        [{ sortOrder: 'UP' }, 'sortOrder'],
        [{ filter: '[]' }, 'filter'],
        [{ filter: '{"a"' }, 'filter'],
        [{ query: 'mutation { a }' }, 'query'],
        [query(VARIABLES, 'edges { node { id } }'), 'query'],
        [query(VARIABLES, 'totalCount edges { node { key } }'), 'query'],
        [query('$first: Int', NODE), 'query'],
        [query(`${VARIABLES}, $shop: String`, NODE), 'query'],
        [query('$first: String, $after: Int', NODE), 'query'],
        [{ ...query(VARIABLES, NODE), responseField: 'shoes' }, 'query'],
        [{ ...query(VARIABLES, NODE), filter: '{}' }, 'filter'],
        [{ ...query(VARIABLES, NODE), includeUnpublished: true }, 'includeUnpublished'],
        [{ ...query(VARIABLES, NODE), sortBy: 'key' }, 'sortBy'],
        [{ ...query(VARIABLES, NODE), seedMode: 'LOOKUP' }, 'seedMode'],
    ];
    it.each(rejected)('is rejected as %j', (given, field) => {
        const parsed = parseWith(pimGraphql.config, { connectionCode: 'pim', entityType: 'product', ...given });
        expect(parsed.ok ? [] : parsed.issues.map(({ path }) => path)).toContain(field);
    });

    it('may have fragments', () => {
        const given = {
            query: `query (${VARIABLES}) { getProductListing(first: $first, after: $after) { ...page } } fragment page on c { totalCount edges { node { ... on a { id } } } }`,
        };
        expect(parseWith(pimGraphql.config, { connectionCode: 'pim', entityType: 'product', ...given })).toMatchObject({
            ok: true,
        });
    });
});

describe('records that pimGraphQL receives with LOOKUP', () => {
    const PRODUCT = `query ($first: Int, $after: Int, $filter: String, $published: Boolean) {
        getProductListing(first: $first, after: $after, filter: $filter, published: $published) {
            totalCount edges { node { id key objectType parent { ... on object_Product { id } } } } } }`;
    async function looked(server: PimServer, records: readonly JsonObject[], config: JsonObject = {}) {
        const parsed = parseWith(pimGraphql.config, {
            connectionCode: 'pim',
            entityType: 'product',
            seedMode: 'LOOKUP',
            query: PRODUCT,
            ...config,
        });
        if (!parsed.ok) throw new Error(parsed.issues[0]!.message);
        const cx = extractContext({
            ...noResources,
            outbound: api.door(),
            secrets: { get: code => new Secret(code, PIM_KEY, EVERY_HOST) },
            connections: { get: code => ({ code, type: 'GRAPHQL', settings: settings(server.endpoint) }) },
        });
        const lookUp = await pimGraphql.lookup!(parsed.value, cx);
        return (await lookUp(records)).map(found =>
            isFlowError(found)
                ? found.message
                : found.map(({ id, __operation }) => (__operation ? `${__operation} ${String(id)}` : String(id))),
        );
    }
    const event = (eventName: string, id: number, more: JsonObject = {}): JsonObject => ({
        general: { eventName, subjectType: 'object', timestamp: 1, versionOnly: false, ...more },
        subject: { id },
    });

    it('is read as it is now', async () => {
        const server = await pimWith();
        server.catalogue.products.get(4)!.isPublished = false;
        const variant = server.catalogue.products.get(10)!.variants[0]!;
        expect(
            await looked(server, [
                { id: 3, action: 'update' },
                { id: 3, action: 'publish' },
                { id: 4, action: 'update' },
                { id: 5, action: 'delete' },
                { id: 6, action: 'UNPUBLISH' },
                { id: 9_999, action: 'create' },
                { id: variant.id, action: 'update' },
                event('pimcore.dataobject.postUpdate', 8),
                event('pimcore.dataobject.postDelete', 8),
                event('pimcore.dataobject.postUpdate', 8, { versionOnly: true }),
                event('pimcore.asset.postUpdate', 8),
            ]),
        ).toEqual([
            ['3'],
            ['3'],
            ['DELETE 4'],
            ['DELETE 5'],
            ['DELETE 6'],
            ['DELETE 9999'],
            ['10'],
            ['8'],
            ['DELETE 8'],
            [],
            [],
        ]);
    });

    it('may name an unpublished one if those are read', async () => {
        const server = await pimWith();
        server.catalogue.products.get(4)!.isPublished = false;
        expect(await looked(server, [{ id: 4, action: 'update' }], { includeUnpublished: true })).toEqual([['4']]);
    });

    it('is within the filter, or deleted', async () => {
        const server = await pimWith();
        const filter = JSON.stringify({ path: { $like: '/Products/3/%' } });
        expect(
            await looked(
                server,
                [
                    { id: 3, action: 'update' },
                    { id: 4, action: 'update' },
                ],
                { filter },
            ),
        ).toEqual([['3'], ['DELETE 4']]);
    });

    const wrong: ReadonlyArray<readonly [JsonObject, string]> = [
        [{ id: 0, action: 'update' }, 'id'],
        [{ id: '1 OR 1', action: 'update' }, 'id'],
        [{ action: 'update' }, 'id'],
        [{ id: 5 }, 'action'],
        [{ id: 5, action: 7 }, 'action'],
        [{ general: 'x' }, 'general'],
        [{ general: {} }, 'general.eventName'],
        [{ general: { eventName: 'pimcore.dataobject.postAdd' } }, 'subject'],
        [{ general: { eventName: 'pimcore.dataobject.postAdd' }, subject: { id: 'x' } }, 'subject.id'],
    ];
    it.each(wrong)('is rejected as %j', async (record, field) => {
        expect(String(await looked(await pimWith(), [record]))).toContain(`Field "${field}"`);
    });
});
