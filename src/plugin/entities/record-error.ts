import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { Severity } from '../../core/adapter/rule';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson, longText } from './columns';

/** A record that left the stream, or with severity WARNING went on without something, with its reason. Outlives its run (spec 4, retention), hence the pipeline's id. */
@Entity('flow_record_error')
@Index('IDX_flow_record_error_once', ['runId', 'stepKey', 'sourceKey', 'seq', 'ordinal'], { unique: true })
@Index('IDX_flow_record_error_run', ['runId', 'channelId', 'id'])
@Index('IDX_flow_record_error_channel', ['channelId', 'id'])
@Index('IDX_flow_record_error_created', ['createdAt'])
export class FlowRecordError extends FlowEntity {
    constructor(input?: DeepPartial<FlowRecordError>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(keyText({ name: 'step_key', length: 64 }))
    stepKey: string;

    @Column(keyText({ name: 'source_key', length: 64 }))
    sourceKey: string;

    /** The record's number in its source, from 0. */
    @Column({ type: 'int', name: 'seq' })
    seq: number;

    /** Tells the several records of one origin apart. */
    @Column({ type: 'int', name: 'ordinal' })
    ordinal: number;

    @Column({ type: 'varchar', name: 'code', length: 64 })
    code: string;

    /** A warning: the record went on. */
    @Column({ type: 'varchar', name: 'severity', length: 16, default: 'ERROR' })
    severity: Severity;

    @Column(longText({ name: 'message' }))
    message: string;

    /** The field at fault. */
    @Column(longText({ name: 'path', nullable: true }))
    path: string | null;

    /** Where the record stands at its source. */
    @Column(longText({ name: 'place', nullable: true }))
    place: string | null;

    @Column(longJson({ name: 'payload' }))
    payload: JsonObject;

    /** The record as its source gave it, where that is something else than the payload. */
    @Column(longJson({ name: 'source', nullable: true }))
    source: JsonObject | null;

    /** Each fault of a record that has several. */
    @Column(longJson({ name: 'faults', nullable: true }))
    faults: JsonObject[] | null;
}
