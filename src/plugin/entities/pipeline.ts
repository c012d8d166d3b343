import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, longText } from './columns';

/** A named pipeline of one channel. Its code is unique in the whole system (spec 4, section 4). */
@Entity('flow_pipeline')
@Index('IDX_flow_pipeline_code', ['code'], { unique: true })
@Index('IDX_flow_pipeline_channel', ['channelId'])
export class FlowPipeline extends FlowEntity {
    constructor(input?: DeepPartial<FlowPipeline>) {
        super(input);
    }

    @Column(keyText({ name: 'code', length: 64 }))
    code: string;

    @Column({ type: 'varchar', name: 'name', length: 255 })
    name: string;

    @Column(longText({ name: 'description', nullable: true }))
    description: string | null;

    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    @Column({ type: Boolean, name: 'archived', default: false })
    archived: boolean;

    /** Declared in the plugin's options, hence read-only for everybody else. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The revision that runs take; null until the first publication. */
    @Column(idColumn({ name: 'published_revision_id', nullable: true }))
    publishedRevisionId: ID | null;
}
