import type { RuntimeVendureConfig } from '@vendure/core';
import {
    type DocumentNode,
    type FragmentDefinitionNode,
    GraphQLError,
    type GraphQLFormattedError,
    type GraphQLSchema,
    Kind,
    type OperationDefinitionNode,
    responsePathAsArray,
} from 'graphql';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { apiError } from './api-error';
import { adminApiSchema } from './schema';
import { type ResponseLimit, limitResponse, type ResponseUse } from '../responses/response-limit';
import { type ResponseCount, countFields, type OwnFields } from './bounded-fields';
import { PassedJson } from './passed-json';
import { queryCost } from './query-cost';

type ApolloPlugin = NonNullable<RuntimeVendureConfig['apiOptions']['apolloServerPlugins']>[number];

/** An answer that is not read within that time is broken off: it would keep its room for as long as its reader likes. */
const READ_MS = 60_000;

/** What an operation is given by Vendure. */
interface Context {
    readonly req: object;
    readonly res: Response;
}

interface Response extends ResponseUse {
    readonly writableFinished: boolean;
    destroy(): unknown;
}

/** What one operation may ask for. */
export interface OperationLimits {
    /** The option `api.maxCost`. */
    readonly maxCost: number;
    /** Rows of a list that is requested without `options.take`. */
    readonly defaultTake: number;
}

/** An operation as Apollo has parsed and validated it. */
interface Resolved {
    readonly schema: GraphQLSchema;
    readonly document: DocumentNode;
    readonly operation?: OperationDefinitionNode | undefined;
    readonly request: { readonly variables?: Readonly<Record<string, unknown>> | undefined };
}

/**
 * Refuses operations that cost too much, before they are executed. Bounds what the answers of the admin API come to in Flow's types, whatever names and pages are asked for: with aliases one field can be had
 * any number of times. An answer of more is refused as a whole, before its text is made.
 */
export class LimitedResponses implements Required<Pick<ApolloPlugin, 'serverWillStart' | 'requestDidStart'>> {
    private readonly counts = new WeakMap<object, ResponseCount>();
    /** Of the shop API nothing is Flow's. */
    private readonly schemas = new WeakSet<GraphQLSchema>();
    private readonly own = ownFields(adminApiSchema);

    constructor(private readonly limits: OperationLimits) {}

    async serverWillStart({ schema }: { readonly schema: GraphQLSchema }): Promise<void> {
        const countOf = (context: unknown): ResponseCount | undefined => this.counts.get((context as Context).req);
        if (countFields(schema, { countOf, own: this.own }) > 0) this.schemas.add(schema);
    }

    async requestDidStart(request: {
        readonly schema: GraphQLSchema;
        readonly contextValue: unknown;
    }): ReturnType<NonNullable<ApolloPlugin['requestDidStart']>> {
        if (!this.schemas.has(request.schema)) return;
        const { req, res } = request.contextValue as Context;
        const bound = limitResponse(req, res);
        const passedJson = new PassedJson();
        this.counts.set(req, { bound, handedOn: passedJson, resolved: new WeakMap(), refused: once() });
        return {
            didResolveOperation: async resolved => this.assertAffordable(resolved),
            willSendResponse: async ({ response: { body } }) => {
                passedJson.end();
                if (bound.fault && body.kind === 'single') {
                    body.singleResult.errors = [answerError(bound.fault, body.singleResult.errors)];
                    body.singleResult.data = null;
                }
                breakOffUnread(bound, res);
            },
        };
    }

    /** Throws QUERY_TOO_COSTLY. */
    private assertAffordable({ schema, document, operation, request }: Resolved): void {
        if (!operation) return;
        const fragments = new Map<string, FragmentDefinitionNode>();
        for (const definition of document.definitions)
            if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
        const { own, limits } = this;
        const variables = request.variables ?? {};
        const { cost, most } = queryCost({ schema, operation, fragments, variables, own, ...limits });
        const { maxCost } = limits;
        if (cost <= maxCost) return;
        const { name, cost: ofField } = most;
        const { message, extensions } = apiError(
            flowError('QUERY_TOO_COSTLY', { cost, maxCost, field: name, ofField }, { details: { cost, maxCost } }),
        ) as GraphQLError;
        throw new GraphQLError(message, { extensions: { ...extensions, http: { status: 400 } } });
    }
}

function breakOffUnread(limit: ResponseLimit, response: Response): void {
    if (!limit.isShared) return;
    const late = setTimeout(() => {
        if (!response.writableFinished) response.destroy();
    }, READ_MS).unref();
    response.once('close', () => clearTimeout(late));
}

/** As GraphQL has told it, with its place; else as it is. */
function answerError(issue: FlowError, errors: readonly GraphQLFormattedError[] = []): GraphQLFormattedError {
    return errors.find(({ extensions }) => extensions?.['code'] === issue.code) ?? (apiError(issue) as GraphQLError);
}

/** GraphQL leaves an error that has its place already as it is. */
function once(): ResponseCount['refused'] {
    let first: GraphQLError | undefined;
    return (issue, { fieldNodes, path }) => {
        const { message, extensions } = apiError(issue) as GraphQLError;
        return (first ??= new GraphQLError(message, {
            nodes: fieldNodes,
            path: responsePathAsArray(path),
            originalError: issue,
            extensions,
        }));
    };
}

/** What a schema's document declares: its types as a whole, and its fields of the types that it extends. */
export function ownFields({ definitions }: DocumentNode): OwnFields {
    const own = new Map<string, Set<string> | 'all'>();
    for (const definition of definitions) {
        if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) own.set(definition.name.value, 'all');
        if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION) continue;
        const known = own.get(definition.name.value);
        const names = known instanceof Set ? known : new Set<string>();
        for (const { name } of definition.fields ?? []) names.add(name.value);
        own.set(definition.name.value, names);
    }
    return own;
}
