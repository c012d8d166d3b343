import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { epochMs, FlowEntity, idColumn, keyText, longJson, longText } from './columns';
import type { RunCause } from './run';

/**
 * An event of the shop for which a run is to be started, written in the transaction in which it happened; gone when the run is stored.
 */
@Entity('flow_event_trigger_outbox')
@Index('IDX_flow_event_trigger_outbox_due', ['dueAt', 'id'])
@Index('IDX_flow_event_trigger_outbox_channel', ['channelId', 'createdAt', 'id'])
export class FlowEventTriggerOutbox extends FlowEntity {
    constructor(input?: DeepPartial<FlowEventTriggerOutbox>) {
        super(input);
    }

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    /** The published revision that was in force when it happened: the run executes it, whatever has been published since. */
    @Column(idColumn({ name: 'revision_id' }))
    revisionId: ID;

    @Column({ type: 'varchar', name: 'trigger_key', length: 64 })
    triggerKey: string;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The name of the event's class. */
    @Column({ type: 'varchar', name: 'event', length: 255 })
    event: string;

    /** What one run is started for. An id of its own, since some databases give those of deleted rows away again. */
    @Column(keyText({ name: 'occurrence_key', length: 64 }))
    occurrenceKey: string;

    /** The records of the run. Read by whoever starts it alone: they may be large. */
    @Column(longJson({ name: 'seed', select: false }))
    seed: readonly JsonObject[];

    /** The runs that led to it, the first one first. */
    @Column(longJson({ name: 'causes', nullable: true }))
    causes: readonly RunCause[] | null;

    /** How often a worker has begun with it. */
    @Column({ type: 'int', name: 'attempts', default: 0 })
    attempts: number;

    /** Why the last attempt has failed. */
    @Column(longText({ name: 'last_error', nullable: true }))
    lastError: string | null;

    /** The worker that is at it. */
    @Column({ type: 'varchar', name: 'lease_token', length: 36, nullable: true })
    leaseToken: string | null;

    /** Nobody is to begin with it before: the end of a lease, or of the wait behind a failure. Null: it is given up. */
    @Column(epochMs({ name: 'due_at', nullable: true }))
    dueAt: number | null;
}
