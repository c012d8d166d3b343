import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson, longText } from './columns';

/** What a dry run would change about one record. */
@Entity('flow_difference')
@Index('IDX_flow_difference_once', ['runId', 'stepKey', 'sourceKey', 'batchNo', 'visit', 'place'], { unique: true })
@Index('IDX_flow_difference_run', ['runId', 'channelId', 'id'])
@Index('IDX_flow_difference_created', ['createdAt'])
export class FlowDifference extends FlowEntity {
    constructor(input?: DeepPartial<FlowDifference>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    /** The load step. */
    @Column(keyText({ name: 'step_key', length: 64 }))
    stepKey: string;

    @Column(keyText({ name: 'source_key', length: 64 }))
    sourceKey: string;

    @Column({ type: 'int', name: 'batch_no' })
    batchNo: number;

    /** 0, or more if the batch reaches the step on several ways. */
    @Column({ type: 'int', name: 'visit' })
    visit: number;

    /**
     * The position of the record in the batch. Together with the other columns of the key, it prevents duplicates when a batch is repeated
     * after a crash.
     */
    @Column({ type: 'int', name: 'place' })
    place: number;

    /** The record's number in its source, from 0. */
    @Column({ type: 'int', name: 'seq' })
    seq: number;

    /** CREATE, UPDATE or DELETE. */
    @Column({ type: 'varchar', name: 'action', length: 16 })
    action: string;

    /** The business key: an SKU, a slug. */
    @Column(longText({ name: 'key' }))
    key: string;

    @Column(longJson({ name: 'before', nullable: true }))
    before: JsonObject | null;

    @Column(longJson({ name: 'after', nullable: true }))
    after: JsonObject | null;
}
