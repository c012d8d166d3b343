import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, timestampColumn } from './columns';

/**
 * An address at which the newest file of an export is served to whoever has it. Its token is stored as a hash alone. A revoked one stays, so that
 * it is known who made it and who took it back.
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

    /** Of the export whose newest file is served. */
    @Column(keyText({ name: 'export_code', length: 160 }))
    exportCode: string;

    /** Who it was given to. */
    @Column({ type: 'varchar', name: 'name', length: 255 })
    name: string;

    /** SHA-256 of the token, in hexadecimal digits. */
    @Column(keyText({ name: 'token_hash', length: 64 }))
    tokenHash: string;

    /** Null where it holds until it is revoked. */
    @Column(timestampColumn({ name: 'expires_at', nullable: true }))
    expiresAt: Date | null;

    @Column(idColumn({ name: 'created_by', nullable: true }))
    createdBy: ID | null;

    @Column(timestampColumn({ name: 'revoked_at', nullable: true }))
    revokedAt: Date | null;

    @Column(idColumn({ name: 'revoked_by', nullable: true }))
    revokedBy: ID | null;
}
