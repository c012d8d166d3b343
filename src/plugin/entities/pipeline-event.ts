import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, longText } from './columns';

/** What can happen to a pipeline; who, when and why is kept for as long as the pipeline is. */
export const PIPELINE_ACTIONS = [
    'CREATED',
    'EDITED',
    'SUBMITTED',
    'REJECTED',
    'PUBLISHED',
    'REVISION_SELECTED',
    'ENABLED',
    'DISABLED',
    'ARCHIVED',
    'RESTORED',
    'POSITION_RESET',
    'POSITION_SET',
    'SECRET_HOSTS_ALLOWED',
] as const;
export type PipelineAction = (typeof PIPELINE_ACTIONS)[number];

/** A line of a pipeline's history. */
@Entity('flow_pipeline_event')
@Index('IDX_flow_pipeline_event_pipeline', ['pipelineId', 'id'])
export class FlowPipelineEvent extends FlowEntity {
    constructor(input?: DeepPartial<FlowPipelineEvent>) {
        super(input);
    }

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    @Column({ type: 'varchar', name: 'action', length: 32 })
    action: PipelineAction;

    /** Null when the shop's code did it. */
    @Column(idColumn({ name: 'actor_id', nullable: true }))
    actorId: ID | null;

    /** Of a publication or selection. */
    @Column(idColumn({ name: 'revision_id', nullable: true }))
    revisionId: ID | null;

    /** The message of a publication, the comment of a review. */
    @Column(longText({ name: 'comment', nullable: true }))
    comment: string | null;
}
