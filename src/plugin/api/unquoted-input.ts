import type { RuntimeVendureConfig } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import type { JsonObject, JsonValue } from '../../core/value/json';

type ApolloPlugin = NonNullable<RuntimeVendureConfig['apiOptions']['apolloServerPlugins']>[number];

/** Names of operations that receive secrets. */
const GIVEN_SECRETS = /\b(create|update)FlowSecret\b/;
/** Texts and numbers as they are written in a document. */
const LITERALS = /"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * If GraphQL itself rejects a request, the response quotes what was wrong in it. A missing field would show the whole input, including the
 * secret, and responses are kept in logs and error trackers. In requests that set secrets, such messages are sent without the quoted
 * values.
 */
export const unquotedInput: ApolloPlugin = {
    requestDidStart: async () => ({
        willSendResponse: async ({ request, source, response: { body } }) => {
            const { variables } = request;
            // A persisted query comes without its text.
            const query = source ?? request.query ?? '';
            if (body.kind !== 'single' || !body.singleResult.errors || !GIVEN_SECRETS.test(query)) return;
            const redactor = new Redactor();
            addLeaves(redactor, variables as JsonValue | undefined);
            for (const [literal] of query.matchAll(LITERALS)) addLiteral(redactor, literal);
            // Flow's own errors have a path and do not quote the value of a secret. The names in them are useful.
            const { errors } = body.singleResult;
            body.singleResult.errors = errors.map(error =>
                error.path ? error : (redactor.json(plain(error)) as unknown as typeof error),
            );
        },
    }),
};

function addLeaves(redactor: Redactor, value: JsonValue | undefined): void {
    if (typeof value === 'string' || typeof value === 'number') redactor.addAsWritten(String(value));
    else if (typeof value === 'object' && value !== null)
        for (const inner of Object.values(value as JsonObject)) addLeaves(redactor, inner);
}

function addLiteral(redactor: Redactor, literal: string): void {
    const text = literal.replace(/^"(?:"")?|"(?:"")?$/g, '');
    redactor.addAsWritten(text);
    if (!literal.startsWith('"')) return;
    try {
        redactor.addAsWritten(JSON.parse(`"${text}"`) as string);
    } catch {
        // A block text, or one with invalid escapes, is used as it was written.
    }
}

/** An error as it will be sent. */
function plain(error: object): JsonObject {
    return JSON.parse(JSON.stringify(error)) as JsonObject;
}
