import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity } from 'typeorm';
import { idColumn, keyText, longText } from './columns';

/**
 * Records that a batch was loaded, in the transaction that loaded it. Its columns are the key: a batch that is repeated after a crash takes
 * its result from here. Deleted when the run has ended; the checkpoint then contains what the next run needs.
 */
@Entity('flow_load_marker')
export class FlowLoadMarker {
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

    /** The digest of the batch's input. */
    @Column({ type: 'varchar', name: 'digest', length: 64 })
    digest: string;

    /** One letter for each record, and the numbers of the records in their source. */
    @Column(longText({ name: 'verdicts' }))
    verdicts: string;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;
}
