import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { ColumnType } from '../../core/import/import-profile';
import type { ImportPlan } from '../../core/import/import-plan';
import { FlowEntity, idColumn, keyText, longJson } from './columns';

/** A column of the file that a pipeline was made for. */
interface ImportedColumn {
    readonly name: string;
    readonly type: ColumnType;
}

/** The plan that an import has made a pipeline of. */
@Entity('flow_import_origin')
@Index('IDX_flow_import_origin_pipeline', ['pipelineId'], { unique: true })
@Index('IDX_flow_import_origin_channel', ['channelId', 'updatedAt'])
export class FlowImportOrigin extends FlowEntity {
    constructor(input?: DeepPartial<FlowImportOrigin>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    @Column(longJson({ name: 'plan' }))
    plan: ImportPlan;

    @Column(longJson({ name: 'columns' }))
    columns: readonly ImportedColumn[];

    /** Records of the file. */
    @Column({ type: 'int', name: 'rows' })
    rows: number;

    /** Digest of the definition that was made of the plan. Another one shows that the pipeline was changed in the editor. */
    @Column(keyText({ name: 'digest', length: 64 }))
    digest: string;
}
