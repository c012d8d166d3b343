import type { JsonObject } from '../../../src/core/value/json';
import { Engine, type EngineAnswer, type EngineRequest } from './engine-server';

/** A receiver of webhooks: accepts lists, and rejects those in which a record has `bad`. */
export class Receiver extends Engine {
    readonly records: JsonObject[] = [];
    readonly removed: JsonObject[] = [];

    protected serve({ method, body }: EngineRequest): EngineAnswer {
        const list = JSON.parse(body) as JsonObject[];
        const bad = list.find(one => one['bad'] !== undefined);
        if (bad) return { status: 422, body: { message: `bad is ${String(bad['bad'])}` } };
        (method === 'DELETE' ? this.removed : this.records).push(...list);
        return { status: 204 };
    }
}
