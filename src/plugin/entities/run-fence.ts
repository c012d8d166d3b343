import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity } from 'typeorm';
import { idColumn } from './columns';

/**
 * Whose writes count. A row of its own, since every batch reads it FOR SHARE and must never wait for
 * the heartbeat of the run's row. Written when a worker takes the run, gone when the run has ended.
 */
@Entity('flow_run_fence')
export class FlowRunFence {
    @Column(idColumn({ name: 'run_id', primary: true }))
    runId: ID;

    @Column({ type: 'varchar', name: 'token', length: 36 })
    token: string;
}
