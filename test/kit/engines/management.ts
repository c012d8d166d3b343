import type { JsonObject } from '../../../src/core/value/json';
import { Engine, type EngineAnswer, type EngineRequest } from './engine-server';

/** The management API of RabbitMQ: publishes one message a request, and reports whether a queue has received it. */
export class ManagementServer extends Engine {
    readonly messages: JsonObject[] = [];
    /** The queues of the default exchange. */
    readonly queues = new Set(['stock']);

    protected serve({ method, path, headers, body }: EngineRequest): EngineAnswer {
        if (headers['authorization'] === undefined)
            return { status: 401, body: { error: 'not_authorized', reason: 'Login failed' } };
        if (method !== 'POST' || path !== '/api/exchanges/%2F/amq.default/publish')
            return { status: 404, body: { error: 'Object Not Found', reason: 'Not Found' } };
        const message = JSON.parse(body) as JsonObject;
        const routed = this.queues.has(String(message['routing_key']));
        if (routed) this.messages.push(message);
        return { body: { routed } };
    }
}
