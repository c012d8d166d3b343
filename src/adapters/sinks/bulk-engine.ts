import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { rejectedDelivery } from '../loaders/delivery-rejection';
import type { Called, ClientGateway } from './client-gateway';
import { checkIdBytes } from './documents';
import type { ListOutcome } from '../../core/adapter/split-delivery';
import type { IndexedDocument, SearchEngine } from './search-session';

/** The common interface of both clients. Responses are JSON. */
export interface BulkClient {
    /** Lines of JSON. The last line also ends with a line break. */
    bulk(lines: string): Promise<JsonObject>;
    request(requested: {
        readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
        readonly path: string;
        readonly body?: JsonObject;
    }): Promise<JsonObject>;
}

/** The maximum length of an id, in bytes. */
const MAX_ID_BYTES = 512;
/** Settings that belong to one index; a new index has different ones. */
const OF_ONE_INDEX = ['uuid', 'creation_date', 'provided_name', 'version', 'resize', 'routing', 'blocks', 'history'];

/** The maximum number of attempts to give a name to a new index, if someone else changes the alias at the same time. */
const SWAPS = 3;

/** Elasticsearch and OpenSearch, which have the same protocol here. */
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
        // If a rebuild was finished before, there is nothing to refresh.
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
        // Someone else may assign the alias to another index in the meantime, so this is repeated until the alias leads
        // to the new index only.
        for (let look = 0; look <= SWAPS; look++) {
            const found = Object.keys((await this.describes(index)) ?? {});
            const old = found.filter(name => name !== fresh);
            if (found.length === 1 && old.length === 0) return;
            // The target of the name: an index of that name, or the indexes of the alias.
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
        // A client returns any JSON without checking it.
        const { items } = (called.value as JsonObject | undefined | null) ?? {};
        // A proxy may return a redirect or an HTML page instead.
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

/** Its mappings and settings, without those that belong to that index only. */
function likeIndex({ mappings, settings }: JsonObject): JsonObject {
    const of = isJsonObject(settings) && isJsonObject(settings['index']) ? settings['index'] : {};
    const index = Object.fromEntries(Object.entries(of).filter(([name]) => !OF_ONE_INDEX.includes(name)));
    return { ...(isJsonObject(mappings) && { mappings }), settings: { index } };
}

function at(index: string): string {
    return `/${encodeURIComponent(index).replaceAll('%2A', '*')}`;
}
