import type { AdapterContext } from '../../core/adapter/context';
import {
    defineExtractor,
    type ExtractContext,
    type LookedUp,
    type LookUp,
    type Page,
} from '../../core/adapter/extractor';
import { isFlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import { apiPages } from './api-pages';
import { PimClient } from './pim-client';
import { type PimArgs, pimConfig } from './pim-config';
import { type PimSeed, readPimSeed } from './pim-seeds';

const PRODUCTS = `query ($first: Int, $after: Int, $filter: String, $published: Boolean) {
    shoes: getShoeListing(first: $first, after: $after, sortBy: "id", filter: $filter, published: $published) {
        totalCount
        edges { node { id key published name @languages price @optional } }
    }
}`;

/** Products, categories and assets of a product-information system: Pimcore with its DataHub. */
export const pimGraphql = defineExtractor({
    code: 'pimGraphQL',
    category: 'APIs',
    title: 'PIM (Pimcore GraphQL)',
    summary: 'Reads products, categories and assets from Pimcore through its DataHub.',
    config: pimConfig,
    readsServer: true,
    notes: [
        'The base URL of the connection is the full address of a configuration: https://pim.example.com/pimcore-graphql-webservices/shop. Requests and redirects keep its origin; headers and authentication are those of the connection.',
        'Pages are requested by offset: $first is the page size, $after the offset. Reading ends at totalCount; a page may have fewer records than requested, because the PIM omits records that the key may not read.',
        'If a worker dies, the run continues at its page. Each new run starts at the beginning. If totalCount decreases during the reading, that number of records is read again, because others have moved to pages that were read before.',
        'Records count as missing (`missing` of loaders) only if the listing returned all records that it counts. If records are counted but not returned, or the total decreased, no record counts as missing in that run. A page that is repeated at another offset, without a change of the total, fails the run.',
        'If there are more pages than maxPages, the run fails after the last allowed page. The records of the allowed pages are loaded before the run fails, except those still held at a gate; a warning gives their number.',
        'If a response contains errors in addition to records, it is retried as set in "retry"; after that the run fails, because fields missing after such an error would be cleared in the shop.',
        'A custom query selects totalCount and edges { node { id … } }, and passes $after to its listing. It declares the variables that it uses; filter, sortBy and similar settings need theirs.',
        "A field with @languages is also selected in each language, as name__de, which the PIM's operators turn into translations. A field with @optional is left out if the schema does not have it, with a line in the log unless it is @optional(quiet: true). Both directives are removed before the query is sent.",
        'Records are nodes with the additional field _origin, the address of the PIM. Folders of assets are skipped, and so are variants among the products if objectType identifies them: they come with their products.',
        'With seedMode LOOKUP, the step looks up records {id, action} and the bodies of Pimcore\'s webhooks; drafts (versionOnly) and other events are skipped. A deleted or unpublished object becomes {id, action, __operation: "DELETE"}. A variant is looked up as its product.',
    ],
    examples: [
        {
            config: { connectionCode: 'pim', entityType: 'product', filter: '{"path": {"$like": "/Shoes/%"}}' },
            out: [],
            note: 'Reads id, key, fullpath and the published state of each product.',
        },
        {
            config: { connectionCode: 'pim', entityType: 'product', responseField: 'shoes', query: PRODUCTS },
            out: [],
            note: 'A class with another name, and its names in all languages of the channel.',
        },
    ],
    extract: pages,
    lookup,
});

/** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
async function clientOf(args: PimArgs, cx: AdapterContext): Promise<PimClient> {
    return new PimClient(args, cx, args.languages ?? (await cx.languages?.()) ?? []);
}

async function* pages(args: PimArgs, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const client = await clientOf(args, cx);
    for (;;) {
        let hasBegun = false;
        try {
            for await (const page of apiPages(client.source(), cx)) {
                hasBegun = true;
                yield page;
            }
            return;
        } catch (error) {
            if (hasBegun || !client.doesWithout(error)) throw error;
        }
    }
}

async function lookup(args: PimArgs, cx: AdapterContext): Promise<LookUp> {
    const client = await clientOf(args, cx);
    return async records => {
        const seeds = records.map(record => readPimSeed(record, args.entityType));
        const requested = seeds.flatMap(seed => (seed && !isFlowError(seed) && !seed.isGone ? [seed.id] : []));
        const found = await client.byIds([...new Set(requested)]);
        const owners = [...found.values()].flatMap(record => ownerOf(record, args) ?? []);
        const products = await client.byIds([...new Set(owners)].filter(id => !found.has(id)));
        const byId = new Map([...found, ...products]);
        return seeds.map((seed): LookedUp => {
            if (!seed) return [];
            if (isFlowError(seed)) return seed;
            const record = seed.isGone ? undefined : recordOf(seed.id, byId, args);
            return [record ?? goneOf(seed)];
        });
    };
}

function recordOf(id: string, byId: ReadonlyMap<string, JsonObject>, args: PimArgs): JsonObject | undefined {
    const record = byId.get(id);
    const owner = record && ownerOf(record, args);
    return owner === undefined ? record : byId.get(owner);
}

/** The product that a variant belongs to. */
function ownerOf({ objectType, parent }: JsonObject, { entityType }: PimArgs): string | undefined {
    if (entityType !== 'product' || objectType !== 'variant') return undefined;
    const id = isJsonObject(parent) ? parent['id'] : undefined;
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function goneOf({ id, action }: PimSeed): JsonObject {
    return { id, action, __operation: 'DELETE' };
}
