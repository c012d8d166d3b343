import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, Index } from 'typeorm';
import { idColumn, keyText, longJson } from './columns';

/**
 * Some records of an incomplete export. The content is in the storage of files. The row is deleted when the export is complete, or its run
 * has ended.
 */
@Entity('flow_export_part')
@Index('IDX_flow_export_part_blob', ['blobKey'])
export class FlowExportPart {
    @Column(idColumn({ name: 'run_id', primary: true }))
    runId: ID;

    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** The delivery id of its first record. */
    @Column(keyText({ name: 'part_key', length: 64, primary: true }))
    partKey: string;

    /** Its position among the parts of its step. */
    @Column({ type: 'int', name: 'number' })
    number: number;

    @Column({ type: 'int', name: 'records' })
    records: number;

    /** The names of the fields of its records. */
    @Column(longJson({ name: 'columns' }))
    columns: string[];

    @Column(keyText({ name: 'blob_key', length: 64 }))
    blobKey: string;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;
}
