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
import { queryCost } from './query-cost';

type ApolloPlugin = NonNullable<RuntimeVendureConfig['apiOptions']['apolloServerPlugins']>[number];

/** A response that is not read within this time is aborted. Otherwise it would keep its budget for as long as its reader likes. */
const READ_MS = 60_000;

/** The context that Vendure gives to an operation. */
interface Context {
    readonly req: object;
    readonly res: Response;
}

interface Response extends ResponseUse {
    readonly writableFinished: boolean;
    destroy(): unknown;
}

/** The limits of one operation. */
interface OperationLimits {
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
 * Rejects operations that cost too much, before they are executed. Also limits the size of Flow's types in the responses of the admin API,
 * whatever aliases and pages are requested: with aliases, one field can be requested any number of times. A response that exceeds the limit
 * is rejected as a whole, before it is serialized.
 */
export class LimitedResponses implements Required<Pick<ApolloPlugin, 'serverWillStart' | 'requestDidStart'>> {
    private readonly counts = new WeakMap<object, ResponseCount>();
    /** Schemas without types of Flow, such as that of the shop API. */
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
        this.counts.set(req, { bound, resolved: new WeakMap(), refused: once() });
        return {
            didResolveOperation: async resolved => this.assertAffordable(resolved),
            willSendResponse: async ({ response: { body } }) => {
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

/** The error as GraphQL has formatted it, with its location if GraphQL knows it. */
function answerError(issue: FlowError, errors: readonly GraphQLFormattedError[] = []): GraphQLFormattedError {
    return errors.find(({ extensions }) => extensions?.['code'] === issue.code) ?? (apiError(issue) as GraphQLError);
}

/** GraphQL leaves an error unchanged that already has a location. A rejected response can fail in each of its fields, so the error is created once. */
function once(): ResponseCount['refused'] {
    let first: GraphQLError | undefined;
    return (issue, { fieldNodes, path }) => {
        if (first) return first;
        const { message, extensions } = apiError(issue) as GraphQLError;
        first = new GraphQLError(message, {
            nodes: fieldNodes,
            path: responsePathAsArray(path),
            originalError: issue,
            extensions,
        });
        return first;
    };
}

/** What the document of a schema declares: its types as a whole, and the fields that it adds to other types. */
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
