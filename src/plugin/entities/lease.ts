import { Column, Entity } from 'typeorm';
import { epochMs, keyText } from './columns';

/** Who is at something that one process of many does at a time: leads in periodic work, makes the effects of a run known. */
@Entity('flow_lease')
export class FlowLease {
    @Column(keyText({ name: 'name', length: 128, primary: true }))
    name: string;

    /** Null where nobody is. */
    @Column({ type: 'varchar', name: 'holder', length: 36, nullable: true })
    holder: string | null;

    /** One more with each new holder. */
    @Column({ type: 'int', name: 'term', default: 0 })
    term: number;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;

    /** How often somebody else came for the same work since the holder took it: the holder does it once more then. */
    @Column({ type: 'int', name: 'asked', default: 0 })
    asked: number;
}
