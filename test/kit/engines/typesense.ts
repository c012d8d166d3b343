import type { JsonObject } from '../../../src/core/value/json';
import { Engine, type EngineAnswer, type EngineRequest } from './engine-server';

/** Typesense: collections that must exist, imports that are answered line by line, and aliases. A document with `bad` does not fit the schema. */
export class TypesenseServer extends Engine {
    readonly collections = new Map<
        string,
        { readonly schema: JsonObject; readonly documents: Map<string, JsonObject> }
    >();
    readonly aliases = new Map<string, string>();
    readonly removed: string[] = [];

    make(name: string, schema: JsonObject = { fields: [{ name: '.*', type: 'auto' }] }): void {
        this.collections.set(name, { schema, documents: new Map() });
    }

    documents(name: string): ReadonlyMap<string, JsonObject> {
        return this.collections.get(this.aliases.get(name) ?? name)?.documents ?? new Map<string, JsonObject>();
    }

    protected serve({ method, path, query, headers, body }: EngineRequest): EngineAnswer {
        if (headers['x-typesense-api-key'] === undefined || headers['x-typesense-api-key'] === 'none')
            return rejection(401, 'Forbidden - a valid `x-typesense-api-key` header must be sent.');
        const [area, name = '', , id] = path.split('/').slice(1).map(decodeURIComponent);
        if (area === 'aliases') return this.alias(method, name, body);
        if (area !== 'collections') return rejection(404, 'Not Found');
        if (name === '') {
            if (method === 'GET') return { body: [...this.collections.keys()].map(one => this.shown(one)) };
            const { name: made, ...schema } = JSON.parse(body) as JsonObject;
            this.make(String(made), schema);
            return { status: 201, body: this.shown(String(made)) };
        }
        const real = this.aliases.get(name) ?? name;
        const collection = this.collections.get(real);
        if (!collection) return rejection(404, `No collection with name \`${name}\` found.`);
        if (id === 'import') {
            if (query.get('action') !== 'upsert') return rejection(400, 'action');
            const lines = body.split('\n').map(line => this.put(collection.documents, JSON.parse(line) as JsonObject));
            return {
                headers: { 'content-type': 'text/plain' },
                body: lines.map(line => JSON.stringify(line)).join('\n'),
            };
        }
        if (id !== undefined) {
            this.removed.push(id);
            return collection.documents.delete(id)
                ? { body: { id } }
                : rejection(404, `Could not find a document with id: ${id}`);
        }
        if (method === 'DELETE') this.collections.delete(real);
        return { body: { ...collection.schema, name: real, num_documents: collection.documents.size } };
    }

    private put(documents: Map<string, JsonObject>, document: JsonObject): JsonObject {
        const { id } = document;
        if (typeof id !== 'string')
            return { success: false, code: 400, error: "Document's `id` field should be a string.", document: '' };
        if (document['busy'] === true) return { success: false, code: 503, error: 'Not Ready or Lagging' };
        if (document['bad'] !== undefined)
            return {
                success: false,
                code: 400,
                error: 'Field `bad` must be an int32.',
                document: JSON.stringify(document),
            };
        documents.set(id, document);
        return { success: true, id };
    }

    private alias(method: string, name: string, body: string): EngineAnswer {
        if (method === 'PUT') this.aliases.set(name, (JSON.parse(body) as { collection_name: string }).collection_name);
        const collection = this.aliases.get(name);
        return collection === undefined
            ? rejection(404, 'Could not find that alias.')
            : { body: { name, collection_name: collection } };
    }

    private shown(name: string): JsonObject {
        return { ...this.collections.get(name)!.schema, name, num_documents: 0, created_at: 1 };
    }
}

function rejection(status: number, message: string): EngineAnswer {
    return { status, body: { message } };
}
