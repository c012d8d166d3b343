import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, timestampColumn } from './columns';

/**
 * An address that serves the newest file of an export to everyone who knows it. Only the hash of its token is stored. A revoked feed is
 * kept, to show who created and who revoked it.
 */
@Entity('flow_feed')
@Index('IDX_flow_feed_channel', ['channelId', 'createdAt', 'id'])
@Index('IDX_flow_feed_token', ['tokenHash'], { unique: true })
export class FlowFeed extends FlowEntity {
    constructor(input?: DeepPartial<FlowFeed>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The code of the export whose newest file is served. */
    @Column(keyText({ name: 'export_code', length: 160 }))
    exportCode: string;

    /** The recipient of the address. */
    @Column({ type: 'varchar', name: 'name', length: 255 })
    name: string;

    /** SHA-256 of the token, in hexadecimal digits. */
    @Column(keyText({ name: 'token_hash', length: 64 }))
    tokenHash: string;

    /** Null if it is valid until it is revoked. */
    @Column(timestampColumn({ name: 'expires_at', nullable: true }))
    expiresAt: Date | null;

    @Column(idColumn({ name: 'created_by', nullable: true }))
    createdBy: ID | null;

    @Column(timestampColumn({ name: 'revoked_at', nullable: true }))
    revokedAt: Date | null;

    @Column(idColumn({ name: 'revoked_by', nullable: true }))
    revokedBy: ID | null;
}
