import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import type { Effect } from '../../core/adapter/loader';
import type { VendurePlatform } from '../../platform/context';
import { refreshCollections } from '../../platform/effects/publish';
import type { Id } from '../../database/write';
import type { RunCause } from '../entities/run';
import { LOG_CONTEXT } from '../tokens';
import { causeChainOf } from './causation-chains';
import { RunStores } from './run-stores';

/** All filters of all collections are applied, which may take long: for the time between, four times as long, but a second at least. */
const REST = 4;
const SHORTEST_REST_MS = 1_000;
/** Where several runs have waited for it, more of them come. */
const BUSY_REST_MS = 5_000;

/**
 * Brings collections up to date for all runs that have changed what may be in them (ADR 11), by one worker at a time and with rests in between: runs of
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
     * Updates the collections for all marks. Returns whether collections may have changed, which is stored as effects of the run. During the rest
     * period, or while another worker updates them, `later` is called when the next attempt may succeed; a sweep follows in any case.
     */
    async bring(runId: Id, platform: VendurePlatform, later: () => void): Promise<boolean> {
        const { effects, exclusive } = this.stores;
        // The planned attempt handles the marks of all runs.
        if (this.timer || (await effects.marks()).length === 0) return false;
        const lease = await exclusive.hold('collections');
        if (!lease) return this.plan(later);
        const begunAt = Date.now();
        let restMs = SHORTEST_REST_MS;
        try {
            const marks = await effects.marks();
            if (marks.length > 1) restMs = BUSY_REST_MS;
            const others = marks.map(mark => mark.runId).filter(id => String(id) !== String(runId));
            const causes = others.length === 0 ? [] : await causeChainOf(platform.dataSource.manager, others);
            await refreshCollections(platform, changes => effects.keep(runId, causedBy(causes, changes)));
            await effects.remove(marks);
            return true;
        } finally {
            await lease.rest(Math.max(restMs, REST * (Date.now() - begunAt)));
        }
    }

    private plan(later: () => void): false {
        if (this.stopped || this.timer) return false;
        Logger.debug('Collections are brought up to date a little later.', LOG_CONTEXT);
        this.timer = setTimeout(() => {
            this.timer = undefined;
            later();
        }, SHORTEST_REST_MS).unref();
        return false;
    }
}

/** They are the effects of one run, and what follows from them was caused by all that have left marks. */
function causedBy(causes: readonly RunCause[], effects: readonly Effect[]): readonly Effect[] {
    if (causes.length === 0) return effects;
    const others = causes.map(({ pipelineCode, runId }) => ({ pipelineCode, runId }));
    return effects.map(effect => ({ ...effect, payload: { ...effect.payload, causes: others } }));
}

/** The other causes of some effects, in addition to the run to which they belong. */
export function additionalCausesOf(effects: readonly Effect[]): readonly RunCause[] {
    return effects.flatMap(({ payload }) => (payload['causes'] ?? []) as unknown as readonly RunCause[]);
}
