import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { epochMs, idColumn, keyText } from './columns';

/** An idempotency key that a webhook remembers, and the run that the first request with it started. */
@Entity('flow_webhook_key')
@Index('IDX_flow_webhook_key_expires', ['expiresAt'])
export class FlowWebhookKey {
    /** SHA-256 of pipeline, trigger and key, so that any key is compared byte by byte. */
    @Column(keyText({ name: 'scope', length: 64, primary: true }))
    scope: string;

    /** SHA-256 of the exact bytes of the body. */
    @Column({ type: 'varchar', name: 'body_digest', length: 64 })
    bodyDigest: string;

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column({ type: 'int', name: 'record_count' })
    recordCount: number;

    /** By the database's clock. */
    @Column(epochMs({ name: 'expires_at' }))
    expiresAt: number;
}
