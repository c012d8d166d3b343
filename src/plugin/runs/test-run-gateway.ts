import type { RequestContext } from '@vendure/core';
import type { OutboundMethod, OutboundRequest } from '../../core/adapter/http';
import type { Outbound, SocketTarget } from '../../core/adapter/outbound';
import { isAllowedHost, type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { publishFlowPipelinePermission } from '../permissions';

/** For whom a definition is tried. */
interface TestRunRights {
    readonly ctx: RequestContext;
    /** The plugin option publishing.requireReview: no user approves a definition alone. */
    readonly requireReview: boolean;
    /** The servers of the saved connections that the definition names, as entries of `allowedHosts`. */
    servers(): readonly string[];
}

/** The parts of a request that are checked. */
type Asked = Pick<OutboundRequest, 'url' | 'auth' | 'originLock'> & { readonly method: OutboundMethod };

/**
 * The network access of a definition that was not approved. Users who could approve it alone have full access. For others, it allows read requests
 * to the servers of the saved connections that it names, and sockets for users who may publish.
 */
export function testRunGateway(gateway: Outbound, { ctx, requireReview, servers }: TestRunRights): Outbound {
    const permission = publishFlowPipelinePermission.Permission;
    const mayPublish = ctx.userHasPermissions([permission]);
    if (mayPublish && !requireReview) return gateway;
    const unless = mayPublish ? 'until it is approved' : `unless you have the permission ${permission}`;
    const blocked = (host: string, what: string): FlowError =>
        flowError('OUTBOUND_BLOCKED', { host, problem: `a test of an unpublished definition ${what}, ${unless}` });
    const assertSaved = (target: SecretTarget | undefined): void => {
        if (target && isAllowedHost(servers(), target)) return;
        throw blocked(target?.host ?? 'no host', 'reaches only the servers of its saved connections');
    };
    const reading =
        <Q extends Asked, A>(ask: (request: Q) => Promise<A>) =>
        async (request: Q): Promise<A> => {
            const { url, method, auth, originLock } = request;
            const { host, origin } = new URL(url);
            if (method !== 'GET' && method !== 'HEAD') throw blocked(host, 'sends GET and HEAD requests only');
            assertSaved(secretTargetOf(url));
            if (auth && 'tokenUrl' in auth) assertSaved(secretTargetOf(auth.tokenUrl));
            // A redirect leads to no other server either.
            return ask({ ...request, originLock: originLock ?? origin });
        };
    const toSaved =
        <T extends Pick<SocketTarget, 'host' | 'port'>, A>(open: (target: T) => Promise<A>) =>
        async (target: T): Promise<A> => {
            if (!mayPublish) throw blocked(target.host, 'opens no sockets');
            assertSaved(target);
            return open(target);
        };
    const { socket } = gateway;
    return {
        scope: gateway.scope,
        rules: gateway.rules,
        http: { send: reading(request => gateway.http.send(request)) },
        stream: { open: reading(request => gateway.stream.open(request)) },
        socket: {
            open: toSaved(target => socket.open(target)),
            pin: toSaved(target => socket.pin(target)),
            secure: (opened, tls) => socket.secure(opened, tls),
            awaitFrom: (opened, limits) => socket.awaitFrom(opened, limits),
            hold: close => socket.hold(close),
            // Of another definition, which may have been approved of.
            leave: (_, session) => session.close(),
            restoreCheckpoint: () => undefined,
        },
    };
}
