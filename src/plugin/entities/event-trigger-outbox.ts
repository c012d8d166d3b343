import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { epochMs, FlowEntity, idColumn, keyText, longJson, longText } from './columns';
import type { RunCause } from './run';

/**
 * An event of the shop for which a run is to be started. It is written in the transaction of the event, and deleted when the run is stored.
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

    /** The revision that was live when it happened. The run executes this one, even if another one has been published since. */
    @Column(idColumn({ name: 'revision_id' }))
    revisionId: ID;

    @Column({ type: 'varchar', name: 'trigger_key', length: 64 })
    triggerKey: string;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The name of the event's class. */
    @Column({ type: 'varchar', name: 'event', length: 255 })
    event: string;

    /** The occurrence key of the run. A separate id, because some databases reuse the ids of deleted rows. */
    @Column(keyText({ name: 'occurrence_key', length: 64 }))
    occurrenceKey: string;

    /** The records of the run. They may be large, so only the code that starts the run reads them. */
    @Column(longJson({ name: 'seed', select: false }))
    seed: readonly JsonObject[];

    /** The runs that led to it, the first one first. */
    @Column(longJson({ name: 'causes', nullable: true }))
    causes: readonly RunCause[] | null;

    /** How many times a worker has started to process it. */
    @Column({ type: 'int', name: 'attempts', default: 0 })
    attempts: number;

    /** Why the last attempt failed. */
    @Column(longText({ name: 'last_error', nullable: true }))
    lastError: string | null;

    /** The worker that processes it. */
    @Column({ type: 'varchar', name: 'lease_token', length: 36, nullable: true })
    leaseToken: string | null;

    /** No worker may process it before this time: the end of a lease, or of the wait after an error. Null: it was given up. */
    @Column(epochMs({ name: 'due_at', nullable: true }))
    dueAt: number | null;
}
