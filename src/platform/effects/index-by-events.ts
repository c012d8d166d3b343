import { EventBus, ProductVariant, ProductVariantEvent, ProductVariantService } from '@vendure/core';
import { In } from 'typeorm';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import { inChunks, variantStates } from './changed-variants';
import type { IndexChanges, SearchIndex } from './index-service';
import { publishChannelChanges } from './vendure-events';

/** Lists in one event are never longer. */
const AT_ONCE = 50;

/**
 * A search plugin that Flow does not know receives changes through the one event that it listens to anyway. So in such a shop, ProductVariantEvents
 * are published for batched changes, too.
 */
export class IndexByEvents implements SearchIndex {
    readonly showsStock = true;

    constructor(private readonly platform: VendurePlatform) {}

    async update({ variantIds, left }: IndexChanges): Promise<void> {
        await publishChannelChanges(
            left.map(change => ({ ...change, isAssigned: false })),
            this.platform,
        );
        const { ctx, injector, dataSource } = this.platform;
        const states = await variantStates(variantIds, this.platform);
        await this.publish(
            states.filter(({ isAlive }) => isAlive).map(({ id }) => id),
            'updated',
            ids => injector.get(ProductVariantService).findByIds(ctx, ids),
        );
        await this.publish(
            states.filter(({ isAlive }) => !isAlive).map(({ id }) => id),
            'deleted',
            ids => dataSource.getRepository(ProductVariant).find({ where: { id: In(ids) } }),
        );
    }

    private async publish(
        ids: readonly Id[],
        type: 'updated' | 'deleted',
        read: (ids: Id[]) => Promise<ProductVariant[]>,
    ): Promise<void> {
        const { ctx, injector } = this.platform;
        for (const part of inChunks(ids, AT_ONCE)) {
            const variants = await read([...part]);
            if (variants.length > 0) await injector.get(EventBus).publish(new ProductVariantEvent(ctx, variants, type));
        }
    }
}
