import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { Severity } from '../../core/adapter/rule';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson, longText, timestampColumn } from './columns';

/**
 * What is to be done about a rejected record: OPEN nothing has been yet; REPLAYED a run is to bring it to its end; LOADED one has, or has found that there is
 * nothing to do; REJECTED one has refused it again, which is a record error of its own; IGNORED somebody has said that it can be left.
 */
export const RECORD_ERROR_STATES = ['OPEN', 'REPLAYED', 'LOADED', 'REJECTED', 'IGNORED'] as const;
export type RecordErrorState = (typeof RECORD_ERROR_STATES)[number];

/** A record that left the stream, or with severity WARNING went on without something, with its reason. Outlives its run, hence the pipeline's id. */
@Entity('flow_record_error')
@Index('IDX_flow_record_error_once', ['runId', 'stepKey', 'sourceKey', 'seq', 'ordinal'], { unique: true })
@Index('IDX_flow_record_error_run', ['runId', 'channelId', 'id'])
@Index('IDX_flow_record_error_channel', ['channelId', 'id'])
@Index('IDX_flow_record_error_created', ['createdAt'])
@Index('IDX_flow_record_error_cause', ['channelId', 'state', 'cause', 'createdAt', 'pipelineId'])
@Index('IDX_flow_record_error_pipeline', ['pipelineId', 'state'])
@Index('IDX_flow_record_error_replay', ['replayRunId', 'state'])
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

    /** Made of step, code and field: what is alike for all records that are wrong in the same way. */
    @Column(keyText({ name: 'cause', length: 22, default: '' }))
    cause: string;

    /** Null where there is nothing to be done: a warning, what a dry run has refused, and what stands for another row. */
    @Column(keyText({ name: 'state', length: 16, nullable: true }))
    state: RecordErrorState | null;

    /** Why it is ignored. */
    @Column(longText({ name: 'note', nullable: true }))
    note: string | null;

    /** Who has replayed, ignored or reopened it last. */
    @Column(idColumn({ name: 'decided_by', nullable: true }))
    decidedBy: ID | null;

    @Column(timestampColumn({ name: 'decided_at', nullable: true }))
    decidedAt: Date | null;

    /** The run that is given it, or was last; with the step that reads it there, and its number. */
    @Column(idColumn({ name: 'replay_run_id', nullable: true }))
    replayRunId: ID | null;

    @Column(keyText({ name: 'replay_source_key', length: 64, nullable: true }))
    replaySourceKey: string | null;

    @Column({ type: 'int', name: 'replay_seq', nullable: true })
    replaySeq: number | null;

    /** The record as that run is given it, where somebody has changed it. */
    @Column(longJson({ name: 'correction', nullable: true }))
    correction: JsonObject | null;
}
