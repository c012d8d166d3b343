import { Column, Entity } from 'typeorm';
import { epochMs, keyText } from './columns';

/** A lease that one process holds at a time, for example to do periodic work or to publish the effects of a run. */
@Entity('flow_lease')
export class FlowLease {
    @Column(keyText({ name: 'name', length: 128, primary: true }))
    name: string;

    /** Null if no process holds it. */
    @Column({ type: 'varchar', name: 'holder', length: 36, nullable: true })
    holder: string | null;

    /** Incremented with each new holder. */
    @Column({ type: 'int', name: 'term', default: 0 })
    term: number;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;

    /**
     * How many times other processes have requested the same work since the holder acquired the lease. The holder then repeats the work.
     */
    @Column({ type: 'int', name: 'asked', default: 0 })
    asked: number;
}
