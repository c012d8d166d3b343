import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity } from 'typeorm';
import { idColumn, keyText, longText } from './columns';

/**
 * What steps hold of a batch (ADR 8), in pieces that each fit one statement: the records of each visit of the batch to such a step, and under
 * the step key '' what the batch has to know when it goes on. Gone when it has, or when the run has ended.
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

    /** The records may go on. */
    @Column({ type: Boolean, name: 'released', default: false })
    released: boolean;

    /** How many records are in the piece; under the step key '' how much is to be remembered beyond the run once all of the batch has settled. */
    @Column({ type: 'int', name: 'records' })
    records: number;

    /** A JSON list. */
    @Column(longText({ name: 'content' }))
    content: string;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;
}
