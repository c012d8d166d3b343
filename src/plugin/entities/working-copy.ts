import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, UpdateDateColumn } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { idColumn, longJson } from './columns';

/**
 * The editable definition of a pipeline as it was written; it may contain errors. It is kept apart from the pipeline's row, which lists
 * read.
 */
@Entity('flow_working_copy')
export class FlowWorkingCopy {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(longJson({ name: 'definition' }))
    definition: JsonObject;

    /**
     * The issues of the definition itself and the resources that it names (`StoredCheck`). Otherwise lists would check up to a megabyte for
     * each of their rows. Only read if it is requested.
     */
    @Column(longJson({ name: 'checked', nullable: true, select: false }))
    checked: JsonObject | null;

    /** The version of the check that found these issues. With another version the definition is checked again. */
    @Column({ type: 'varchar', name: 'checked_with', length: 64, nullable: true, select: false })
    checkedWith: string | null;

    @Column(idColumn({ name: 'updated_by', nullable: true }))
    updatedBy: ID | null;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;

    @UpdateDateColumn({ name: 'updated_at' })
    updatedAt: Date;
}
