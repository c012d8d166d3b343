import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson } from './columns';

/**
 * The settings for reaching an external system. The code is unique within the channel. The row contains codes of secrets, but no secret.
 */
@Entity('flow_connection')
@Index('IDX_flow_connection_code', ['channelId', 'code'], { unique: true })
export class FlowConnection extends FlowEntity {
    constructor(input?: DeepPartial<FlowConnection>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(keyText({ name: 'code', length: 64 }))
    code: string;

    @Column({ type: 'varchar', name: 'name', length: 255 })
    name: string;

    /** The code of a connection type: HTTP, SFTP … */
    @Column({ type: 'varchar', name: 'type', length: 32 })
    type: string;

    @Column(longJson({ name: 'settings' }))
    settings: JsonObject;

    /** False once a connection of the shop's code has been removed from the code. */
    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    /** Defined in the plugin's options, and therefore read-only elsewhere. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    /** Incremented by every change. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;
}
