import { isJsonObject, type JsonObject } from '../../../src/core/value/json';
import { Engine, type EngineAnswer, type EngineRequest } from './engine-server';

interface Index {
    readonly mappings: JsonObject;
    readonly settings: JsonObject;
    readonly documents: Map<string, JsonObject>;
}

/**
 * Elasticsearch or OpenSearch: `_bulk`, `_aliases`, `_refresh`, and indexes that are created, shown and deleted. A document with `bad` has a field of
 * the wrong type.
 */
export class BulkEngineServer extends Engine {
    readonly indexes = new Map<string, Index>();
    readonly aliases = new Map<string, string>();
    refreshed = 0;

    constructor(private readonly product: 'Elasticsearch' | 'OpenSearch') {
        super();
    }

    /** The index that a name refers to. */
    documents(name: string): ReadonlyMap<string, JsonObject> {
        return this.indexes.get(this.real(name))?.documents ?? new Map<string, JsonObject>();
    }

    make(name: string, { mappings = {}, settings = {} }: JsonObject = {}): Index {
        const index = { mappings, settings, documents: new Map<string, JsonObject>() } as Index;
        this.indexes.set(name, index);
        return index;
    }

    protected serve(request: EngineRequest): EngineAnswer {
        const headers: Record<string, string> = {};
        if (this.product === 'Elasticsearch') headers['x-elastic-product'] = this.product;
        return { headers, ...this.answerOf(request) };
    }

    private answerOf({ method, path, headers, body }: EngineRequest): EngineAnswer {
        if (path === '/_bulk' && method === 'POST') {
            if (!/^application\/x-ndjson/.test(headers['content-type'] ?? '')) return { status: 406, body: {} };
            if (!body.endsWith('\n')) return rejection(400, 'The bulk request must be terminated by a newline [\\n]');
            return this.bulk(body);
        }
        if (path === '/_aliases' && method === 'POST') return this.moved(JSON.parse(body) as JsonObject);
        const [, name = '', action] = path.split('/').map(decodeURIComponent);
        if (action === '_refresh') {
            this.refreshed++;
            return this.found(name).length > 0 ? { body: {} } : missing(name);
        }
        if (method === 'PUT') {
            if (this.indexes.has(name)) return rejection(400, `index [${name}] already exists`);
            this.make(name, JSON.parse(body) as JsonObject);
            return { body: { acknowledged: true } };
        }
        const found = this.found(name);
        if (found.length === 0 && !name.includes('*')) return missing(name);
        const shown = found.map(one => {
            const { mappings, settings } = this.indexes.get(one)!;
            const own = isJsonObject(settings['index']) ? settings['index'] : settings;
            return [one, { mappings, settings: { index: { ...own, uuid: 'u', provided_name: one } } }] as const;
        });
        if (method === 'DELETE') for (const one of found) this.indexes.delete(one);
        return { body: Object.fromEntries(shown) };
    }

    private bulk(body: string): EngineAnswer {
        const lines = body
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line) as JsonObject);
        const items: JsonObject[] = [];
        while (lines.length > 0) {
            const [[verb, of]] = Object.entries(lines.shift()!) as [[string, { _index: string; _id: string }]];
            const place = { _index: of._index, _id: of._id };
            if (verb === 'index') items.push({ index: { ...place, ...this.put(of, lines.shift()!) } });
            else {
                const isThere = this.indexes.get(this.real(of._index))?.documents.delete(of._id) === true;
                items.push({
                    delete: {
                        ...place,
                        ...(isThere ? { status: 200, result: 'deleted' } : { status: 404, result: 'not_found' }),
                    },
                });
            }
        }
        return { body: { took: 1, errors: items.some(item => JSON.stringify(item).includes('"error"')), items } };
    }

    private put({ _index, _id }: { _index: string; _id: string }, document: JsonObject): JsonObject {
        if (document['busy'] === true)
            return { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'queue is full' } };
        if (document['bad'] !== undefined) {
            const reason = "failed to parse field [bad] of type [long] in document with id '" + _id + "'";
            return { status: 400, error: { type: 'document_parsing_exception', reason } };
        }
        const index = this.indexes.get(this.real(_index)) ?? this.make(_index);
        index.documents.set(_id, document);
        return { status: 201, result: 'created' };
    }

    private moved({ actions }: JsonObject): EngineAnswer {
        for (const action of actions as readonly JsonObject[]) {
            const removed = action['remove_index'] as { readonly index: string } | undefined;
            const added = action['add'] as { readonly index: string; readonly alias: string } | undefined;
            if (removed) {
                this.indexes.delete(removed.index);
                for (const [alias, index] of this.aliases) if (index === removed.index) this.aliases.delete(alias);
            }
            if (added) this.aliases.set(added.alias, added.index);
        }
        return { body: { acknowledged: true } };
    }

    private real(name: string): string {
        return this.aliases.get(name) ?? name;
    }

    private found(name: string): readonly string[] {
        if (name.includes('*')) return [...this.indexes.keys()].filter(one => one.startsWith(name.replace('*', '')));
        const real = this.real(name);
        return this.indexes.has(real) ? [real] : [];
    }
}

function rejection(status: number, reason: string): EngineAnswer {
    return { status, body: { error: { type: 'illegal_argument_exception', reason }, status } };
}

function missing(name: string): EngineAnswer {
    return {
        status: 404,
        body: { error: { type: 'index_not_found_exception', reason: `no such index [${name}]` }, status: 404 },
    };
}
