import { clause } from '../../core/errors/rendered';
import type { MeiliSearch } from 'meilisearch';
import { z } from 'zod';
import { allTaken } from '../../core/adapter/loader';
import { secretsSentTo, secretTargetOf } from '../../core/adapter/secret-hosts';
import { defineSink } from '../../core/adapter/sink';
import { isFlowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import { path, secretCode, withRules } from '../../core/schema/fields';
import { bearer } from '../../io/outbound/auth';
import { httpUrl } from '../connections/address';
import { ClientGateway } from './client-gateway';
import { adviseCommon, checkName, commonFields, indexName } from './common-fields';
import type { ListOutcome } from '../../core/adapter/split-delivery';
import { differs, settingsOf } from './meilisearch-settings';
import { type MeilisearchDeps, MeilisearchTasks, PAGE, ServerClock } from './meilisearch-tasks';
import { optionalClient } from '../clients/optional-client';
import { type IndexedDocument, type SearchEngine, SearchSession } from './search-session';
import { rebuildField, SEARCH_NOTES } from './search-fields';

/** Names of attributes; `*` means all. */
const attributes = (title: string, description: string) =>
    z.array(z.string().min(1).max(512)).max(1_000).optional().meta({ title, description });

const config = withRules(
    z.strictObject({
        host: httpUrl('Address', 'The address of the server: https://search.example.com.'),
        apiKeySecretCode: secretCode(
            'API key',
            'The secret that holds a key with write access to documents and settings.',
        ),
        indexName: indexName('Index', 'The index for the documents. It is created if it is missing.'),
        primaryKey: path('Primary key', 'The field that identifies a document.').regex(
            /^[^.]+$/,
            'allowed: a field of the record itself',
        ),
        searchableFields: attributes('Searchable', 'The fields to search, the most important one first.'),
        filterableFields: attributes('Filterable', 'The fields for filters and counts.'),
        sortableFields: attributes('Sortable', 'What can be sorted by.'),
        rebuild: rebuildField,
        ...commonFields,
    }),
    ({ indexName: name, languageCode }, issue) => {
        checkName('indexName', { name, languageCode }, issue);
        if (typeof name === 'string' && name.includes('.'))
            issue(
                'indexName',
                clause`has a dot in it; Meilisearch has letters, digits, hyphens and underscores in its names`,
            );
    },
);
type Args = z.output<typeof config>;

const EXAMPLE = { host: 'https://search.example.com', apiKeySecretCode: 'search-key', primaryKey: 'id' };

/** Delivers documents to Meilisearch. */
export const meilisearch = defineSink({
    code: 'meilisearch',
    aliases: ['searchEngineA'],
    category: 'Search engines',
    title: 'Meilisearch',
    summary: 'Delivers documents to an index of Meilisearch.',
    config,
    notes: [
        'Needs the package meilisearch.',
        ...SEARCH_NOTES,
        'The server confirms documents before it processes them. The run waits for its tasks at the end; if a task fails, the step fails, and none of the documents of that task were stored.',
        'Ids are whole numbers or up to 511 letters, digits, hyphens and underscores; a record with another one is rejected before it is sent.',
        'Only the index settings of the three lists of fields are changed, once, and only if they differ.',
    ],
    examples: [
        {
            config: {
                ...EXAMPLE,
                indexName: 'products',
                searchableFields: ['name'],
                filterableFields: ['facetValues'],
            },
            in: [{ id: 1, name: 'T-shirt' }, { id: 'variant-2' }, { id: 3, __operation: 'DELETE' }],
            does: ['deliver', 'deliver', 'remove'],
        },
        {
            config: { ...EXAMPLE, indexName: 'products-${languageCode}', languageCode: 'de', rebuild: true },
            in: [{ id: 'variant:2' }, { name: 'no id' }, { id: 1.5 }],
            does: ['reject', 'reject', 'reject'],
            rejects: ['id', 'id', 'id'],
        },
    ],
    advise: adviseCommon,
    secretUses: args => secretsSentTo(secretTargetOf(args.host), args, ['apiKeySecretCode']),
    open: async (args, cx) => {
        const auth = bearer(cx.secrets.get(args.apiKeySecretCode));
        const gateway = new ClientGateway({ url: args.host, auth }, cx);
        const time = new ServerClock(cx);
        const engine = new MeilisearchEngine({
            client: await clientOf(args.host, gateway, time),
            door: gateway,
            time,
            args,
            cx,
        });
        const { indexName: index, primaryKey: idField } = args;
        return new SearchSession({ ...args, index, idField, sendsId: true }, cx, engine);
    },
});

async function clientOf(host: string, gateway: ClientGateway, time: ServerClock): Promise<MeiliSearch> {
    const { MeiliSearch: Client } = await optionalClient(
        { code: 'meilisearch', name: 'meilisearch' },
        () => import('meilisearch'),
    );
    return new Client({
        host,
        httpClient: async (url, init = {}) => {
            const { method = 'GET', body } = init;
            const headers = new Headers(init.headers);
            const sent = { method, headers, ...(typeof body === 'string' && { body }) };
            const answer = await gateway.send({ url: String(url), ...sent });
            time.heard(answer.headers);
            const text = answer.body.toString('utf8');
            return text === '' ? undefined : (JSON.parse(text) as unknown);
        },
    });
}

/** The client returns any JSON without checking it. */
function taskOf({ taskUid }: { readonly taskUid: number }): number {
    if (!Number.isInteger(taskUid)) throw new TypeError('It has no task');
    return taskUid;
}

const ID = /^[A-Za-z0-9_-]{1,511}$/;
/** The maximum number of tasks that are waited for at the end. With more, the oldest is waited for at once. */
const MOST_WAITING = 1_000;

interface Parts extends MeilisearchDeps {
    readonly args: Args;
}

class MeilisearchEngine implements SearchEngine {
    private readonly tasks: MeilisearchTasks;
    /** Tasks of this session that it has not waited for yet. */
    private readonly waiting: number[] = [];

    constructor(private readonly parts: Parts) {
        this.tasks = new MeilisearchTasks(parts);
    }

    private get client(): MeiliSearch {
        return this.parts.client;
    }

    check(id: string, idField: string): void {
        if (!ID.test(id))
            throw recordInvalid(
                idField,
                'is not an id; allowed: a whole number, or up to 511 letters, digits, - and _',
            );
    }

    async prepare(index: string): Promise<void> {
        const { door: gateway, args } = this.parts;
        const desired = settingsOf(args);
        if (Object.keys(desired).length === 0) return;
        const found = await gateway.find(() => this.client.index(index).getSettings());
        if (!found) await this.make(index);
        if (found && !differs(found, desired)) return;
        await this.requested(() => this.client.index(index).updateSettings(desired));
    }

    async write(index: string, documents: readonly IndexedDocument[]): Promise<ListOutcome> {
        const { primaryKey } = this.parts.args;
        const list = documents.map(({ data }) => data);
        return this.told(documents.length, () => this.client.index(index).addDocuments(list, { primaryKey }));
    }

    remove(index: string, ids: readonly string[]): Promise<ListOutcome> {
        return this.told(ids.length, () => this.client.index(index).deleteDocuments([...ids]));
    }

    async settle(index: string): Promise<void> {
        const own = this.waiting.splice(0);
        await this.tasks.untilNoneIsOpen(index, own.at(-1));
        for (let from = 0; from < own.length; from += PAGE)
            await this.tasks.assertDone({ indexUids: [index], uids: own.slice(from, from + PAGE) });
        // Includes tasks of earlier slices of the run, whose numbers were lost with their workers.
        const afterEnqueuedAt = this.parts.time.beginning();
        const types = ['documentAdditionOrUpdate', 'documentDeletion', 'settingsUpdate'] as const;
        await this.tasks.assertDone({ indexUids: [index], types: [...types], afterEnqueuedAt });
    }

    async create(fresh: string): Promise<void> {
        if (await this.has(fresh)) return;
        await this.make(fresh);
    }

    async swap(fresh: string, index: string): Promise<void> {
        // A second swap would undo the first. The name belongs to this run only, so one swap of it is enough.
        const { door: gateway } = this.parts;
        const before = await this.tasks.swapOf(fresh);
        if (before !== undefined) await this.tasks.done(before);
        else {
            if (!(await this.has(index))) await this.make(index);
            const task = await gateway.askOnce(async () =>
                taskOf(await this.client.swapIndexes([{ indexes: [index, fresh] }] as never)),
            );
            await this.tasks.done(task);
        }
        // It now has the documents of the old index.
        await this.drop(fresh);
    }

    async left(beginning: string): Promise<readonly string[]> {
        const names = new Set<string>();
        for (let offset = 0; ; offset += PAGE) {
            const page = await this.parts.door.ask(async () => {
                const { results } = await this.client.getRawIndexes({ limit: PAGE, offset });
                return results.map(({ uid }) => uid);
            });
            const before = names.size;
            for (const name of page) names.add(name);
            // Ends even if the server returns the first page again and again.
            if (page.length < PAGE || names.size === before) break;
        }
        return [...names].filter(name => name.startsWith(beginning));
    }

    async drop(name: string): Promise<void> {
        if (!(await this.has(name))) return;
        const task = await this.parts.door.ask(async () => taskOf(await this.client.deleteIndex(name)));
        await this.unless(async () => !(await this.has(name)), task);
    }

    private async has(index: string): Promise<boolean> {
        return (await this.parts.door.find(() => this.client.getRawIndex(index))) !== undefined;
    }

    private async make(index: string): Promise<void> {
        const { primaryKey } = this.parts.args;
        const task = await this.parts.door.ask(async () =>
            taskOf(await this.client.createIndex(index, { primaryKey })),
        );
        await this.unless(() => this.has(index), task);
    }

    /**
     * Waits for a task. Its failure is ignored if an equal request, whose response was lost, has already had the
     * effect.
     */
    private async unless(isSo: () => Promise<boolean>, task: number): Promise<void> {
        try {
            await this.tasks.done(task);
        } catch (thrown) {
            if (!isFlowError(thrown) || thrown.treat !== 'config' || !(await isSo())) throw thrown;
        }
    }

    private async told(count: number, work: () => PromiseLike<{ readonly taskUid: number }>): Promise<ListOutcome> {
        const called = await this.parts.door.call(async () => taskOf(await work()));
        if (!called.ok) return this.parts.door.refusedList(called.answer);
        await this.noted(called.value);
        return allTaken(count);
    }

    private async requested(work: () => PromiseLike<{ readonly taskUid: number }>): Promise<void> {
        await this.noted(await this.parts.door.ask(async () => taskOf(await work())));
    }

    private async noted(task: number): Promise<void> {
        this.waiting.push(task);
        if (this.waiting.length > MOST_WAITING) await this.tasks.done(this.waiting.shift()!);
    }
}
