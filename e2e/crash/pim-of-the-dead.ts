import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ChannelService, GlobalSettingsService, type LanguageCode, RequestContextService } from '@vendure/core';
import { type JsonObject, pimConnector } from '../../src';
import { PimCatalogue, type PimSize } from '../../test/kit/pim/catalogue';
import { heldCollections, heldProducts, shownCollections, shownProducts, visible } from '../../test/kit/pim/compare';
import { everyOther, PIM_FAULTS } from '../../test/kit/pim/faults';
import { PimServer } from '../../test/kit/pim/server';
import { type RunAnswer, until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import { poster, sha256Of } from '../webhooks/poster';
import type { CrashBench } from './crash-bench';
import { POST_KEY } from './crash-shop';
import { PATIENCE_MS } from './import';

/** How much of it users change at a time. */
export interface PimDay {
    readonly changed: number;
    readonly deleted: number;
    readonly unpublished: number;
}

export interface PimOfTheDeadOptions {
    readonly size: PimSize;
    readonly batchSize: number;
    /** Is called with each result at once. */
    readonly tell?: (line: string) => void;
}

const PRODUCTS = 'pim-product-sync';
/** Longer than the batches of a page take. */
const ANYTIME_MS = 60;
/** The number of deliveries that are sent at once. */
const AT_ONCE = 10;

/**
 * A shop that the connector's pipelines keep equal to its PIM, whatever happens to workers and responses. Differences
 * are collected.
 */
export class PimOfTheDead {
    readonly differences: string[] = [];
    readonly standstillsMs: number[] = [];
    attempt = 1;
    readonly catalogue: PimCatalogue;
    private readonly server: PimServer;
    /** Products that no day has changed. */
    private readonly untouched: number[];

    private constructor(
        private readonly bench: CrashBench,
        private readonly options: PimOfTheDeadOptions,
    ) {
        this.catalogue = new PimCatalogue(options.size);
        this.server = new PimServer(this.catalogue);
        this.untouched = [...this.catalogue.products.keys()];
    }

    static async open(bench: CrashBench, options: PimOfTheDeadOptions): Promise<PimOfTheDead> {
        const pim = new PimOfTheDead(bench, options);
        await pim.server.listen();
        await pim.prepare();
        return pim;
    }

    close(): Promise<void> {
        return this.server.close();
    }

    /** Executes all three pipelines, and then again without changes. */
    async firstSync(): Promise<void> {
        const { products, categories = 0, assets = 0 } = this.options.size;
        const due: ReadonlyArray<readonly [string, number]> = [
            ['pim-category-sync', categories],
            ['pim-asset-sync', assets],
            [PRODUCTS, products],
        ];
        for (const [code, count] of due)
            if (count > 0) await this.sync(code, `first sync`, ({ recordsRead }) => recordsRead === count);
        await this.isEqual('the first sync');
        for (const [code, count] of due)
            if (count > 0) await this.sync(code, 'second sync', ({ recordsLoaded }) => recordsLoaded === 0);
        await this.isEqual('the second sync');
    }

    /** Users change, delete and unpublish some products. The next sync finds the changes. */
    async day(day: PimDay): Promise<void> {
        this.change(day);
        await this.sync(PRODUCTS, `${day.changed} changed, ${day.deleted} deleted, ${day.unpublished} unpublished`);
        await this.isEqual('a day');
    }

    /** The same, but a webhook reports each change. Includes categories. */
    async toldDay(day: PimDay): Promise<void> {
        const { changed, deleted, unpublished } = this.change(day);
        const events: ReadonlyArray<readonly [string, JsonObject]> = [
            ...changed.map(id => [PRODUCTS, { id, action: 'update' }] as const),
            ...deleted.map(id => [PRODUCTS, { id, action: 'delete' }] as const),
            ...unpublished.map(id => [PRODUCTS, { id, action: 'unpublish' }] as const),
            ...this.changeCategories().map(event => ['pim-category-sync', event] as const),
        ];
        const started = Date.now();
        await this.posted(events);
        this.told(`${events.length} webhooks, one run each`, started);
        await this.isEqual('webhooks');
    }

    /**
     * Each page is first answered with one of the errors. At the end the number of products falls while they are read.
     */
    async faults(): Promise<void> {
        for (const [title, issue] of PIM_FAULTS) {
            this.touchAll(10);
            this.server.disturb = everyOther(issue);
            await this.sync(PRODUCTS, title);
            this.server.disturb = () => undefined;
            await this.isEqual(title);
        }
        const [first, last] = [this.untouched.shift()!, this.untouched.pop()!];
        const before = this.server.asked.length;
        this.touchAll(10);
        this.server.disturb = () => {
            if (this.server.asked.length === before + 3)
                for (const id of [first, last]) this.catalogue.products.delete(id);
            return undefined;
        };
        await this.sync(PRODUCTS, 'totalCount falls while it is read');
        this.server.disturb = () => undefined;
        await this.sync(PRODUCTS, 'the sync after it');
        await this.isEqual('a totalCount that fell');
    }

    /**
     * Kills workers one after another while all products are loaded again. Another sync and webhooks wait for that run.
     */
    async kills(count: number): Promise<void> {
        const { bench, server } = this;
        const { crew, shop } = bench;
        this.touchAll(1);
        await crew.working();
        crew.bootAhead();
        const started = Date.now();
        const pages = Math.ceil(this.options.size.products / this.options.batchSize);
        const between = Math.max(2, Math.ceil(pages / (count + 1)));
        // A dead worker does not wait for a response. Its successor requests the page again.
        let [requested, allowed] = [0, between];
        server.disturb = async () => {
            const mine = ++requested;
            await until(
                () => Promise.resolve(allowed),
                now => mine <= now,
                PATIENCE_MS,
            );
            return undefined;
        };
        const { id } = await shop.start(PRODUCTS);
        const after = await shop.start(PRODUCTS);
        const posts = this.posted(
            this.untouched.slice(0, 3).map(product => [PRODUCTS, { id: product, action: 'update' }] as const),
        );
        let died = 0;
        for (; died < count; died++) {
            await crew.ready();
            await until(
                () => Promise.resolve(requested),
                now => now >= allowed,
                PATIENCE_MS,
            );
            if (ENDED.includes((await shop.run(id)).status)) break;
            await sleep(Math.random() * ANYTIME_MS);
            await (await crew.working()).kill('SIGKILL');
            const diedAt = Date.now();
            await bench.endLeases();
            const before = requested;
            allowed = before + between;
            await crew.relieve();
            if (died + 1 < count) crew.bootAhead();
            await until(
                () => Promise.resolve(requested),
                now => now > before,
                PATIENCE_MS,
            );
            this.standstillsMs.push(Date.now() - diedAt);
        }
        allowed = Infinity;
        if (died < count) this.differences.push(`the run was over after ${died} of ${count} kills`);
        const run = await shop.ended(id, PATIENCE_MS);
        server.disturb = () => undefined;
        this.attempt = Math.max(this.attempt, run.attempt);
        this.judge(run, `${count} kills`);
        this.judge(await shop.ended(after.id, PATIENCE_MS), 'a sync after the kills');
        await posts;
        this.told(`all products changed, ${count} kills, another sync and webhooks after them`, started);
        await this.isEqual('kills');
    }

    /** Freezes a worker in the middle of a sync. Another one does the rest, and then the first one wakes up. */
    async freeze(): Promise<void> {
        const { bench, server } = this;
        const { crew, shop } = bench;
        this.touchAll(1);
        const worker = await crew.working();
        await crew.ready();
        const started = Date.now();
        const before = server.asked.length;
        const { id } = await shop.start(PRODUCTS);
        await until(
            () => Promise.resolve(server.asked.length),
            requested => requested > before + 2,
            PATIENCE_MS,
        );
        worker.freeze();
        await bench.endLeases();
        await crew.relieve();
        this.judge(await shop.ended(id, PATIENCE_MS), 'a frozen worker');
        worker.thaw();
        await sleep(1_000);
        await worker.kill('SIGKILL');
        this.told('all products changed, a worker is frozen and wakes up', started);
        await this.isEqual('a frozen worker');
    }

    private async prepare(): Promise<void> {
        const { bench, options, server } = this;
        const { shop } = bench;
        const { languages = [] } = this.catalogue;
        if (languages.length > 1) {
            const { app } = shop;
            const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
            const availableLanguages = languages as LanguageCode[];
            await app.get(GlobalSettingsService).updateSettings(ctx, { availableLanguages });
            await app
                .get(ChannelService)
                .update(ctx, { id: ctx.channelId, availableLanguageCodes: availableLanguages });
        }
        await connectionsOf(shop.adminClient).create({
            code: 'pim-of-the-dead',
            type: 'GRAPHQL',
            settings: {
                baseUrl: server.endpoint,
                auth: { type: 'API_KEY', headerName: 'apikey', secretCode: 'crash-pim-key' },
            },
        });
        const pipelines = as(shop.adminClient);
        const { pipelines: sources } = pimConnector({
            connectionCode: 'pim-of-the-dead',
            sync: { batchSize: options.batchSize },
            mapping: { product: { assetsField: 'images' } },
        });
        for (const { code, name, definition } of sources)
            await pipelines.publish(await pipelines.create({ code, name, definition }));
    }

    private change({ changed, deleted, unpublished }: PimDay) {
        const { products } = this.catalogue;
        const some = (count: number): number[] => this.untouched.splice(0, count);
        const day = { changed: some(changed), deleted: some(deleted), unpublished: some(unpublished) };
        for (const id of day.changed)
            this.catalogue.touch(products.get(id)!, one => {
                one.price += 1;
                one.name = Object.fromEntries(Object.entries(one.name).map(([key, text]) => [key, `${text} neu`]));
            });
        for (const id of day.deleted) products.delete(id);
        for (const id of day.unpublished) this.catalogue.touch(products.get(id)!, one => (one.isPublished = false));
        return day;
    }

    /** Changes the first two categories without children. */
    private changeCategories(): readonly JsonObject[] {
        const { categories } = this.catalogue;
        const parents = new Set([...categories.values()].map(({ parent }) => parent));
        const [changed, deleted] = [...categories.values()].filter(({ id }) => !parents.has(id));
        if (!changed || !deleted) return [];
        this.catalogue.touch(changed, one => (one.name = this.catalogue.texts('told of a category')));
        categories.delete(deleted.id);
        return [
            { id: changed.id, action: 'update' },
            { id: deleted.id, action: 'delete' },
        ];
    }

    private touchAll(every: number): void {
        for (const product of this.catalogue.products.values())
            if (product.id % every === 0) this.catalogue.touch(product, one => (one.price += 1));
    }

    private async posted(events: ReadonlyArray<readonly [string, JsonObject]>): Promise<void> {
        const { shop } = this.bench;
        const post = poster(shop.url);
        for (let from = 0; from < events.length; from += AT_ONCE) {
            const started = events.slice(from, from + AT_ONCE).map(async ([code, event]) => {
                const text = JSON.stringify(event);
                const { status, body } = await post(code, text, {
                    'x-flow-signature': sha256Of(POST_KEY, text),
                    'x-idempotency-key': randomUUID(),
                });
                if (status !== 202) return void this.differences.push(`${text} was answered ${status}`);
                this.judge(await shop.ended(String(body['runId']), PATIENCE_MS), text);
            });
            await Promise.all(started);
        }
    }

    private async sync(code: string, what: string, isDue: (run: RunAnswer) => boolean = () => true): Promise<void> {
        const { crew, shop } = this.bench;
        await crew.working();
        const started = Date.now();
        const { id } = await shop.start(code);
        const run = await shop.ended(id, PATIENCE_MS);
        this.told(`${code}: ${what}`, started);
        this.judge(run, `${code}, ${what}`);
        if (!isDue(run))
            this.differences.push(`${code}, ${what}: ${run.recordsRead} were read and ${run.recordsLoaded} loaded`);
    }

    private judge({ status, error, recordsRejected }: RunAnswer, what: string): void {
        if (status !== 'COMPLETED') this.differences.push(`${what}: ${status}, ${error?.message ?? ''}`);
        if (recordsRejected > 0) this.differences.push(`${what}: ${recordsRejected} records rejected`);
    }

    private async isEqual(after: string): Promise<void> {
        const { dataSource, channelToken } = this.bench.shop;
        const { prefix = 'pim' } = this.options.size;
        const own = <T>(all: ReadonlyMap<string, T>) =>
            new Map([...all].filter(([slug]) => slug.startsWith(`${prefix}-`)));
        const compare = (shown: Readonly<Record<string, unknown>>, held: Readonly<Record<string, unknown>>): void => {
            const other = [...new Set([...Object.keys(shown), ...Object.keys(held)])].filter(
                slug => !isDeepStrictEqual(shown[slug], held[slug]),
            );
            if (other.length > 0)
                this.differences.push(
                    `after ${after}, ${other.length} differ, such as ${other[0]}: ${JSON.stringify(shown[other[0]!])}, due ${JSON.stringify(held[other[0]!])}`,
                );
        };
        compare(visible(own(await shownProducts(dataSource, channelToken))), visible(heldProducts(this.catalogue)));
        compare(
            visible(own(await shownCollections(dataSource, channelToken))),
            visible(heldCollections(this.catalogue)),
        );
    }

    private told(what: string, since: number): void {
        this.options.tell?.(`${what}: ${((Date.now() - since) / 1_000).toFixed(1)} s`);
    }
}

const ENDED: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
