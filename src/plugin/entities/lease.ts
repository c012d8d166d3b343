import { Column, Entity } from 'typeorm';
import { epochMs, keyText } from './columns';

/** Who is at something that only one is to do at a time. */
@Entity('flow_lease')
export class FlowLease {
    @Column(keyText({ name: 'name', length: 128, primary: true }))
    name: string;

    @Column({ type: 'varchar', name: 'token', length: 36 })
    token: string;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;
}
