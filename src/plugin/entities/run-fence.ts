import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity } from 'typeorm';
import { idColumn } from './columns';

/**
 * The worker whose writes are accepted. A separate table, because every batch reads the row FOR SHARE and must never wait for the heartbeat
 * in the run's row. Written when a worker claims the run, and deleted when the run has ended.
 */
@Entity('flow_run_fence')
export class FlowRunFence {
    @Column(idColumn({ name: 'run_id', primary: true }))
    runId: ID;

    @Column({ type: 'varchar', name: 'token', length: 36 })
    token: string;
}
