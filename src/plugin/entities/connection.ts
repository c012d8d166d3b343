import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson } from './columns';

/** How to reach a system outside. Its code is unique within its channel; it holds no secret, only codes of secrets. */
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

    /** False once a connection that came from the shop's code is gone from there. */
    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    /** Declared in the plugin's options, hence read-only for everybody else. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    /** Raised by every change. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;
}
