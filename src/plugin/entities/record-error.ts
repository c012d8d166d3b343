import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { Severity } from '../../core/adapter/rule';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, keyText, longJson, longText, timestampColumn } from './columns';

/**
 * What was done about a rejected record. OPEN: nothing yet. REPLAYED: a run is processing it again. LOADED: a run has loaded it, or had
 * nothing left to do. REJECTED: a run has rejected it again, which is a separate record error. IGNORED: a user has decided to ignore it.
 */
export const RECORD_ERROR_STATES = ['OPEN', 'REPLAYED', 'LOADED', 'REJECTED', 'IGNORED'] as const;
export type RecordErrorState = (typeof RECORD_ERROR_STATES)[number];

/**
 * A record that was rejected, or with severity WARNING continued without something, with the reason. It outlives its run, so it has the
 * pipeline's id.
 */
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

    /** Distinguishes several records with the same origin. */
    @Column({ type: 'int', name: 'ordinal' })
    ordinal: number;

    @Column({ type: 'varchar', name: 'code', length: 64 })
    code: string;

    /** WARNING: the record continued. */
    @Column({ type: 'varchar', name: 'severity', length: 16, default: 'ERROR' })
    severity: Severity;

    @Column(longText({ name: 'message' }))
    message: string;

    /** What the message consists of; null if it has no placeholders. */
    @Column(longJson({ name: 'facts', nullable: true }))
    facts: JsonObject | null;

    /** The field with the problem. */
    @Column(longText({ name: 'path', nullable: true }))
    path: string | null;

    /** Where the record is in its source. */
    @Column(longText({ name: 'place', nullable: true }))
    place: string | null;

    @Column(longJson({ name: 'payload' }))
    payload: JsonObject;

    /** The record as it was read, if this differs from the payload. */
    @Column(longJson({ name: 'source', nullable: true }))
    source: JsonObject | null;

    /** The issues of a record that has several. */
    @Column(longJson({ name: 'faults', nullable: true }))
    faults: JsonObject[] | null;

    /** The hash of step, code and field, which is the same for all records with the same cause. */
    @Column(keyText({ name: 'cause', length: 22, default: '' }))
    cause: string;

    /** Null if nothing can be done: a warning, a record that a dry run rejected, or a row that duplicates another row. */
    @Column(keyText({ name: 'state', length: 16, nullable: true }))
    state: RecordErrorState | null;

    /** Why it is ignored. */
    @Column(longText({ name: 'note', nullable: true }))
    note: string | null;

    /** The user who last replayed, ignored or reopened it. */
    @Column(idColumn({ name: 'decided_by', nullable: true }))
    decidedBy: ID | null;

    @Column(timestampColumn({ name: 'decided_at', nullable: true }))
    decidedAt: Date | null;

    /** The run that replays it, or replayed it last, with the step that reads it there and its number. */
    @Column(idColumn({ name: 'replay_run_id', nullable: true }))
    replayRunId: ID | null;

    @Column(keyText({ name: 'replay_source_key', length: 64, nullable: true }))
    replaySourceKey: string | null;

    @Column({ type: 'int', name: 'replay_seq', nullable: true })
    replaySeq: number | null;

    /** The corrected record that the replay receives, if a user has changed it. */
    @Column(longJson({ name: 'correction', nullable: true }))
    correction: JsonObject | null;
}
