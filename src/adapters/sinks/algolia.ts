import type { SearchClient } from 'algoliasearch';
import { z } from 'zod';
import { allTaken } from '../../core/adapter/loader';
import { secretsSentTo } from '../../core/adapter/secret-hosts';
import { defineSink, type SinkRunContext } from '../../core/adapter/sink';
import { path, secretCode, withRules } from '../../core/schema/fields';
import { apiKey } from '../../io/outbound/auth';
import { ClientGateway } from './client-gateway';
import { adviseCommon, checkName, commonFields, indexName } from './common-fields';
import { checkIdBytes, withId } from './documents';
import { untilDone } from './engine-tasks';
import type { ListOutcome } from '../../core/adapter/split-delivery';
import { optionalClient } from '../clients/optional-client';
import { type IndexedDocument, type SearchEngine, SearchSession } from './search-session';
import { rebuildField, SEARCH_NOTES } from './search-fields';

const config = withRules(
    z.strictObject({
        appId: z
            .string()
            .regex(/^[A-Za-z0-9]{1,32}$/, 'allowed: letters and digits')
            .meta({ title: 'Application', description: 'The id of the application.' }),
        apiKeySecretCode: secretCode('Admin key', 'The secret that holds the admin key of the application.'),
        indexName: indexName('Index', 'The index for the documents. It is created if it is missing.'),
        idField: path('Id field', 'The field for the objectID of a document.'),
        rebuild: rebuildField,
        ...commonFields,
    }),
    ({ indexName: name, languageCode }, issue) => checkName('indexName', { name, languageCode }, issue),
);

/** Delivers documents to Algolia. */
export const algolia = defineSink({
    code: 'algolia',
    aliases: ['searchEngineC'],
    category: 'Search engines',
    title: 'Algolia',
    summary: 'Delivers documents to an index of Algolia.',
    config,
    notes: [
        'Needs the package algoliasearch.',
        ...SEARCH_NOTES,
        'Algolia rejects a whole list if one record is too large for the plan. The list is sent again in halves until that record is found; it is rejected with the reason.',
        'At its end, the run waits until the last confirmed documents are searchable.',
        'Requests only go to the host of the application, not to the fallback hosts. Each record that is sent counts as an operation of the plan.',
    ],
    examples: [
        {
            config: { appId: 'LATENCY', apiKeySecretCode: 'search-key', indexName: 'products', idField: 'sku' },
            in: [{ sku: 'TS-1', name: 'T-shirt' }, { name: 'no sku' }, { sku: 'TS-3', __operation: 'DELETE' }],
            does: ['deliver', 'reject', 'remove'],
            rejects: ['sku'],
        },
    ],
    advise: adviseCommon,
    secretUses: args => secretsSentTo({ host: hostOf(args), port: 443 }, args, ['apiKeySecretCode']),
    open: async (args, cx) => {
        const host = hostOf(args);
        const auth = apiKey('x-algolia-api-key', cx.secrets.get(args.apiKeySecretCode));
        const gateway = new ClientGateway({ url: `https://${host}`, auth }, cx);
        const engine = new AlgoliaEngine(await clientOf({ appId: args.appId, host }, gateway), { door: gateway, cx });
        return new SearchSession({ ...args, index: args.indexName }, cx, engine);
    },
});

function hostOf({ appId }: { readonly appId: string }): string {
    return `${appId.toLowerCase()}.algolia.net`;
}

async function clientOf(
    { appId, host }: { readonly appId: string; readonly host: string },
    gateway: ClientGateway,
): Promise<SearchClient> {
    const { algoliasearch } = await optionalClient(
        { code: 'algolia', name: 'algoliasearch' },
        () => import('algoliasearch'),
    );
    // The outbound client has the real key, and handles deadlines and retries.
    return algoliasearch(appId, 'none', {
        hosts: [{ url: host, accept: 'readWrite', protocol: 'https' }],
        requester: {
            send: async ({ url, method, headers, data }) => {
                const sent = {
                    url,
                    method,
                    headers: Object.entries(headers),
                    ...(data !== undefined && { body: data }),
                };
                const { status, body } = await gateway.send(sent);
                return { status, content: body.toString('utf8'), isTimedOut: false };
            },
        },
    });
}

