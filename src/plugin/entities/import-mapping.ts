import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText } from './columns';

/** A field that a user has chosen for columns with a name, against the suggestion. */
@Entity('flow_import_mapping')
@Index('IDX_flow_import_mapping_header', ['channelId', 'header'], { unique: true })
export class FlowImportMapping extends FlowEntity {
    constructor(input?: DeepPartial<FlowImportMapping>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The name of the column, without case, accents and signs. */
    @Column(keyText({ name: 'header', length: 255 }))
    header: string;

    @Column({ type: 'varchar', name: 'field', length: 255 })
    field: string;
}
