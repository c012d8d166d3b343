import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { epochMs, FlowEntity, idColumn, longJson } from './columns';

/** Something to be made known of a committed batch; deleted once it has been. */
@Entity('flow_pending_effect')
@Index('IDX_flow_pending_effect_run', ['runId', 'id'])
export class FlowPendingEffect extends FlowEntity {
    constructor(input?: DeepPartial<FlowPendingEffect>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column({ type: 'varchar', name: 'step_key', length: 64 })
    stepKey: string;

    @Column({ type: 'varchar', name: 'kind', length: 64 })
    kind: string;

    @Column(longJson({ name: 'payload' }))
    payload: JsonObject;

    /** How often it was begun with what is to be done next. */
    @Column({ type: 'int', name: 'attempts', default: 0 })
    attempts: number;

    /** Nobody is to begin with it before; null: it may be begun with at once. */
    @Column(epochMs({ name: 'next_try_at', nullable: true }))
    nextTryAt: number | null;

    /** EVENT where its events are published or none are to be, INDEX where the index is left out; null: both are to be done. */
    @Column({ type: 'varchar', name: 'done', length: 16, nullable: true })
    done: 'EVENT' | 'INDEX' | null;
}
