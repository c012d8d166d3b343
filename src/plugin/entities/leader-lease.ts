import { Column, Entity } from 'typeorm';
import { epochMs, keyText } from './columns';

/** Who leads in something that one process of many does at a time; one row for each such thing. */
@Entity('flow_leader_lease')
export class FlowLeaderLease {
    @Column(keyText({ name: 'name', length: 64, primary: true }))
    name: string;

    /** Null where nobody leads. */
    @Column({ type: 'varchar', name: 'holder', length: 36, nullable: true })
    holder: string | null;

    /** One more with each new holder. */
    @Column({ type: 'int', name: 'term', default: 0 })
    term: number;

    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;
}
