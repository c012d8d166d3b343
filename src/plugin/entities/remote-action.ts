import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { epochMs, FlowEntity, idColumn, longJson, longText } from './columns';

/** A pending action on a remote file, for a run that is COMPLETED. Deleted when it is done. */
@Entity('flow_remote_action')
@Index('IDX_flow_remote_action_due', ['dueAt', 'pipelineId'])
@Index('IDX_flow_remote_action_pipeline', ['pipelineId', 'stepKey'])
@Index('IDX_flow_remote_action_channel', ['channelId', 'createdAt', 'id'])
export class FlowRemoteAction extends FlowEntity {
    constructor(input?: DeepPartial<FlowRemoteAction>) {
        super(input);
    }

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    /** The step of this revision defines how the server is reached. */
    @Column(idColumn({ name: 'revision_id' }))
    revisionId: ID;

    @Column({ type: 'varchar', name: 'step_key', length: 64 })
    stepKey: string;

    /** The action that the extractor has requested. */
    @Column(longJson({ name: 'action' }))
    action: JsonObject;

    /** The number of attempts. */
    @Column({ type: 'int', name: 'attempts', default: 0 })
    attempts: number;

    /** Why the last attempt failed. */
    @Column(longText({ name: 'last_error', nullable: true }))
    lastError: string | null;

    /** It is not tried before this time. */
    @Column(epochMs({ name: 'due_at' }))
    dueAt: number;

    /** Until this time a job of its pipeline is queued or running, and no other job is added. */
    @Column(epochMs({ name: 'dispatched_until', nullable: true }))
    dispatchedUntil: number | null;
}
