import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, longJson } from './columns';

/** Something to be made known of a committed batch; deleted once it has been (architecture 10a, "Pending effects"). */
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
}
