import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import type { VendurePlatform } from '../../platform/context';
import { bringCollectionsUpToDate } from '../../platform/effects/publish';
import type { Id } from '../../database/write';
import { LOG_CONTEXT } from '../tokens';
import { RunStores } from './run-stores';

/** All filters of all collections are applied, which may take long: for the time between, four times as long, but a second at least. */
const REST = 4;
const SHORTEST_REST_MS = 1_000;

/**
 * Brings collections up to date for all runs that have changed what may be in them (ADR 32), by one worker at a time and with rests in between: runs of
 * one record that come all the time must not have all filters applied each time.
 */
@Injectable()
export class CollectionUpdates implements OnModuleDestroy {
    private timer: NodeJS.Timeout | undefined;
    private stopped = false;

    constructor(private readonly stores: RunStores) {}

    onModuleDestroy(): void {
        this.stopped = true;
        clearTimeout(this.timer);
    }

    /**
     * For all marks that there are. What it changes is kept as effects of the run. Where it rests, or another worker is at it, `later` is called when
     * it may be the time; a sweep comes in any case.
     */
    async bring(runId: Id, platform: VendurePlatform, later: () => void): Promise<void> {
        const { effects, exclusive } = this.stores;
        if ((await effects.marks()).length === 0) return;
        const lease = await exclusive.hold('collections');
        if (!lease) return this.plan(later);
        const begunAt = Date.now();
        try {
            const marks = await effects.marks();
            await bringCollectionsUpToDate(platform, changes => effects.keep(runId, changes));
            await effects.remove(marks);
        } finally {
            await lease.rest(Math.max(SHORTEST_REST_MS, REST * (Date.now() - begunAt)));
        }
    }

    private plan(later: () => void): void {
        if (this.stopped || this.timer) return;
        Logger.debug('Collections are brought up to date a little later.', LOG_CONTEXT);
        this.timer = setTimeout(() => {
            this.timer = undefined;
            later();
        }, SHORTEST_REST_MS).unref();
    }
}
