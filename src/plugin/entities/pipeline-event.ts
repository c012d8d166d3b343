import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, longText } from './columns';

/** The entries of a pipeline's history. They are kept as long as the pipeline. */
const PIPELINE_ACTIONS = [
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

/** An entry of a pipeline's history. */
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

    /** Null if the shop's code did it. */
    @Column(idColumn({ name: 'actor_id', nullable: true }))
    actorId: ID | null;

    /** For a publication or selection: the revision. */
    @Column(idColumn({ name: 'revision_id', nullable: true }))
    revisionId: ID | null;

    /** The message of a publication, or the comment of a review. */
    @Column(longText({ name: 'comment', nullable: true }))
    comment: string | null;
}
