import {
    Channel,
    DefaultSearchPlugin,
    Product,
    ProductVariant,
    type RequestContext,
    RequestContextService,
    SearchService,
} from '@vendure/core';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import {
    channelsOfVariants,
    inChunks,
    productsWithoutVariants,
    variantsOutOf,
    variantStates,
} from './changed-variants';
import type { IndexChanges, IndexService, SearchIndex } from './index-service';

/** DefaultSearchPlugin takes no more than the first 50 variants of a job. */
const VARIANTS_A_JOB = 50;
const DELETIONS_A_JOB = 500;

interface QueueFacts {
    readonly platform: VendurePlatform;
    /** DefaultSearchPlugin, whose specifics are known. */
    readonly isDefault: boolean;
}

/** Puts jobs into the index's own queue, of a size that its worker takes whole. */
export class QueuedIndex implements SearchIndex {
    constructor(
        private readonly service: IndexService,
        private readonly facts: QueueFacts,
    ) {}

    get showsStock(): boolean {
        return !this.facts.isDefault || DefaultSearchPlugin.options.indexStockStatus === true;
    }

    async update({ variantIds, productIds, left }: IndexChanges): Promise<void> {
        const {
            service,
            facts: { platform, isDefault },
        } = this;
        const states = await variantStates(variantIds, platform);
        const gone = states.filter(({ isAlive }) => !isAlive).map(({ id }) => id);
        for (const ids of inChunks(gone, DELETIONS_A_JOB))
            await service.deleteVariant(
                platform.ctx,
                ids.map(id => new ProductVariant({ id })),
            );
        const alive = states.filter(({ isAlive }) => isAlive).map(({ id }) => id);
        // DefaultSearchPlugin's buffer merges many jobs into one, of which it would take 50 variants: so all of the
        // channel is reindexed.
        const reindexes =
            isDefault && DefaultSearchPlugin.options.bufferUpdates === true && alive.length > VARIANTS_A_JOB;
        for (const { ctx, ids } of await this.shares(alive)) {
            if (reindexes) await platform.injector.get(SearchService).reindex(ctx);
            else
                for (const part of inChunks(ids, VARIANTS_A_JOB))
                    await service.updateVariants(
                        ctx,
                        part.map(id => new ProductVariant({ id })),
                    );
        }
        // By variants: for a removed product DefaultSearchPlugin finds no entries.
        for (const { channelId, variantIds: moved } of left)
            for (const id of await variantsOutOf(channelId, moved, platform))
                await service.removeVariantFromChannel?.(platform.ctx, id, channelId);
        for (const id of await productsWithoutVariants(productIds, platform))
            await service.updateProduct(platform.ctx, new Product({ id }));
    }

    /**
     * Distributes the index jobs: a job writes the entries of all channels of its variants, in the languages of its channel. So the run's channel
     * comes first, and another one follows only for variants whose languages no earlier one covers.
     */
    private async shares(
        variantIds: readonly Id[],
    ): Promise<ReadonlyArray<{ readonly ctx: RequestContext; readonly ids: readonly Id[] }>> {
        const { platform } = this.facts;
        const byChannel = await channelsOfVariants(variantIds, platform);
        const channels = (await platform.dataSource.getRepository(Channel).find({ order: { id: 'ASC' } })).filter(
            ({ id }) => byChannel.has(id),
        );
        channels.sort((a, b) => Number(b.id === platform.ctx.channelId) - Number(a.id === platform.ctx.channelId));
        const shares: Array<{ channel: Channel; ids: readonly Id[] }> = [];
        for (const channel of channels) {
            const covering = shares.filter(share =>
                channel.availableLanguageCodes.every(code => share.channel.availableLanguageCodes.includes(code)),
            );
            const covered = new Set(covering.flatMap(share => byChannel.get(share.channel.id) ?? []));
            const ids = (byChannel.get(channel.id) ?? []).filter(id => !covered.has(id));
            if (ids.length > 0) shares.push({ channel, ids });
        }
        return Promise.all(shares.map(async ({ channel, ids }) => ({ ctx: await this.contextOf(channel), ids })));
    }

    private async contextOf(channel: Channel): Promise<RequestContext> {
        const { ctx, injector } = this.facts.platform;
        if (channel.id === ctx.channelId) return ctx;
        return injector
            .get(RequestContextService)
            .create({ apiType: 'admin', channelOrToken: channel, languageCode: channel.defaultLanguageCode });
    }
}
