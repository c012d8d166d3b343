import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, UpdateDateColumn } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { idColumn, longJson } from './columns';

/** The editable definition of a pipeline, as it was written: it may have faults. Apart from its row, which lists read. */
@Entity('flow_working_copy')
export class FlowWorkingCopy {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(longJson({ name: 'definition' }))
    definition: JsonObject;

    /**
     * What is wrong with the definition by itself and what it names (`StoredCheck`): lists would otherwise look through a megabyte for each
     * of their rows. Read where it is asked for only.
     */
    @Column(longJson({ name: 'checked', nullable: true, select: false }))
    checked: JsonObject | null;

    /** What that was found with; whoever would check with anything else does so anew. */
    @Column({ type: 'varchar', name: 'checked_with', length: 64, nullable: true, select: false })
    checkedWith: string | null;

    @Column(idColumn({ name: 'updated_by', nullable: true }))
    updatedBy: ID | null;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;

    @UpdateDateColumn({ name: 'updated_at' })
    updatedAt: Date;
}
