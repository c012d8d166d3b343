import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { epochMs, idColumn, keyText } from './columns';

/** A message that has started a run. Kept for as long as the broker may deliver it again. */
@Entity('flow_received_message')
@Index('IDX_flow_received_message_expires', ['expiresAt'])
export class FlowReceivedMessage {
    /** SHA-256 of trigger, queue, identity and body. */
    @Column(keyText({ name: 'scope', length: 64, primary: true }))
    scope: string;

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;
}
