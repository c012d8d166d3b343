import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, longText } from './columns';

export type GateVerdict = 'APPROVED' | 'REJECTED';

/** Who decided: a user, the gate's timeout, or the gate itself by the share of rejected records. */
export type GateDecider = 'PERSON' | 'TIMEOUT' | 'THRESHOLD';

/** The decision about a gate of a paused run; `createdAt` is when it was made. Deleted with the run. */
@Entity('flow_gate_decision')
@Index('IDX_flow_gate_decision_run', ['runId', 'id'])
export class FlowGateDecision extends FlowEntity {
    constructor(input?: DeepPartial<FlowGateDecision>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column(keyText({ name: 'step_key', length: 64 }))
    stepKey: string;

    @Column({ type: 'varchar', name: 'verdict', length: 16 })
    verdict: GateVerdict;

    @Column({ type: 'varchar', name: 'decider', length: 16 })
    decider: GateDecider;

    /** Null if it was not decided by a user. */
    @Column(idColumn({ name: 'actor_id', nullable: true }))
    actorId: ID | null;

    @Column(longText({ name: 'comment', nullable: true }))
    comment: string | null;

    /** How many records the gate held. */
    @Column({ type: 'int', name: 'records' })
    records: number;
}
