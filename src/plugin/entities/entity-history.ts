import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText } from './columns';

/**
 * Records that a load step of a run has written an entity of the shop. The row is updated by each further write of the same run. Written if
 * the step has `history: true`, and kept as long as runs are.
 */
@Entity('flow_entity_history')
@Index('IDX_flow_entity_history_once', ['runId', 'stepKey', 'entity', 'entityId'], { unique: true })
@Index('IDX_flow_entity_history_entity', ['entityId', 'entity', 'channelId'])
@Index('IDX_flow_entity_history_created', ['createdAt'])
export class FlowEntityHistory extends FlowEntity {
    constructor(input?: DeepPartial<FlowEntityHistory>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(keyText({ name: 'step_key', length: 64 }))
    stepKey: string;

    /** Vendure's name of the entity: `Product`. */
    @Column(keyText({ name: 'entity', length: 32 }))
    entity: string;

    @Column(idColumn({ name: 'entity_id' }))
    entityId: ID;

    /** CREATE, UPDATE or DELETE. */
    @Column({ type: 'varchar', name: 'action', length: 16 })
    action: string;
}
