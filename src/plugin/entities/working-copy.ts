import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, UpdateDateColumn } from 'typeorm';
import type { JsonObject } from '../../core/data/json';
import { idColumn, longJson } from './columns';

/** The editable definition of a pipeline, as it was written: it may have faults. Apart from its row, which lists read. */
@Entity('flow_working_copy')
export class FlowWorkingCopy {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(longJson({ name: 'definition' }))
    definition: JsonObject;

    @Column(idColumn({ name: 'updated_by', nullable: true }))
    updatedBy: ID | null;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;

    @UpdateDateColumn({ name: 'updated_at' })
    updatedAt: Date;
}
