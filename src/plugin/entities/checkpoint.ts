import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, UpdateDateColumn } from 'typeorm';
import { idColumn, keyText, longJson } from './columns';

/**
 * A step's durable state. Scope '' belongs to the pipeline and outlives its runs. 'run:<id>' contains how far that run's sources are
 * committed, and is deleted when the run ends.
 */
@Entity('flow_checkpoint')
export class FlowCheckpoint {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(keyText({ name: 'scope', length: 64, primary: true }))
    scope: string;

    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** '' for a position. */
    @Column(keyText({ name: 'key', length: 255, primary: true }))
    key: string;

    /** A JSON value. With that type, TypeORM's own types would be infinitely deep. */
    @Column(longJson({ name: 'value' }))
    value: unknown;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;

    @UpdateDateColumn({ name: 'updated_at' })
    updatedAt: Date;
}
