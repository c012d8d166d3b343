import type { Client } from 'typesense';
import type { CollectionCreateSchema } from 'typesense/lib/Typesense/Collections';
import { z } from 'zod';
import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { secretsSentTo, secretTargetOf } from '../../core/adapter/secret-hosts';
import { defineSink } from '../../core/adapter/sink';
import { asFlowError, flowError } from '../../core/errors/flow-error';
import { path, secretCode, withRules } from '../../core/schema/fields';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { apiKey } from '../../io/outbound/auth';
import { host, port } from '../connections/address';
import { rejectedDelivery } from '../loaders/delivery-rejection';
import { ClientGateway } from './client-gateway';
import { adviseCommon, checkName, commonFields, indexName } from './common-fields';
import { withId } from './documents';
import type { ListOutcome } from '../../core/adapter/split-delivery';
import { optionalClient } from '../clients/optional-client';
import { type IndexedDocument, type SearchEngine, SearchSession } from './search-session';
import { rebuildField, SEARCH_NOTES } from './search-fields';

const config = withRules(
    z.strictObject({
        host: host('The name or address of the server.'),
        port: port('The port of the server: 443, 8108.'),
        protocol: z.enum(['http', 'https']).default('https').meta({
            title: 'Protocol',
            description: 'The protocol of the server.',
        }),
        apiKeySecretCode: secretCode('API key', 'The secret that holds a key with write access to documents.'),
        collectionName: indexName('Collection', 'The collection for the documents, or its alias. It must exist.'),
        idField: path('Id field', 'The field that identifies a document.'),
        rebuild: rebuildField,
        ...commonFields,
    }),
    ({ collectionName: name, languageCode }, issue) => checkName('collectionName', { name, languageCode }, issue),
);

const EXAMPLE = { host: 'search.example.com', port: 443, apiKeySecretCode: 'search-key', idField: 'id' };

/** Delivers documents to Typesense. */
export const typesense = defineSink({
    code: 'typesense',
    aliases: ['searchEngineD'],
    category: 'Search engines',
    title: 'Typesense',
    summary: 'Delivers documents to a collection of Typesense.',
    config,
    notes: [
        'Needs the package typesense.',
        ...SEARCH_NOTES,
        'The schema of the collection must exist before records are delivered. A document that does not match it rejects the record, for example if it has text instead of a number.',
        'Documents are imported in lists; deletions are sent one by one.',
        'For a rebuild, collectionName must be an alias. The new collection has the fields and settings of the current one.',
    ],
    examples: [
        {
            config: { ...EXAMPLE, collectionName: 'products' },
            in: [{ id: 1, name: 'T-shirt' }, { name: 'no id' }, { id: 3, __operation: 'DELETE' }],
            does: ['deliver', 'reject', 'remove'],
            rejects: ['id'],
        },
    ],
    advise: adviseCommon,
    secretUses: args => secretsSentTo(secretTargetOf(urlOf(args)), args, ['apiKeySecretCode']),
    open: async (args, cx) => {
        const url = urlOf(args);
        const auth = apiKey('X-TYPESENSE-API-KEY', cx.secrets.get(args.apiKeySecretCode));
        const gateway = new ClientGateway({ url, auth }, cx);
        const engine = new TypesenseEngine(await clientOf(url, gateway), gateway);
        return new SearchSession({ ...args, index: args.collectionName }, cx, engine);
    },
});

