import type { RequestContext } from '@vendure/core';
import type { OutboundMethod } from '../../core/adapter/http';
import type { Outbound } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import { publishFlowPipelinePermission } from '../permissions';

/** The ways to the network for a definition that nobody has approved of: what may change something elsewhere is left to those who could approve of it. */
export function doorOfTrial(door: Outbound, ctx: RequestContext): Outbound {
    const permission = publishFlowPipelinePermission.Permission;
    if (ctx.userHasPermissions([permission])) return door;
    const refused = (host: string, what: string): Promise<never> => {
        const problem = `for a definition that is only tried, ${what} only for those who have the permission ${permission}`;
        return Promise.reject(flowError('OUTBOUND_BLOCKED', { host, problem }));
    };
    const reading =
        <Q extends { readonly url: string; readonly method: OutboundMethod }, A>(ask: (request: Q) => Promise<A>) =>
        (request: Q): Promise<A> =>
            request.method === 'GET' || request.method === 'HEAD'
                ? ask(request)
                : refused(new URL(request.url).host, `a ${request.method} is sent`);
    const noSocket = ({ host }: { readonly host: string }): Promise<never> => refused(host, 'a socket is opened');
    return {
        scope: door.scope,
        rules: door.rules,
        http: { send: reading(request => door.http.send(request)) },
        stream: { open: reading(request => door.stream.open(request)) },
        // What is said through it, nobody here can judge.
        socket: {
            open: noSocket,
            pin: noSocket,
            secure: (_, { servername }) => noSocket({ host: servername }),
            awaitFrom: () => noSocket({ host: 'a server' }),
            hold: close => door.socket.hold(close),
            leave: (_, session) => session.close(),
            takeUp: () => undefined,
        },
    };
}
