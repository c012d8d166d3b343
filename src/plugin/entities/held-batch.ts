import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity } from 'typeorm';
import { idColumn, keyText, longText } from './columns';

/**
 * The records of a batch that steps hold (ADR 8), in pieces that each fit one statement. There are pieces for each visit of the batch to
 * such a step. The step key '' contains what the batch needs when it continues. Deleted when it has continued, or when the run has ended.
 */
@Entity('flow_held_batch')
export class FlowHeldBatch {
    @Column(idColumn({ name: 'run_id', primary: true }))
    runId: ID;

    @Column(keyText({ name: 'source_key', length: 64, primary: true }))
    sourceKey: string;

    @Column({ type: 'int', name: 'batch_no', primary: true })
    batchNo: number;

    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    @Column({ type: 'int', name: 'visit', primary: true })
    visit: number;

    @Column({ type: 'int', name: 'piece', primary: true })
    piece: number;

    /** Whether the records may continue. */
    @Column({ type: Boolean, name: 'released', default: false })
    released: boolean;

    /**
     * The number of records in the piece. Under the step key '': how many entries are kept for later runs once the whole batch is
     * committed.
     */
    @Column({ type: 'int', name: 'records' })
    records: number;

    /** A JSON list. */
    @Column(longText({ name: 'content' }))
    content: string;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;
}