/** The maximum length of an objectID, in bytes. */
const MAX_ID_BYTES = 512;
const COPIED = ['settings', 'rules', 'synonyms'] as const;

interface Parts {
    readonly door: ClientGateway;
    readonly cx: SinkRunContext;
}

class AlgoliaEngine implements SearchEngine {
    /** Tasks of an index are executed in order, so the last one is finished after all others. */
    private last: number | undefined;

    constructor(
        private readonly client: SearchClient,
        private readonly parts: Parts,
    ) {}

    check(id: string, idField: string): void {
        checkIdBytes(id, idField, { bytes: MAX_ID_BYTES, of: 'objectID' });
    }

    write(indexName: string, documents: readonly IndexedDocument[]): Promise<ListOutcome> {
        const requests = documents.map(({ id, data }) => ({
            action: 'addObject' as const,
            body: withId(data, 'objectID', id),
        }));
        return this.told(requests.length, () => this.client.batch({ indexName, batchWriteParams: { requests } }));
    }

    remove(indexName: string, ids: readonly string[]): Promise<ListOutcome> {
        const requests = ids.map(objectID => ({ action: 'deleteObject' as const, body: { objectID } }));
        return this.told(ids.length, () => this.client.batch({ indexName, batchWriteParams: { requests } }));
    }

    async settle(indexName: string): Promise<void> {
        if (this.last !== undefined) await this.done(indexName, this.last);
        this.last = undefined;
    }

    async create(fresh: string, like: string): Promise<void> {
        if (!(await this.has(like)) || (await this.has(fresh))) return;
        const operationIndexParams = { operation: 'copy' as const, destination: fresh, scope: [...COPIED] };
        const task = await this.parts.door.ask(async () =>
            taskOf(await this.client.operationIndex({ indexName: like, operationIndexParams })),
        );
        await this.done(like, task);
    }

    async swap(fresh: string, index: string): Promise<void> {
        // It has been moved before, and no longer exists.
        if (!(await this.has(fresh))) return;
        const operationIndexParams = { operation: 'move' as const, destination: index };
        const task = await this.parts.door.askOnce(async () =>
            taskOf(await this.client.operationIndex({ indexName: fresh, operationIndexParams })),
        );
        await this.done(fresh, task);
    }

    async left(beginning: string): Promise<readonly string[]> {
        return this.parts.door.ask(async () => {
            const { items } = await this.client.listIndices();
            return items.map(({ name }) => name).filter(name => name.startsWith(beginning));
        });
    }

    async drop(indexName: string): Promise<void> {
        await this.parts.door.find(() => this.client.deleteIndex({ indexName }));
    }

    private async has(indexName: string): Promise<boolean> {
        return (await this.parts.door.find(() => this.client.getSettings({ indexName }))) !== undefined;
    }

    private async told(count: number, work: () => Promise<{ readonly taskID: number }>): Promise<ListOutcome> {
        const { door: gateway } = this.parts;
        const called = await gateway.call(async () => taskOf(await work()));
        if (!called.ok) return gateway.refusedList(called.answer);
        this.last = called.value;
        return allTaken(count);
    }

    private async done(indexName: string, taskID: number): Promise<void> {
        const { door: gateway, cx } = this.parts;
        await untilDone({ ...cx, host: gateway.host }, async () => {
            return gateway.ask(async () => {
                const { status } = await this.client.getTask({ indexName, taskID });
                if (typeof status !== 'string') throw new TypeError('It has no status');
                return status === 'published';
            });
        });
    }
}

/** The client returns any JSON without checking it. */
function taskOf({ taskID }: { readonly taskID: number }): number {
    if (!Number.isInteger(taskID)) throw new TypeError('It has no task');
    return taskID;
}
