import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { epochMs, FlowEntity, idColumn, longJson } from './columns';

/** An effect of a committed batch that is still to be published. Deleted when it has been published. */
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

    /** The number of attempts at the next part of the effect. */
    @Column({ type: 'int', name: 'attempts', default: 0 })
    attempts: number;

    /** No process may try it before this time. Null: it can be tried at once. */
    @Column(epochMs({ name: 'next_try_at', nullable: true }))
    nextTryAt: number | null;

    /** EVENT if its events are published or it has none, INDEX if the index is not updated; null: both are to be done. */
    @Column({ type: 'varchar', name: 'done', length: 16, nullable: true })
    done: 'EVENT' | 'INDEX' | null;
}
