import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { ImportPlan } from '../../core/import/import-plan';
import { FlowEntity, idColumn, keyText, longJson } from './columns';

/** The screens of the import wizard. */
export type ImportStep = 'FILE' | 'TARGET' | 'MAPPING' | 'CHECK' | 'IMPORT';

/** An unfinished import of a user in a channel. Deleted 30 days after its last change. */
@Entity('flow_import_draft')
@Index('IDX_flow_import_draft_user', ['channelId', 'userId', 'updatedAt'])
@Index('IDX_flow_import_draft_updated', ['updatedAt'])
export class FlowImportDraft extends FlowEntity {
    constructor(input?: DeepPartial<FlowImportDraft>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(idColumn({ name: 'user_id' }))
    userId: ID;

    /** Incremented by every change. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;

    @Column({ type: 'varchar', name: 'step', length: 16 })
    step: ImportStep;

    @Column(idColumn({ name: 'file_id' }))
    fileId: ID;

    @Column({ type: 'varchar', name: 'filename', length: 255 })
    filename: string;

    @Column(longJson({ name: 'plan' }))
    plan: ImportPlan;

    /** The pipeline that the import repeats with another file; null for a new one. */
    @Column(idColumn({ name: 'repeated_id', nullable: true }))
    repeatedId: ID | null;

    /** The pipeline that checks are run on. It is not listed until the import creates it. */
    @Column(idColumn({ name: 'pipeline_id', nullable: true }))
    pipelineId: ID | null;

    /** The last check. */
    @Column(idColumn({ name: 'run_id', nullable: true }))
    runId: ID | null;

    /** SHA-256 of the plan that was checked. */
    @Column(keyText({ name: 'checked_digest', length: 64, nullable: true }))
    checkedDigest: string | null;
}
