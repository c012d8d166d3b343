import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import type { AdapterContext } from '../../core/adapter/context';
import { type DeliveryPart, deliveredSequentially } from '../../core/adapter/delivery-part';
import { type Change, defineRemoteLoader, type Outcome, type RemoteSession } from '../../core/adapter/loader';
import { adviseBraces } from '../../core/adapter/placeholder-advice';
import { withoutEffect } from '../../core/adapter/base';
import { compilePath, type Path } from '../../core/data/path';
import type { Batch, FlowRecord } from '../../core/data/record';
import { recordInvalid } from '../../core/errors/record-invalid';
import { path, wholeNumber, withRules } from '../../core/schema/fields';
import type { JsonObject } from '../../core/value/json';
import { MAX_URL } from '../../io/outbound/policy';
import { encodedForUrl, hasDotSegment } from '../requests/endpoint';
import { compilePlaceholders, type Fill, hasPlaceholders, isAbsent, placeholderPaths } from '../requests/placeholders';
import { adviseUrl } from '../requests/url-advice';
import { type DeliveryResponse, DeliveryClient, keyOf } from './delivery-client';
import { checkDelivery, deliveryFields, deliverySecretUses, endpointField } from './delivery-fields';
import { DeliveredRecords } from './delivery-record';
import { isAcceptedResponse, rejectionOf } from './delivery-rejection';
import { Results, resultsField } from './rest-results';

const config = withRules(
    z.strictObject({
        endpoint: endpointField(
            'The address that receives the records, relative to the base URL of the connection or with the same origin. `{{path}}` is replaced by a value of the record; it is only allowed after the host and if records are sent one by one. Default: the base URL itself.',
        ),
        method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).default('POST').meta({
            title: 'Method',
            description: 'The HTTP method. DELETE sends no body.',
        }),
        batchSize: wholeNumber(
            { min: 1, max: 10_000 },
            {
                title: 'Records a request',
                description:
                    'Sends lists of at most this number of records. Default: each record is sent separately, as an object.',
            },
        ).optional(),
        listField: path('List field', 'The path of the list in the body. Default: the body is the list.').optional(),
        results: resultsField,
        deliveryIdField: path(
            'Delivery id field',
            'The field for an id that is added to each record and stays the same whenever this run delivers the record.',
        ).optional(),
        ...deliveryFields,
    }),
    (args, issue) => {
        const { endpoint, method, batchSize, deliveryIdField } = args;
        checkDelivery(args, issue);
        const isOfRecord = typeof endpoint === 'string' && hasPlaceholders(endpoint);
        if (batchSize === undefined) {
            for (const name of ['listField', 'results'] as const)
                if (args[name] !== undefined)
                    issue(name, clause`needs batchSize; records that go one by one are answered one by one`);
        } else if (isOfRecord)
            issue('endpoint', clause`has a {{…}} in it, which needs records that go one by one; leave batchSize out`);
        if (method !== 'DELETE') return;
        if (!isOfRecord)
            issue('endpoint', clause`has no {{…}} in it; a DELETE says by its address alone which record it is about`);
        if (batchSize !== undefined) issue('batchSize', clause`cannot be combined with method DELETE`);
        if (deliveryIdField !== undefined)
            issue('deliveryIdField', clause`cannot be combined with method DELETE, which sends no record`);
    },
);
type Args = z.output<typeof config>;

const ENDPOINT = 'https://erp.example.com/products';

/** Delivers records to an HTTP API. */
export const restPost = defineRemoteLoader({
    code: 'restPost',
    category: 'Other systems',
    title: 'REST API',
    summary: 'Sends records to an HTTP API as JSON.',
    config,
    notes: [
        'Records are delivered at least once. If a worker dies between a response and storing its result, they are sent again with the same idempotency key and delivery id. Delivered records are not sent again.',
        'A 4xx response rejects the record with the reason in the response. 408, 429, 5xx, timeouts and lost connections do not reject records: the request is retried, after the time in Retry-After. 401, 403, 405, 406, 411, 415 and similar, and 404 and 410 if all records have the same address, fail the run, because every record would fail in the same way.',
        'A list that is rejected as a whole is sent again in halves until the records that cause the rejection are found.',
        'Records with `__operation` DELETE need a step with method DELETE; there, 404 and 410 mean that the record is already deleted.',
        'Redirects with 307 and 308 are followed within the origin of the endpoint. Any other redirect fails the run, because it would turn the request into a GET.',
        'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames. A secret is sent to the origin of the endpoint, or of the base URL of the connection, and nowhere else.',
    ],
    examples: [
        {
            config: { endpoint: ENDPOINT, bearerTokenSecretCode: 'erp-token', idField: 'sku' },
            in: [{ sku: 'TS-1', name: 'T-shirt' }],
            keys: ['TS-1'],
            does: ['update'],
            again: ['update'],
            after: [{ sku: 'TS-1', name: 'T-shirt' }],
            note: 'Each record is sent each time, because Flow does not know what the other system already has.',
        },
        {
            config: {
                endpoint: ENDPOINT,
                strategy: 'CREATE',
                batchSize: 100,
                listField: 'items',
                deliveryIdField: 'messageId',
            },
            in: [{ id: 1 }, { id: 2, __operation: 'UPSERT' }],
            keys: [],
            does: ['create', 'create'],
            again: ['create', 'create'],
            after: [{ id: 1 }, { id: 2 }],
        },
        {
            config: { endpoint: `${ENDPOINT}/{{sku}}`, method: 'PUT', idField: 'sku' },
            in: [{ sku: 'TS-1', stock: 4 }, { stock: 4 }, { sku: '..' }, { sku: 'TS-1', __operation: 'DELETE' }],
            keys: ['TS-1'],
            does: ['update', 'reject', 'reject', 'reject'],
            again: ['update', 'reject', 'reject', 'reject'],
            rejects: ['sku', 'sku', '__operation'],
            after: [{ sku: 'TS-1', stock: 4 }],
        },
        {
            config: { endpoint: `${ENDPOINT}/{{sku}}`, method: 'DELETE', idField: 'sku' },
            in: [{ sku: 'TS-1' }],
            keys: ['TS-1'],
            does: ['delete'],
            again: ['delete'],
        },
    ],
    secretUses: deliverySecretUses,
    advise: ({ endpoint, method, strategy }) => [
        ...adviseBraces('endpoint', endpoint),
        ...adviseUrl('endpoint', endpoint ?? ''),
        ...(method === 'DELETE' && strategy !== undefined
            ? [withoutEffect('strategy', clause`together with method DELETE`)]
            : []),
    ],
    // With CREATE, each delivery may create another object.
    adds: ({ method, strategy }) => method === 'POST' && strategy === 'CREATE',
    open: async (args, cx) => new RestDelivery(args, cx),
});

