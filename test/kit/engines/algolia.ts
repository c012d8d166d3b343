import type { JsonObject } from '../../../src/core/value/json';
import { Engine, type EngineAnswer, type EngineRequest } from './engine-server';

interface Index {
    readonly settings: JsonObject;
    readonly records: Map<string, JsonObject>;
}

/**
 * Algolia accepts or rejects a batch as a whole. The batch can be searched once its task is published, which is at the second request. A record with
 * `bad` is too big.
 */
export class AlgoliaServer extends Engine {
    readonly indexes = new Map<string, Index>();
    readonly removed: string[] = [];
    private task = 0;
    private readonly requested = new Set<string>();

    make(name: string, settings: JsonObject = {}): Index {
        const index = { settings, records: new Map<string, JsonObject>() };
        this.indexes.set(name, index);
        return index;
    }

    records(name: string): ReadonlyMap<string, JsonObject> {
        return this.indexes.get(name)?.records ?? new Map<string, JsonObject>();
    }

    protected serve({ method, path, headers, query, body }: EngineRequest): EngineAnswer {
        const key = headers['x-algolia-api-key'] ?? query.get('x-algolia-api-key');
        if (key === null || key === undefined || key === 'none')
            return { status: 403, body: { message: 'Invalid Application-ID or API key', status: 403 } };
        const [, , name = '', what, id] = path.split('/').slice(1).map(decodeURIComponent);
        if (name === '') return { body: { items: [...this.indexes.keys()].map(one => ({ name: one })), nbPages: 1 } };
        switch (what) {
            case 'batch':
                return this.batch(name, JSON.parse(body) as JsonObject);
            case 'task': {
                const isDone = this.requested.has(id!);
                this.requested.add(id!);
                return { body: { status: isDone ? 'published' : 'notPublished', pendingTask: !isDone } };
            }
            case 'settings': {
                const index = this.indexes.get(name);
                return index ? { body: index.settings } : missing();
            }
            case 'operation':
                return this.operation(name, JSON.parse(body) as JsonObject);
            default:
                if (method === 'DELETE') this.indexes.delete(name);
                return this.taken();
        }
    }

    private batch(name: string, { requests }: JsonObject): EngineAnswer {
        const list = requests as unknown as ReadonlyArray<{ readonly action: string; readonly body: JsonObject }>;
        const position = list.findIndex(({ body }) => body['bad'] !== undefined);
        if (position >= 0) {
            const objectID = String(list[position]!.body['objectID']);
            const message = `Record at the position ${position} objectID=${objectID} is too big size=12822/10000 bytes.`;
            return { status: 400, body: { message, status: 400 } };
        }
        const { records } = this.indexes.get(name) ?? this.make(name);
        for (const { action, body } of list) {
            const objectID = String(body['objectID']);
            if (action === 'addObject') records.set(objectID, body);
            else {
                this.removed.push(objectID);
                records.delete(objectID);
            }
        }
        return this.taken({ objectIDs: list.map(({ body }) => body['objectID']!) });
    }

    private operation(name: string, { operation, destination }: JsonObject): EngineAnswer {
        const index = this.indexes.get(name);
        if (!index) return missing();
        if (operation === 'move') {
            this.indexes.set(String(destination), index);
            this.indexes.delete(name);
        } else this.make(String(destination), index.settings);
        return this.taken();
    }

    private taken(more: JsonObject = {}): EngineAnswer {
        return { body: { taskID: ++this.task, ...more } };
    }
}

function missing(): EngineAnswer {
    return { status: 404, body: { message: 'Index does not exist', status: 404 } };
}
