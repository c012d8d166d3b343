import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, longJson, longText } from './columns';

/** A published definition: never changed, so a run ends with the one it started with. */
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

    /** What its publisher said about it. */
    @Column(longText({ name: 'message', nullable: true }))
    message: string | null;

    /** The user who submitted it for review; null where nobody had to. */
    @Column(idColumn({ name: 'submitted_by', nullable: true }))
    submittedBy: ID | null;

    /** The user who published it; null when the code did. */
    @Column(idColumn({ name: 'published_by', nullable: true }))
    publishedBy: ID | null;
}
