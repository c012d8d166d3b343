import { clause } from '../../core/errors/rendered';
import { withoutEffect } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import { type DeliveryPart, deliveredSequentially } from '../../core/adapter/delivery-part';
import { type Change, defineRemoteLoader, type Outcome, type RemoteSession } from '../../core/adapter/loader';
import { own } from '../../core/data/own-properties';
import { compilePath, type Path, pathOf } from '../../core/data/path';
import type { Batch, FlowRecord } from '../../core/data/record';
import { asFlowError, flowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { adviseUrl } from '../requests/url-advice';
import { DeliveryClient, keyOf } from './delivery-client';
import { deliverySecretUses } from './delivery-fields';
import { DeliveredRecords } from './delivery-record';
import { readGraphql, reportedOutcomesOf } from './graphql-response';
import { type MutationArgs, mutationConfig } from './graphql-config';
import { type Mutation, readMutation } from './graphql-document';
import { isAcceptedResponse, rejectionOf } from './delivery-rejection';

const ENDPOINT = 'https://pim.example.com/graphql';
const SAVE =
    'mutation ($sku: String!, $name: String) { saveProduct(sku: $sku, name: $name) { id userErrors { message } } }';

/** Delivers records to a GraphQL API. */
export const graphqlMutation = defineRemoteLoader({
    code: 'graphqlMutation',
    category: 'Other systems',
    title: 'GraphQL API',
    summary: 'Sends records to a GraphQL API, each as a mutation.',
    config: mutationConfig,
    notes: [
        'Records are delivered at least once. If a worker dies between a response and storing its result, they are sent again with the same idempotency key and delivery id. Delivered records are not sent again.',
        'An error whose path begins with the field of a record rejects this record with its message, and so does a value at errorsPath. For results as in Vendure, request `... on ErrorResult { errorCode message }` and set errorsPath to `errorCode`.',
        'Errors with the codes UNAUTHENTICATED, FORBIDDEN, GRAPHQL_PARSE_FAILED and GRAPHQL_VALIDATION_FAILED do not concern a single record and fail the run. THROTTLED, RATE_LIMITED, SERVICE_UNAVAILABLE and similar, 408, 429, 5xx, timeouts and lost connections do not reject records and are retried.',
        'A document that is rejected as a whole is sent again in halves until the records that cause the rejection are found. If an error removes all data, for example for a field that must not be null, records without a result are sent once more, one by one: keep batchSize 1 for a mutation that must not be repeated.',
        'If a record lacks a field, its variable is omitted; if the mutation requires it, the record is rejected.',
        'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames. A secret is sent to the origin of the endpoint, or of the base URL of the connection, and nowhere else.',
    ],
    examples: [
        {
            config: { endpoint: ENDPOINT, mutation: SAVE, idField: 'sku', bearerTokenSecretCode: 'pim-token' },
            in: [{ sku: 'TS-1', name: 'T-shirt', colour: 'red' }, { sku: 'TS-2' }],
            keys: ['TS-1', 'TS-2'],
            does: ['update', 'update'],
            again: ['update', 'update'],
            after: [{ sku: 'TS-1', name: 'T-shirt' }, { sku: 'TS-2' }],
            note: 'Without `variables`, each variable takes the field with its name.',
        },
        {
            config: {
                endpoint: ENDPOINT,
                mutation:
                    'mutation ($input: ProductInput!, $key: ID) { createProduct(input: $input, requestId: $key) { id } }',
                recordVariable: 'input',
                deliveryIdVariable: 'key',
                strategy: 'CREATE',
                batchSize: 50,
            },
            in: [{ id: 1 }, { id: 2 }],
            keys: [],
            does: ['create', 'create'],
            again: ['create', 'create'],
            after: [{ input: { id: 1 } }, { input: { id: 2 } }],
        },
        {
            config: {
                endpoint: ENDPOINT,
                mutation: SAVE,
                variables: { sku: 'code', name: 'title.en' },
                idField: 'code',
            },
            in: [
                { code: 'TS-1', title: { en: 'T-shirt' } },
                { title: { en: 'Socks' } },
                { code: 'TS-1', __operation: 'DELETE' },
            ],
            keys: ['TS-1'],
            does: ['update', 'reject', 'reject'],
            again: ['update', 'reject', 'reject'],
            rejects: ['code', '__operation'],
            after: [{ sku: 'TS-1', name: 'T-shirt' }],
        },
        {
            config: {
                endpoint: ENDPOINT,
                mutation: 'mutation ($sku: String!) { deleteProduct(sku: $sku) }',
                operation: 'DELETE',
                idField: 'sku',
            },
            in: [{ sku: 'TS-1', __operation: 'DELETE' }],
            keys: ['TS-1'],
            does: ['delete'],
            again: ['delete'],
        },
    ],
    secretUses: deliverySecretUses,
    advise: ({ endpoint, operation, strategy }) => [
        ...adviseUrl('endpoint', endpoint ?? ''),
        ...(operation === 'DELETE' && strategy !== undefined
            ? [withoutEffect('strategy', clause`together with operation DELETE`)]
            : []),
    ],
    // With CREATE, each delivery may create another object.
    adds: ({ operation, strategy }) => operation === 'UPSERT' && strategy === 'CREATE',
    open: async (args, cx) => new GraphqlDelivery(args, cx),
});

/** The deliveries of one step and slice of a run. */
class GraphqlDelivery implements RemoteSession {
    readonly batchSize: number;
    private readonly deliveryClient: DeliveryClient;
    private readonly records: DeliveredRecords;
    private readonly mutation: Mutation;
    private readonly taken: ReadonlyArray<{ readonly name: string; readonly isRequired: boolean; readonly from: Path }>;
    private readonly errorsPath: Path;

    constructor(
        private readonly args: MutationArgs,
        cx: AdapterContext,
    ) {
        const {
            operation,
            batchSize,
            mutation: text,
            errorsPath,
            variables,
            recordVariable,
            deliveryIdVariable,
        } = args;
        this.batchSize = batchSize;
        this.deliveryClient = new DeliveryClient(args, cx);
        this.records = new DeliveredRecords(operation, args);
        const mutation = readMutation(text);
        if ('problem' in mutation)
            throw flowError('BUG', { problem: `a mutation that was checked ${mutation.problem}` });
        this.mutation = mutation;
        this.errorsPath = compilePath(errorsPath);
        this.taken = mutation.variables.flatMap(({ name, isRequired }) => {
            if (name === recordVariable || name === deliveryIdVariable) return [];
            const from = variables ? own(variables, name) : pathOf(name);
            return from === undefined ? [] : [{ name, isRequired, from: compilePath(from) }];
        });
    }

    dryRun({ data: given }: FlowRecord): Change {
        const data = this.records.dataOf(given);
        return this.records.changeOf(data, this.variablesOf(data));
    }

    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
        return this.send({ batch, ids });
    }

    private async send(part: DeliveryPart): Promise<readonly Outcome[]> {
        const { batch, ids } = part;
        const { query, keys, nameOf } = this.mutation.requestFor(batch.length);
        const variables: Record<string, JsonValue> = {};
        batch.forEach(({ data }, i) => {
            const taken = { ...this.variablesOf(this.records.dataOf(data)), ...this.idOf(ids[i]!) };
            for (const [name, value] of Object.entries(taken)) variables[nameOf(name, i)] = value;
        });
        const answer = await this.deliveryClient.send({
            url: this.deliveryClient.url,
            method: 'POST',
            body: JSON.stringify({ query, variables }),
            key: keyOf(ids),
            accept: 'application/graphql-response+json, application/json;q=0.9',
            isAnswerNeeded: true,
        });
        const read = readGraphql(answer);
        // Errors in GraphQL's form say more than the status, except for statuses about missing authorization.
        const isRefused =
            (!read || answer.status === 401 || answer.status === 403) &&
            !isAcceptedResponse(answer, { isAddressOfRecord: false });
        const { host } = answer;
        const { outcomes, wholly = isRefused ? rejectionOf(answer) : undefined } = read
            ? reportedOutcomesOf(read, keys, { host, errorsPath: this.errorsPath })
            : { outcomes: [] };
        if (wholly)
            return batch.length === 1
                ? [{ ok: false, error: wholly }]
                : this.inParts(part, Math.ceil(batch.length / 2));
        return this.completed(part, { outcomes, host });
    }

    /** Sends the records without a result again, one by one. */
    private async completed(
        { batch, ids }: DeliveryPart,
        { outcomes, host }: { readonly outcomes: ReadonlyArray<Outcome | undefined>; readonly host: string },
    ): Promise<readonly Outcome[]> {
        const open = batch.flatMap((_, i) => (outcomes[i] ? [] : [i]));
        if (open.length === 0) return outcomes as readonly Outcome[];
        if (open.length === batch.length)
            throw flowError('REMOTE_MALFORMED', { host, problem: 'it has neither data nor errors for the request' });
        const rest = { batch: open.map(i => batch[i]!), ids: open.map(i => ids[i]!) };
        const more = await this.inParts(rest, 1).catch((thrown: unknown): readonly Outcome[] => {
            const error = asFlowError(thrown);
            return open.map(() => ({ ok: false, error }));
        });
        return outcomes.map((outcome, i) => outcome ?? more[open.indexOf(i)]!);
    }

    private inParts({ batch, ids }: DeliveryPart, size: number): Promise<readonly Outcome[]> {
        const parts = Array.from({ length: Math.ceil(batch.length / size) }, (_, i) => ({
            batch: batch.slice(i * size, (i + 1) * size),
            ids: ids.slice(i * size, (i + 1) * size),
        }));
        return deliveredSequentially(parts, part => this.send(part));
    }

    private idOf(id: string): JsonObject {
        const { deliveryIdVariable } = this.args;
        return deliveryIdVariable === undefined ? {} : { [deliveryIdVariable]: id };
    }

    /** Throws RECORD_INVALID for a record without a value that the mutation needs. */
    private variablesOf(data: JsonObject): JsonObject {
        const { recordVariable } = this.args;
        const variables: Record<string, JsonValue> = recordVariable === undefined ? {} : { [recordVariable]: data };
        for (const { name, isRequired, from } of this.taken) {
            const value = from.get(data);
            if (isRequired && (value === undefined || value === null))
                throw recordInvalid(from.text, `is missing; the mutation needs it as $${name}`);
            if (value !== undefined) variables[name] = value;
        }
        return variables;
    }
}
