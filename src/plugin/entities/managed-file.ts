import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { byteCount, FlowEntity, idColumn, keyText, timestampColumn } from './columns';

/** An uploaded or exported file; `createdAt` is when it was stored. Its content lies in the storage, and never changes. */
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

    /** What the bytes are: csv, json, xml, txt, xls or xlsx. */
    @Column({ type: 'varchar', name: 'format', length: 16 })
    format: string;

    /** Of a text, as its first bytes have it; null where they do not tell. */
    @Column({ type: 'varchar', name: 'encoding', length: 16, nullable: true })
    encoding: string | null;

    @Column(byteCount({ name: 'size' }))
    size: number;

    /** Of the content, in hexadecimal digits. */
    @Column({ type: 'varchar', name: 'sha256', length: 64 })
    sha256: string;

    /** How many records it holds, once somebody has counted. */
    @Column({ type: 'int', name: 'rows', nullable: true })
    rows: number | null;

    /** The user who uploaded it. */
    @Column(idColumn({ name: 'uploaded_by', nullable: true }))
    uploadedBy: ID | null;

    /** From then on it is not there any more, but for runs that use it already; null where it is kept until it is deleted. */
    @Column(timestampColumn({ name: 'expires_at', nullable: true }))
    expiresAt: Date | null;

    /** Since when it is being removed: its content goes before its row, and the row may not be seen in between. */
    @Column(timestampColumn({ name: 'removed_at', nullable: true }))
    removedAt: Date | null;

    /** Of the export that it was made by; null of an uploaded file. */
    @Column(keyText({ name: 'export_code', length: 160, nullable: true }))
    exportCode: string | null;

    /** Of its content in the storage. */
    @Column(keyText({ name: 'blob_key', length: 64 }))
    blobKey: string;
}
