import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { rejectedDelivery } from '../loaders/delivery-rejection';
import type { Called, ClientGateway } from './client-gateway';
import { checkIdBytes } from './documents';
import type { ListOutcome } from '../../core/adapter/split-delivery';
import type { IndexedDocument, SearchEngine } from './search-session';

/** What is asked of a client, the same of both. Answers are JSON. */
export interface BulkClient {
    /** Lines of JSON, the last one ended as well. */
    bulk(lines: string): Promise<JsonObject>;
    request(requested: {
        readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
        readonly path: string;
        readonly body?: JsonObject;
    }): Promise<JsonObject>;
}

/** Of an id, in bytes. */
const MAX_ID_BYTES = 512;
/** Of an index what belongs to that one alone; a new one has its own. */
const OF_ONE_INDEX = ['uuid', 'creation_date', 'provided_name', 'version', 'resize', 'routing', 'blocks', 'history'];

/** So often a name is given to a new index where somebody else gives it away at the same moment. */
const SWAPS = 3;

/** Elasticsearch and OpenSearch, which speak the same language here. */
export class BulkEngine implements SearchEngine {
    constructor(
        private readonly client: BulkClient,
        private readonly gateway: ClientGateway,
    ) {}

    check(id: string, idField: string): void {
        checkIdBytes(id, idField, { bytes: MAX_ID_BYTES, of: 'id' });
    }

    async write(index: string, documents: readonly IndexedDocument[]): Promise<ListOutcome> {
        const of = `{"index":{"_index":${JSON.stringify(index)},"_id":`;
        let lines = '';
        for (const { id, data } of documents) lines += `${of}${JSON.stringify(id)}}}\n${JSON.stringify(data)}\n`;
        return this.outcome(await this.gateway.call(() => this.client.bulk(lines)), documents.length);
    }

    async remove(index: string, ids: readonly string[]): Promise<ListOutcome> {
        const lines = ids.map(id => `${JSON.stringify({ delete: { _index: index, _id: id } })}\n`).join('');
        return this.outcome(await this.gateway.call(() => this.client.bulk(lines)), ids.length);
    }

    async settle(index: string): Promise<void> {
        // Where a rebuild was finished before, there is nothing to be refreshed.
        await this.gateway.find(() => this.client.request({ method: 'POST', path: `${at(index)}/_refresh` }));
    }

    async create(fresh: string, like: string): Promise<void> {
        if (await this.describes(fresh)) return;
        const old = await this.describes(like);
        const [first] = Object.values(old ?? {});
        const body = isJsonObject(first) ? likeIndex(first) : {};
        await this.gateway.ask(() => this.client.request({ method: 'PUT', path: at(fresh), body }));
    }

    async swap(fresh: string, index: string): Promise<void> {
        // Somebody else may give the alias to another index meanwhile: looked at again until it leads to the new one and to nothing else.
        for (let look = 0; look <= SWAPS; look++) {
            const found = Object.keys((await this.describes(index)) ?? {});
            const old = found.filter(name => name !== fresh);
            if (found.length === 1 && old.length === 0) return;
            // What the name leads to: an index of that name itself, or those behind the alias.
            const dropped = old.map(name => ({ remove_index: { index: name } }));
            const actions = [...dropped, { add: { index: fresh, alias: index } }];
            await this.gateway.find(() =>
                this.client.request({ method: 'POST', path: '/_aliases', body: { actions } }),
            );
        }
        const problem = `has its name "${index}" given to other indexes while it is given to the new one`;
        throw flowError('REMOTE_BUSY', { host: this.gateway.host, problem, attempts: SWAPS });
    }

    async left(beginning: string): Promise<readonly string[]> {
        return Object.keys((await this.describes(`${beginning}*`)) ?? {});
    }

    async drop(index: string): Promise<void> {
        await this.gateway.find(() => this.client.request({ method: 'DELETE', path: at(index) }));
    }

    /** The indexes that a name, an alias or a pattern leads to. */
    private describes(name: string): Promise<JsonObject | undefined> {
        return this.gateway.find(() => this.client.request({ method: 'GET', path: at(name) }));
    }

    private outcome(called: Called<JsonObject>, count: number): ListOutcome {
        if (!called.ok) return this.gateway.refusedList(called.answer);
        // A client hands on whatever was JSON.
        const { items } = (called.value as JsonObject | undefined | null) ?? {};
        // Behind a proxy a redirect or a page may pass for an answer.
        if (!Array.isArray(items) || items.length !== count)
            throw flowError('REMOTE_MALFORMED', {
                host: this.gateway.host,
                problem: `it reports ${Array.isArray(items) ? items.length : 'none'} of ${count} documents`,
            });
        return (items as readonly JsonValue[]).map(item => this.outcomeOf(item));
    }

    private outcomeOf(item: JsonValue): Outcome {
        const result = isJsonObject(item) ? (item['index'] ?? item['delete']) : undefined;
        const { host } = this.gateway;
        if (!isJsonObject(result) || typeof result['status'] !== 'number')
            throw flowError('REMOTE_MALFORMED', { host, problem: 'it has a result without a status' });
        const { status, error } = result;
        const isGone = status === 404 && result['result'] === 'not_found';
        if (status < 300 || isGone) return TAKEN;
        const reason = reasonOf(error) ?? `it answered ${status}`;
        if (status === 429 || status >= 500)
            return {
                ok: false,
                error: flowError('REMOTE_BUSY', {
                    host,
                    problem: `answered ${status} for a document: ${reason}`,
                    attempts: 1,
                }),
            };
        if (status === 401 || status === 403)
            throw flowError(
                'REMOTE_REFUSED',
                { host, problem: `answered ${status}: ${reason}` },
                { details: { status } },
            );
        return { ok: false, error: rejectedDelivery(reason, { status }) };
    }
}

function reasonOf(error: JsonValue | undefined): string | undefined {
    if (!isJsonObject(error)) return typeof error === 'string' ? error : undefined;
    const { type, reason, caused_by: cause } = error;
    const because = isJsonObject(cause) ? reasonOf(cause) : undefined;
    const told = [type, reason].filter(part => typeof part === 'string').join(': ');
    return because === undefined || because === told ? told || undefined : `${told} (${because})`;
}

/** Its mappings and settings, without what belongs to it alone. */
function likeIndex({ mappings, settings }: JsonObject): JsonObject {
    const of = isJsonObject(settings) && isJsonObject(settings['index']) ? settings['index'] : {};
    const index = Object.fromEntries(Object.entries(of).filter(([name]) => !OF_ONE_INDEX.includes(name)));
    return { ...(isJsonObject(mappings) && { mappings }), settings: { index } };
}

function at(index: string): string {
    return `/${encodeURIComponent(index).replaceAll('%2A', '*')}`;
}
