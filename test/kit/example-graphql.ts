import { buildSchema, graphql } from 'graphql';
import type { JsonObject } from '../../src/core/value/json';

/** The lists of a GraphQL API: by offset, by cursor and as Relay connections. */
export const GRAPHQL_SCHEMA = buildSchema(`
    type Product { sku: String!, name: String, n: Int, text: String, broken: String }
    type ProductList { items: [Product]!, totalItems: Int!, next: String }
    type Customer { email: String! }
    type CustomerEdge { node: Customer, cursor: String! }
    type PageInfo { hasNextPage: Boolean!, endCursor: String }
    type CustomerConnection { edges: [CustomerEdge]!, nodes: [Customer]!, pageInfo: PageInfo! }
    input ListOptions { skip: Int, take: Int }
    type Query {
        products(options: ListOptions, updatedSince: String): ProductList!
        feed(after: String, take: Int): ProductList!
        customers(first: Int!, after: String): CustomerConnection!
        product(sku: String!): Product
        nothing: Product
    }
    type Mutation { bump: Int }
`);

export interface GraphqlShop {
    readonly products: readonly JsonObject[];
    readonly customers: readonly JsonObject[];
}

interface Paged {
    readonly options?: { readonly skip?: number; readonly take?: number };
    readonly first?: number;
    readonly after?: string;
    readonly take?: number;
    readonly sku?: string;
}

/** The answer of such an API to the body of a request. */
export async function answerGraphql(body: string, { products, customers }: GraphqlShop): Promise<JsonObject> {
    const { query, variables, operationName } = JSON.parse(body) as {
        readonly query: string;
        readonly variables?: Record<string, unknown>;
        readonly operationName?: string;
    };
    const withBroken = (record: JsonObject) => ({
        ...record,
        broken: () => {
            throw new Error(`no ${String(record['sku'])} today`);
        },
    });
    const rootValue = {
        products: ({ options: { skip = 0, take = 10 } = {} }: Paged) => ({
            items: products.slice(skip, skip + take).map(withBroken),
            totalItems: products.length,
        }),
        feed: ({ after, take = 10 }: Paged) => {
            const from = products.findIndex(({ sku }) => sku === after) + 1;
            const items = products.slice(from, from + take);
            const next = from + take < products.length ? items.at(-1)!['sku'] : null;
            return { items: items.map(withBroken), totalItems: products.length, next };
        },
        customers: ({ first = 10, after }: Paged) => {
            const from = after === undefined || after === null ? 0 : Number(after);
            const nodes = customers.slice(from, from + first);
            return {
                nodes,
                edges: nodes.map((node, i) => ({ node, cursor: String(from + i + 1) })),
                pageInfo: {
                    hasNextPage: from + first < customers.length,
                    endCursor: nodes.length > 0 ? String(from + nodes.length) : null,
                },
            };
        },
        product: ({ sku }: Paged) => products.find(one => one['sku'] === sku) ?? null,
        nothing: () => {
            throw new Error('nothing is there');
        },
    };
    const result = await graphql({
        schema: GRAPHQL_SCHEMA,
        source: query,
        rootValue,
        variableValues: variables,
        operationName,
    });
    return JSON.parse(JSON.stringify(result)) as JsonObject;
}