function urlOf({
    host,
    port,
    protocol,
}: {
    readonly host: string;
    readonly port: number;
    readonly protocol: string;
}): string {
    return `${protocol}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

async function clientOf(url: string, gateway: ClientGateway): Promise<Client> {
    const typesenseClient = await optionalClient({ code: 'typesense', name: 'typesense' }, () => import('typesense'));
    return new typesenseClient.Client({
        nodes: [{ url }],
        // The outbound client has the real key.
        apiKey: 'none',
        numRetries: 0,
        // Never reached, because the outbound client enforces the deadlines.
        connectionTimeoutSeconds: 24 * 60 * 60,
        logLevel: 'silent',
        axiosAdapter: async request => {
            const requested = new URL(request.url!);
            for (const [name, value] of Object.entries((request.params ?? {}) as Readonly<Record<string, unknown>>))
                requested.searchParams.set(name, String(value));
            const headers = Object.entries(request.headers.toJSON()).flatMap(([name, value]) =>
                typeof value === 'string' ? [[name, value] as const] : [],
            );
            const body: unknown = request.data;
            const { method = 'get' } = request;
            const sent = { url: requested.href, method, headers, ...(typeof body === 'string' && { body }) };
            const answer = await gateway.send(sent);
            const { status } = answer;
            return {
                data: answer.body.toString('utf8'),
                status,
                statusText: String(status),
                headers: answer.headers,
                config: request,
            };
        },
    });
}

/** Properties that belong to one collection only. */
const OF_ONE_COLLECTION = ['name', 'num_documents', 'created_at', 'num_memory_shards'];

class TypesenseEngine implements SearchEngine {
    constructor(
        private readonly client: Client,
        private readonly gateway: ClientGateway,
    ) {}

    async write(index: string, documents: readonly IndexedDocument[]): Promise<ListOutcome> {
        const lines = documents.map(({ id, data }) => JSON.stringify(withId(data, 'id', id))).join('\n');
        const options = { action: 'upsert', return_id: true } as const;
        const called = await this.gateway.call(() => this.client.collections(index).documents().import(lines, options));
        if (!called.ok) return this.gateway.refusedList(called.answer);
        const text: unknown = called.value;
        if (typeof text !== 'string') throw this.malformed('it is not a list of results');
        const results = text.split('\n').map(line => (line === '' ? undefined : parsed(line)));
        if (results.length !== documents.length)
            throw this.malformed(`it reports ${results.length} of ${documents.length} documents`);
        return results.map(result => this.outcomeOf(result));
    }

    async remove(index: string, ids: readonly string[]): Promise<ListOutcome> {
        const outcomes: Outcome[] = [];
        for (const id of ids) {
            try {
                const called = await this.gateway.call(() => this.client.collections(index).documents(id).delete());
                const isGone = called.ok || called.answer.status === 404;
                outcomes.push(isGone ? TAKEN : { ok: false, error: this.gateway.refusedList(called.answer) });
            } catch (thrown) {
                // A missing document is already deleted.
                const error = asFlowError(thrown);
                if (outcomes.length === 0) throw thrown;
                return ids.map((_, i) => outcomes[i] ?? { ok: false, error });
            }
        }
        return outcomes;
    }

    async settle(): Promise<void> {
        // Documents can be searched as soon as the response arrives.
    }

    async create(fresh: string, like: string): Promise<void> {
        const alias = await this.gateway.find(() => this.client.aliases(like).retrieve());
        if (!alias)
            throw this.rejected(
                `has no alias "${like}"; for a rebuild, collectionName must be an alias of a collection`,
            );
        if (await this.gateway.find(() => this.client.collections(fresh).retrieve())) return;
        const old = await this.gateway.ask(() => this.client.collections(alias.collection_name).retrieve());
        const schema = Object.entries(old).filter(([name]) => !OF_ONE_COLLECTION.includes(name));
        const made = { ...Object.fromEntries(schema), name: fresh } as CollectionCreateSchema;
        await this.gateway.ask(() => this.client.collections().create(made));
    }

    async swap(fresh: string, index: string): Promise<void> {
        const alias = await this.gateway.find(() => this.client.aliases(index).retrieve());
        if (alias?.collection_name === fresh) return;
        await this.gateway.ask(() => this.client.aliases().upsert(index, { collection_name: fresh }));
        const old = alias?.collection_name;
        if (old !== undefined) await this.gateway.find(() => this.client.collections(old).delete());
    }

    async left(beginning: string): Promise<readonly string[]> {
        const all = await this.gateway.ask(() => this.client.collections().retrieve());
        return all.map(({ name }) => name).filter(name => name.startsWith(beginning));
    }

    async drop(index: string): Promise<void> {
        await this.gateway.find(() => this.client.collections(index).delete());
    }

    private outcomeOf(result: JsonObject | undefined): Outcome {
        if (result?.['success'] === true) return TAKEN;
        if (result?.['success'] !== false) throw this.malformed('it has a result that does not say whether it is one');
        const { error, code } = result;
        const reason = typeof error === 'string' && error !== '' ? error : 'it says that there is an error';
        if (typeof code === 'number' && (code === 429 || code >= 500)) {
            const problem = `answered ${code} for a document: ${reason}`;
            return { ok: false, error: flowError('REMOTE_BUSY', { host: this.gateway.host, problem, attempts: 1 }) };
        }
        return { ok: false, error: rejectedDelivery(reason) };
    }

    private malformed(problem: string): Error {
        return flowError('REMOTE_MALFORMED', { host: this.gateway.host, problem });
    }

    private rejected(problem: string): Error {
        return flowError('REMOTE_REFUSED', { host: this.gateway.host, problem });
    }
}

function parsed(line: string): JsonObject | undefined {
    try {
        const value = JSON.parse(line) as JsonValue;
        return isJsonObject(value) ? value : undefined;
    } catch {
        return undefined;
    }
}
