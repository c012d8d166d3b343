import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { byteCount, FlowEntity, idColumn, keyText, timestampColumn } from './columns';

/** An uploaded or exported file; `createdAt` is when it was stored. Its content is in the storage and never changes. */
@Entity('flow_managed_file')
@Index('IDX_flow_managed_file_channel', ['channelId', 'createdAt', 'id'])
@Index('IDX_flow_managed_file_expiry', ['expiresAt', 'id'])
@Index('IDX_flow_managed_file_export', ['channelId', 'exportCode', 'id'])
@Index('IDX_flow_managed_file_blob', ['blobKey'], { unique: true })
export class FlowManagedFile extends FlowEntity {
    constructor(input?: DeepPartial<FlowManagedFile>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column({ type: 'varchar', name: 'filename', length: 255 })
    filename: string;

    @Column({ type: 'varchar', name: 'mime_type', length: 128 })
    mimeType: string;

    /** The format of the content: csv, json, xml, txt, xls or xlsx. */
    @Column({ type: 'varchar', name: 'format', length: 16 })
    format: string;

    /** The encoding of a text, detected by its first bytes; null if these do not show it. */
    @Column({ type: 'varchar', name: 'encoding', length: 16, nullable: true })
    encoding: string | null;

    @Column(byteCount({ name: 'size' }))
    size: number;

    /** The SHA-256 of the content, in hexadecimal digits. */
    @Column({ type: 'varchar', name: 'sha256', length: 64 })
    sha256: string;

    /** The number of records; null until they have been counted. */
    @Column({ type: 'int', name: 'rows', nullable: true })
    rows: number | null;

    /** The user who uploaded it. */
    @Column(idColumn({ name: 'uploaded_by', nullable: true }))
    uploadedBy: ID | null;

    /** After this time, only runs that already use the file can read it; null if it is kept until it is deleted. */
    @Column(timestampColumn({ name: 'expires_at', nullable: true }))
    expiresAt: Date | null;

    /** When its removal started. The content is deleted before the row, and the row is invisible in between. */
    @Column(timestampColumn({ name: 'removed_at', nullable: true }))
    removedAt: Date | null;

    /** The code of the export that wrote it; null for an uploaded file. */
    @Column(keyText({ name: 'export_code', length: 160, nullable: true }))
    exportCode: string | null;

    /** The key of its content in the storage. */
    @Column(keyText({ name: 'blob_key', length: 64 }))
    blobKey: string;
}
