import type { ID } from '@vendure/common/lib/shared-types';
import { Column, CreateDateColumn, Entity, Index } from 'typeorm';
import { byteCount, idColumn, keyText, longText } from './columns';

/**
 * A picture that Flow has put into the shop's storage, identified by its content: the same bytes are stored once per channel. The row is
 * completed as soon as the files are stored, so that a repeated batch finds them. The asset follows with the batch.
 */
@Entity('flow_picture')
@Index('IDX_flow_picture_asset', ['assetId'])
@Index('IDX_flow_picture_file_size', ['fileSize'])
export class FlowPicture {
    @Column(idColumn({ name: 'channel_id', primary: true }))
    channelId: ID;

    /** SHA-256 of its bytes. */
    @Column(keyText({ name: 'digest', length: 64, primary: true }))
    digest: string;

    /** Empty until a batch has created an asset from it. */
    @Column(idColumn({ name: 'asset_id', nullable: true }))
    assetId: ID | null;

    /** The names of its files in the storage. */
    @Column(longText({ name: 'source' }))
    source: string;

    @Column(longText({ name: 'preview' }))
    preview: string;

    @Column({ type: 'varchar', name: 'mime_type', length: 255 })
    mimeType: string;

    @Column({ type: 'int', name: 'width' })
    width: number;

    @Column({ type: 'int', name: 'height' })
    height: number;

    /** 0 while its files are being stored under these names. If the process ends meanwhile, the next one continues with them. */
    @Column(byteCount({ name: 'file_size' }))
    fileSize: number;

    @CreateDateColumn({ name: 'created_at' })
    createdAt: Date;
}
