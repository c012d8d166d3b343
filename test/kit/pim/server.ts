import { createHash } from 'node:crypto';
import { type DocumentNode, execute, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { ApiServer, type PlayedAnswer, type PlayedRequest } from '../api-plays';
import { pictureOfText } from '../pictures-outbound';
import { fullpathOf, type PimCatalogue } from './catalogue';
import { type ListingArguments, PimListings } from './listings';
import { type PimConfiguration, pimSchema } from './schema';

/** The path of its endpoint. */
export const PIM_PATH = '/pimcore-graphql-webservices/shop';

/** The API key that it accepts. */
export const PIM_KEY = 'pim-key';

/** Replaces the answer of the PIM to a request; undefined keeps it. */
export type Disturbance = (
    request: PlayedRequest,
    answer: () => Promise<object>,
) => Promise<PlayedAnswer | undefined> | PlayedAnswer | undefined;

/** A PIM on this machine: the DataHub endpoint `/pimcore-graphql-webservices/shop`, and the files of its assets. */
export class PimServer {
    /** The requested listings, in order. */
    readonly asked: ListingArguments[] = [];
    readonly fetched: string[] = [];
    disturb: Disturbance = () => undefined;
    isActive = true;
    /** If undefined, everyone has access. */
    key: string | undefined = PIM_KEY;
    readonly listings: PimListings;
    private schema: GraphQLSchema;
    private readonly documents = new Map<string, DocumentNode | readonly GraphQLError[]>();
    private readonly server: ApiServer;
    private productListing: string;

    constructor(
        readonly catalogue: PimCatalogue,
        configuration: PimConfiguration = {},
    ) {
        this.listings = new PimListings(catalogue);
        this.schema = pimSchema(configuration);
        this.productListing = `get${configuration.productClass ?? 'Product'}Listing`;
        this.server = new ApiServer(request => {
            // A benchmark sends more requests than should be kept.
            this.server.seen.length = 0;
            return this.answer(request);
        });
    }

    configure(configuration: PimConfiguration): void {
        this.schema = pimSchema(configuration);
        this.productListing = `get${configuration.productClass ?? 'Product'}Listing`;
        this.documents.clear();
    }

    async listen(): Promise<this> {
        await this.server.listen();
        return this;
    }

    /** The base URL for a saved connection. */
    get endpoint(): string {
        return this.server.url + PIM_PATH;
    }

    close(): Promise<void> {
        return this.server.close();
    }

    /** Its answer, for a test server that plays it. */
    async answer(request: PlayedRequest): Promise<PlayedAnswer> {
        const { method, url, headers } = request;
        if (method === 'GET') return this.file(decodeURIComponent(url.pathname), headers['if-none-match']);
        if (url.pathname !== PIM_PATH || !this.isActive) return { status: 404, body: '<h1>Not found</h1>' };
        if (this.key !== undefined && headers['apikey'] !== this.key && headers['x-api-key'] !== this.key)
            return { status: 403, body: 'permission denied' };
        const whole = (): Promise<object> => this.graphql(request.body);
        return (await this.disturb(request, whole)) ?? { body: await whole() };
    }

    private file(path: string, known: string | string[] | undefined): PlayedAnswer {
        const asset = [...this.catalogue.assets.values()].find(one => fullpathOf(one) === path);
        if (!asset || asset.isFolder) return { status: 404, body: 'no such file' };
        const body = pictureOfText(asset.content);
        const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
        if (known === etag) return { status: 304, headers: { etag }, body: '' };
        this.fetched.push(path);
        return { headers: { 'content-type': asset.mimetype, etag }, body };
    }

    private async graphql(body: string): Promise<object> {
        const { query, variables } = JSON.parse(body) as {
            readonly query: string;
            readonly variables?: Record<string, unknown>;
        };
        const document = this.document(query);
        if (!('kind' in document)) return { errors: document.map(({ message }) => ({ message })) };
        const listings = this.listings;
        const noted = (list: (args: ListingArguments) => object) => (args: ListingArguments) => {
            this.asked.push(args);
            return list.call(listings, args);
        };
        const answer = await execute({
            schema: this.schema,
            document,
            variableValues: variables,
            rootValue: {
                [this.productListing]: noted(listings.products),
                getCategoryListing: noted(listings.categories),
                getAssetListing: noted(listings.assets),
            },
            typeResolver: value => {
                const { __typename } = value as { readonly __typename: string };
                return __typename === 'product'
                    ? this.productListing.replace(/^get(\w+)Listing$/, 'object_$1')
                    : __typename;
            },
        });
        const { errors, data } = answer;
        return errors ? { errors: errors.map(({ message }) => ({ message })), data } : { data };
    }

    private document(query: string): DocumentNode | readonly GraphQLError[] {
        let known = this.documents.get(query);
        if (!known) {
            try {
                const parsed = parse(query);
                const issues = validate(this.schema, parsed);
                known = issues.length > 0 ? issues : parsed;
            } catch (error) {
                known = [error as GraphQLError];
            }
            this.documents.set(query, known);
        }
        return known;
    }
}
