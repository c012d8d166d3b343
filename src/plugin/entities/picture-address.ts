import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, UpdateDateColumn } from 'typeorm';
import { idColumn, keyText, longText } from './columns';

/** The picture that was found at an address when it was last fetched, and the validators for asking the server whether it has changed. */
@Entity('flow_picture_address')
export class FlowPictureAddress {
    @Column(idColumn({ name: 'channel_id', primary: true }))
    channelId: ID;

    /** SHA-256 of the address, which may be longer than a key can be. */
    @Column(keyText({ name: 'address', length: 64, primary: true }))
    address: string;

    /** The digest of the picture. */
    @Column(keyText({ name: 'digest', length: 64 }))
    digest: string;

    @Column(longText({ name: 'etag', nullable: true }))
    etag: string | null;

    @Column(longText({ name: 'last_modified', nullable: true }))
    lastModified: string | null;

    @UpdateDateColumn({ name: 'updated_at' })
    updatedAt: Date;
}
