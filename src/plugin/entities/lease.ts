import { Column, Entity } from 'typeorm';
import { epochMs, keyText } from './columns';

/** A lease that one process holds at a time: to lead in periodic work, to make the effects of a run known. */
@Entity('flow_lease')
export class FlowLease {
    @Column(keyText({ name: 'name', length: 128, primary: true }))
    name: string;

    /** Null while nobody holds it. */
    @Column({ type: 'varchar', name: 'holder', length: 36, nullable: true })
    holder: string | null;

    /** One more with each new holder. */
    @Column({ type: 'int', name: 'term', default: 0 })
    term: number;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;

    /** How often other processes have asked for the same work since the holder took it: the holder repeats it then. */
    @Column({ type: 'int', name: 'asked', default: 0 })
    asked: number;
}