/** The deliveries of one step and slice of a run. */
class RestDelivery implements RemoteSession {
    readonly batchSize: number;
    private readonly deliveryClient: DeliveryClient;
    private readonly records: DeliveredRecords;
    private readonly results: Results | undefined;
    private readonly paths: readonly Path[];
    private readonly fill: Fill;
    private readonly list: Path | undefined;
    private readonly idField: Path | undefined;

    constructor(
        private readonly args: Args,
        cx: AdapterContext,
    ) {
        const { method, batchSize, results, listField, deliveryIdField } = args;
        // With single records, the outcome of each is stored before the next one is sent.
        this.batchSize = batchSize ?? 1;
        this.deliveryClient = new DeliveryClient(args, cx);
        this.records = new DeliveredRecords(method === 'DELETE' ? 'DELETE' : 'UPSERT', args);
        this.results = results && new Results(results);
        this.paths = placeholderPaths(this.deliveryClient.url);
        this.fill = compilePlaceholders(this.deliveryClient.url, encodedForUrl);
        this.list = listField === undefined ? undefined : compilePath(listField);
        this.idField = deliveryIdField === undefined ? undefined : compilePath(deliveryIdField);
    }

    dryRun({ data: given }: FlowRecord): Change {
        const data = this.records.dataOf(given);
        this.urlOf(data);
        this.idField?.set(data, '');
        return this.records.changeOf(data, data);
    }

    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
        return this.args.batchSize === undefined ? this.one(batch[0]!, ids[0]!) : this.listed({ batch, ids });
    }

    private async one({ data: given }: FlowRecord, id: string): Promise<readonly Outcome[]> {
        const data = this.records.dataOf(given);
        const isDelete = this.args.method === 'DELETE';
        const body = isDelete ? undefined : JSON.stringify(this.sent(data, id));
        const answer = await this.send({ url: this.urlOf(data), body, key: id });
        const isAddressOfRecord = this.paths.length > 0;
        if (isAcceptedResponse(answer, { isAddressOfRecord })) return [{ ok: true }];
        // A missing record is already deleted, as requested.
        const isGone = isDelete && (answer.status === 404 || answer.status === 410);
        return [isGone ? { ok: true } : { ok: false, error: rejectionOf(answer) }];
    }

    private async listed(part: DeliveryPart): Promise<readonly Outcome[]> {
        const { batch, ids } = part;
        const list = batch.map(({ data }, i) => this.sent(this.records.dataOf(data), ids[i]!));
        const body = JSON.stringify(this.list ? this.list.set({}, list) : list);
        const answer = await this.send({ url: this.deliveryClient.url, body, key: keyOf(ids) });
        if (isAcceptedResponse(answer, { isAddressOfRecord: false })) return this.told(answer, batch);
        if (batch.length === 1) return [{ ok: false, error: rejectionOf(answer) }];
        const half = Math.ceil(batch.length / 2);
        const halves = [cut(part, 0, half), cut(part, half, batch.length)];
        return deliveredSequentially(halves, one => this.listed(one));
    }

    /** The results of the records, according to a response that accepted a list. */
    private told(response: DeliveryResponse, batch: Batch): readonly Outcome[] {
        if (!this.results) return batch.map(() => ({ ok: true }));
        const ids = batch.map(({ data }) => this.records.identityOf(data));
        return this.results.outcomesOf(response, ids);
    }

    private send({
        url,
        body,
        key,
    }: {
        readonly url: string;
        readonly body: string | undefined;
        readonly key: string;
    }): Promise<DeliveryResponse> {
        const accept = 'application/json, text/plain;q=0.5, */*;q=0.1';
        return this.deliveryClient.send({
            url,
            method: this.args.method,
            body,
            key,
            accept,
            isAnswerNeeded: this.results !== undefined,
        });
    }

    private sent(data: JsonObject, id: string): JsonObject {
        return this.idField ? this.idField.set(data, id) : data;
    }

    /** Throws RECORD_INVALID for a record without a value that the address needs. */
    private urlOf(data: JsonObject): string {
        for (const one of this.paths)
            if (isAbsent(one.get(data))) throw recordInvalid(one.text, 'is missing; the address needs it');
        const url = this.fill(data)!;
        const [first] = this.paths;
        if (!first) return url;
        if (hasDotSegment(url)) throw recordInvalid(first.text, 'makes . or .. a part of the address');
        if (url.length > MAX_URL)
            throw recordInvalid(first.text, `makes an address of more than ${MAX_URL} characters`);
        return url;
    }
}

function cut({ batch, ids }: DeliveryPart, from: number, to: number): DeliveryPart {
    return { batch: batch.slice(from, to), ids: ids.slice(from, to) };
}
