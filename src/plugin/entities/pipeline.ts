import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, longText, timestampColumn } from './columns';

/** The review state of a working copy. */
export type WorkingCopyStatus = 'DRAFT' | 'REVIEW';

/** A named pipeline of one channel. Its code is unique in the whole system. */
@Entity('flow_pipeline')
@Index('IDX_flow_pipeline_code', ['code'], { unique: true })
@Index('IDX_flow_pipeline_channel', ['channelId'])
export class FlowPipeline extends FlowEntity {
    constructor(input?: DeepPartial<FlowPipeline>) {
        super(input);
    }

    @Column(keyText({ name: 'code', length: 64 }))
    code: string;

    @Column({ type: 'varchar', name: 'name', length: 255 })
    name: string;

    @Column(longText({ name: 'description', nullable: true }))
    description: string | null;

    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    @Column({ type: Boolean, name: 'archived', default: false })
    archived: boolean;

    /** Defined in the plugin's options, and therefore read-only elsewhere. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    /** Of an unfinished import: lists leave it out. */
    @Column({ type: Boolean, name: 'hidden', default: false })
    hidden: boolean;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The status of the working copy. */
    @Column({ type: 'varchar', name: 'status', length: 16, default: 'DRAFT' })
    status: WorkingCopyStatus;

    /** Incremented by every change of the pipeline and its working copy. Callers send the version on which their change is based. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;

    /** Whether the working copy differs from the newest revision; true before the first publication. */
    @Column({ type: Boolean, name: 'has_changes', default: false })
    hasChanges: boolean;

    @Column(idColumn({ name: 'submitted_by', nullable: true }))
    submittedBy: ID | null;

    @Column(timestampColumn({ name: 'submitted_at', nullable: true }))
    submittedAt: Date | null;

    /** Why the last review rejected the working copy; null again once it is submitted or published. */
    @Column(longText({ name: 'review_comment', nullable: true }))
    reviewComment: string | null;

    @Column(idColumn({ name: 'reviewed_by', nullable: true }))
    reviewedBy: ID | null;

    /** The live revision: the newest one unless a user has selected another one; null until the first publication. */
    @Column(idColumn({ name: 'selected_revision_id', nullable: true }))
    selectedRevisionId: ID | null;

    /**
     * For a code-first pipeline whose definition is not published yet: the digest of this definition, as written by the process that
     * started last.
     */
    @Column({ type: 'varchar', name: 'held_digest', length: 64, nullable: true })
    heldDigest: string | null;
}
