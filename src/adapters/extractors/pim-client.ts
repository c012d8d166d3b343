import { Kind } from 'graphql';
import { logEvent } from '../../core/adapter/log-event';
import type { AdapterContext } from '../../core/adapter/context';
import { compilePath } from '../../core/data/path';
import { readJsonText } from '../../core/data/json-text';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { reasonOf } from '../requests/reason';
import { malformed, type ReceivedPage } from './api-response';
import { apiRequests } from './api-fields';
import type { ApiSource, PageRequest } from './api-pages';
import type { Paging, ReadPage } from './api-paging';
import { valueAt } from './api-signs';
import { busyPim, schemaGapIn, PIM_ERRORS, readPimPage, rejectedStatus } from './pim-response';
import { filterOf, type PimArgs, queryOf, responseFieldOf, usualSort } from './pim-config';
import { type PimDocument, readPimDocument, type SchemaGap } from './pim-document';
import { sortColumns } from './pim-listing';

/** Errors may follow the records. A page of a thousand products with long texts is shorter than this. */
const WHOLE_PAGE = 16 * 1024 * 1024;

/** A client of the PIM for one step: its endpoint, its query, and the fields that the schema turned out to lack. */
export class PimClient {
    readonly document: PimDocument;
    private gap: SchemaGap = { fields: new Set(), unlocalised: new Set() };
    private readonly responseField: string;
    private readonly url: URL;
    private readonly common: ApiSource['common'];
    private readonly host: string;

    /** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
    constructor(
        private readonly args: PimArgs,
        private readonly cx: AdapterContext,
        private readonly languages: readonly string[],
    ) {
        const { connectionCode, timeoutMs, retry } = args;
        const { url, common } = apiRequests(
            { url: '', connectionCode, headers: {}, auth: undefined, retry, timeoutMs },
            cx,
        );
        this.url = url;
        this.host = url.host;
        this.common = {
            ...common,
            headers: { accept: 'application/json', ...common.headers },
            expected: PIM_ERRORS,
            busyIn: busyPim,
            reasonIn: reasonOf,
        };
        this.responseField = responseFieldOf(args);
        const document = readPimDocument(queryOf(args), this.responseField);
        if ('problem' in document) throw flowError('BUG', { problem: `the query of the PIM ${document.problem}` });
        this.document = document;
    }

    /** The listing, page by page. */
    source(): ApiSource {
        const { responseField, common } = this;
        return {
            paging: this.paging(),
            reading: {
                format: 'JSON',
                dataPath: `data.${responseField}.edges`,
                mayBeOne: false,
                hear: (around, answer) => void readPimPage(around, responseField, answer),
                refusal: rejectedStatus,
            },
            common,
            wholeUpTo: WHOLE_PAGE,
            request: ({ at = 0 }, first) => this.request({ first, after: at }, this.args.filter),
            recordOf: edge => this.recordOf(edge),
        };
    }

