import type { RequestContext } from '@vendure/core';
import type { OutboundHttp } from '../../core/adapter/http';
import { flowError } from '../../core/errors/flow-error';
import { publishFlowPipelinePermission } from '../permissions';

/** The way to the network for a definition that nobody has approved of: what may change something elsewhere is left to those who could approve of it. */
export function doorOfTrial(door: OutboundHttp, ctx: RequestContext): OutboundHttp {
    const permission = publishFlowPipelinePermission.Permission;
    if (ctx.userHasPermissions([permission])) return door;
    return {
        scope: door.scope,
        send: request => {
            if (request.method === 'GET' || request.method === 'HEAD') return door.send(request);
            const problem = `for a definition that is only tried, a ${request.method} is sent only for those who have the permission ${permission}`;
            return Promise.reject(flowError('OUTBOUND_BLOCKED', { host: new URL(request.url).host, problem }));
        },
    };
}
