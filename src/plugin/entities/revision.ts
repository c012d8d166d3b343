import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, longJson, longText } from './columns';

/** A published definition. It never changes, so a run ends with the definition with which it started. */
@Entity('flow_pipeline_revision')
@Index('IDX_flow_pipeline_revision_number', ['pipelineId', 'number'], { unique: true })
export class FlowPipelineRevision extends FlowEntity {
    constructor(input?: DeepPartial<FlowPipelineRevision>) {
        super(input);
    }

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    /** 1, 2, 3 … within its pipeline. */
    @Column({ type: 'int', name: 'number' })
    number: number;

    @Column(longJson({ name: 'definition' }))
    definition: JsonObject;

    /** SHA-256 of the canonical definition; the same definition is not published twice. */
    @Column({ type: 'varchar', name: 'digest', length: 64 })
    digest: string;

    /** The message that the publisher entered. */
    @Column(longText({ name: 'message', nullable: true }))
    message: string | null;

    /** The user who submitted it for review; null if no review was needed. */
    @Column(idColumn({ name: 'submitted_by', nullable: true }))
    submittedBy: ID | null;

    /** The user who published it; null if the code did. */
    @Column(idColumn({ name: 'published_by', nullable: true }))
    publishedBy: ID | null;
}
