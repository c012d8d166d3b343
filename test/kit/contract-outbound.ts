import { Kind, parse } from 'graphql';
import type { Outbound, OutboundStream, OutboundStreamRequest } from '../../src/core/adapter/outbound';
import { picturesOutbound } from './pictures-outbound';

/** A network with pictures that can be fetched, and with systems that accept everything. */
export const contractOutbound: Outbound = {
    ...picturesOutbound,
    stream: {
        open: request =>
            request.method === 'GET' ? picturesOutbound.stream.open(request) : Promise.resolve(taken(request)),
    },
};

function taken({ body }: OutboundStreamRequest): OutboundStream {
    const sent = body === undefined ? undefined : (JSON.parse(String(body)) as { readonly query?: unknown });
    const text = typeof sent?.query === 'string' ? JSON.stringify({ data: nothingFor(sent.query) }) : '{}';
    return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
            yield Buffer.from(text);
        })(),
        close: () => undefined,
    };
}

/** Null for each field of a GraphQL document. */
function nothingFor(query: string): Readonly<Record<string, null>> {
    const fields = parse(query).definitions.flatMap(node =>
        node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet.selections : [],
    );
    const keys = fields.flatMap(node => (node.kind === Kind.FIELD ? [(node.alias ?? node.name).value] : []));
    return Object.fromEntries(keys.map(key => [key, null]));
}