    /** Objects by their ids. Objects that the filter or their state excludes are missing from the result. */
    async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
        const found = new Map<string, JsonObject>();
        for (let from = 0; from < ids.length; from += this.args.first) {
            const some = ids.slice(from, from + this.args.first);
            for (const record of await this.read(some)) found.set(String(record['id']), record);
        }
        return found;
    }

    /** Omits fields that the schema lacks, if they are optional; returns false if that changes nothing. */
    doesWithout(error: unknown): boolean {
        const gap = isFlowError(error) ? schemaGapIn(error, this.gap, this.document.optional) : undefined;
        if (!gap) return false;
        const { quiet } = this.document;
        const missing = [...gap.fields].filter(field => !this.gap.fields.has(field) && !quiet.has(field));
        if (missing.length > 0)
            logEvent(this.cx.log, 'PIM_FIELDS_MISSING', { fields: missing.map(field => `"${field}"`) });
        this.gap = gap;
        return true;
    }

    private async read(ids: readonly string[]): Promise<readonly JsonObject[]> {
        const desired: JsonObject = { $or: ids.map(id => ({ id })) };
        const own = filterOf(this.args.filter);
        const filter = JSON.stringify(own ? { $and: [own, desired] } : desired);
        for (;;) {
            try {
                return await this.requested(this.request({ first: ids.length, after: 0 }, filter));
            } catch (error) {
                if (!this.doesWithout(error)) throw error;
            }
        }
    }

    private async requested(request: PageRequest): Promise<readonly JsonObject[]> {
        const { cx, common, host, responseField } = this;
        const response = await cx.outbound.http.send({ ...common, ...request, isRepeatable: true, signal: cx.signal });
        const { status, headers, body } = response;
        const stream = { status, headers, whole: body, body: emptyBody, close: () => undefined };
        const answer: ReceivedPage = { stream, host, page: 1, skip: 0 };
        if (status >= 400) throw rejectedStatus(answer);
        const read = readJsonText(body.toString('utf8'));
        if ('problem' in read) throw malformed(answer, read.problem);
        readPimPage(read.value, responseField, answer);
        const edges = valueAt(this.edges, read.value);
        return (Array.isArray(edges) ? (edges as readonly JsonValue[]) : []).flatMap(edge => {
            const record = isJsonObject(edge) ? this.nodeOf(edge) : undefined;
            return record === undefined || typeof record === 'string' ? [] : [record];
        });
    }

    private get edges() {
        return compilePath(`data.${this.responseField}.edges`);
    }

    private request(
        at: { readonly first: number; readonly after: number | string },
        filter: string | undefined,
    ): PageRequest {
        const {
            entityType,
            sortBy = usualSort(entityType),
            sortOrder,
            includeUnpublished,
            defaultLanguage,
        } = this.args;
        const columns = sortColumns(sortBy, entityType);
        const known: Readonly<Record<string, JsonValue | undefined>> = {
            ...at,
            sortBy: columns,
            sortOrder: columns.map(() => sortOrder),
            filter,
            published: !includeUnpublished,
            defaultLanguage,
        };
        const { variables: declared } = this.document;
        const variables = Object.fromEntries(
            [...declared].flatMap(([name, type]) => {
                const value = known[name];
                const isOne = type.kind === Kind.NAMED_TYPE && Array.isArray(value) && value.length === 1;
                return value === undefined ? [] : [[name, isOne ? (value[0] as JsonValue) : value]];
            }),
        );
        const query = this.document.text(this.languages, this.gap);
        return { url: this.url.href, method: 'POST', body: JSON.stringify({ query, variables }) };
    }

    private paging(): Paging {
        const { first, maxPages } = this.args;
        const total = compilePath(`data.${this.responseField}.totalCount`);
        const after = ({ place }: ReadPage): number => Number(place.at ?? 0) + (place.limit ?? first);
        // Records that were deleted since the previous page have moved others to positions that were already read.
        const gone = ({ place: { total: known } }: ReadPage, count: number): number =>
            known === undefined ? 0 : Math.max(0, known - count);
        return {
            by: 'places',
            maxPages,
            limit: first,
            total: { path: total, field: 'totalCount' },
            remedy: 'it does not heed the argument after',
            more: (page, count) => after(page) < count || gone(page, count) > 0,
            // The offset grows by the requested number, because the PIM omits objects that the key may not see, without
            // reporting it.
            next: page => {
                const moved = gone(page, Number(valueAt(total, page.around)));
                return moved === 0 ? after(page) : Math.max(0, Number(page.place.at ?? 0) - moved);
            },
        };
    }

    private recordOf(edge: JsonObject): JsonObject | string | undefined {
        const record = this.nodeOf(edge);
        // The listing returns variants in addition to the products that contain them.
        const isVariant = typeof record === 'object' && record['objectType'] === 'variant';
        return isVariant && this.args.entityType === 'product' ? undefined : record;
    }

    private nodeOf({ node }: JsonObject): JsonObject | string | undefined {
        if (!isJsonObject(node)) return 'is an edge without a node';
        const { id } = node;
        const isNamed = (typeof id === 'string' && id !== '') || typeof id === 'number';
        // Folders are listed among the assets, but are not assets.
        if (!isNamed) return this.args.entityType === 'asset' ? undefined : 'is a node without an id';
        return { ...node, _origin: this.url.origin };
    }
}

/** The body of a response that was held whole, which is not read. */
const emptyBody: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};
