import { type ID, type RequestContext, VendureEvent } from '@vendure/core';
import type { ChangedEntity, Operation } from './effect';

/**
 * Entities of one kind that a batch of a load changed in one way. Published instead of Vendure's own catalogue events, one by
 * one, when the load's side effects are BATCHED; after the run's data is committed, at
 * least once.
 */
export class FlowEntitiesChanged extends VendureEvent {
    constructor(
        /** The run's channel and the user that it acted for. */
        readonly ctx: RequestContext,
        readonly entity: ChangedEntity,
        readonly operation: Operation,
        readonly ids: readonly ID[],
    ) {
        super();
    }
}
