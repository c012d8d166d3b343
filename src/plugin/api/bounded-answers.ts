import type { RuntimeVendureConfig } from '@vendure/core';
import {
    type DocumentNode,
    GraphQLError,
    type GraphQLFormattedError,
    type GraphQLSchema,
    Kind,
    responsePathAsArray,
} from 'graphql';
import { type FlowError } from '../../core/errors/flow-error';
import { apiError } from './api-error';
import { adminApiSchema } from './schema';
import { type AnswerBound, boundAnswer, type AnswerWriting } from '../answers/answer-bound';
import { type AnswerCount, countFields, type OwnFields } from './bounded-fields';
import { HandedOn } from './handed-on';

type ApolloPlugin = NonNullable<RuntimeVendureConfig['apiOptions']['apolloServerPlugins']>[number];

/** An answer that is not read within that time is broken off: it would keep its room for as long as its reader likes. */
const READ_MS = 60_000;

/** What an operation is given by Vendure. */
interface Context {
    readonly req: object;
    readonly res: Response;
}

interface Response extends AnswerWriting {
    readonly writableFinished: boolean;
    destroy(): unknown;
}

/**
 * Bounds what the answers of the admin API come to in Flow's types, whatever names and pages are asked for: with aliases one field can be had
 * any number of times. An answer of more is refused as a whole, before its text is made.
 */
export class BoundedAnswers implements Required<Pick<ApolloPlugin, 'serverWillStart' | 'requestDidStart'>> {
    private readonly counts = new WeakMap<object, AnswerCount>();
    /** Of the shop API nothing is Flow's. */
    private readonly schemas = new WeakSet<GraphQLSchema>();

    async serverWillStart({ schema }: { readonly schema: GraphQLSchema }): Promise<void> {
        const countOf = (context: unknown): AnswerCount | undefined => this.counts.get((context as Context).req);
        if (countFields(schema, { countOf, own: ownFields(adminApiSchema) }) > 0) this.schemas.add(schema);
    }

    async requestDidStart(request: {
        readonly schema: GraphQLSchema;
        readonly contextValue: unknown;
    }): ReturnType<NonNullable<ApolloPlugin['requestDidStart']>> {
        if (!this.schemas.has(request.schema)) return;
        const { req, res } = request.contextValue as Context;
        const bound = boundAnswer(req, res);
        this.counts.set(req, { bound, handedOn: new HandedOn(), refused: once() });
        return {
            willSendResponse: async ({ response: { body } }) => {
                if (bound.fault && body.kind === 'single') {
                    body.singleResult.errors = [answerError(bound.fault, body.singleResult.errors)];
                    body.singleResult.data = null;
                }
                breakOffUnread(bound, res);
            },
        };
    }
}

function breakOffUnread(bound: AnswerBound, response: Response): void {
    if (!bound.isShared) return;
    const late = setTimeout(() => {
        if (!response.writableFinished) response.destroy();
    }, READ_MS).unref();
    response.once('close', () => clearTimeout(late));
}

/** As GraphQL has told it, with its place; else as it is. */
function answerError(fault: FlowError, errors: readonly GraphQLFormattedError[] = []): GraphQLFormattedError {
    return errors.find(({ extensions }) => extensions?.['code'] === fault.code) ?? (apiError(fault) as GraphQLError);
}

/** GraphQL leaves an error that has its place already as it is. */
function once(): AnswerCount['refused'] {
    let first: GraphQLError | undefined;
    return (fault, { fieldNodes, path }) => {
        const { message, extensions } = apiError(fault) as GraphQLError;
        return (first ??= new GraphQLError(message, {
            nodes: fieldNodes,
            path: responsePathAsArray(path),
            originalError: fault,
            extensions,
        }));
    };
}

/** What a schema's document declares: its types as a whole, and its fields of the types that it extends. */
function ownFields({ definitions }: DocumentNode): OwnFields {
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
