import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { InputSource } from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import type { Counters } from '../../core/progress/counters';
import type { StepStatuses } from '../../core/progress/step-statuses';
import type { RunOutcome, RunStatus } from '../../core/progress/state';
import { FlowEntity, epochMs, idColumn, keyText, longJson, longText, timestampColumn } from './columns';

/** A run that led to another one. */
export interface RunCause {
    readonly pipelineCode: string;
    readonly runId: ID;
}

/** Records that a run brings to the step which has refused them. */
export interface ReplayedPart {
    readonly stepKey: string;
    readonly places: ReadonlyArray<string | null>;
}

/**
 * One run of a pipeline. A PENDING row is the outbox of the queue `flow.run`; a RUNNING one belongs
 * to whoever holds its lease. Its counters are what has been seen so far; what is committed stands with the positions.
 */
@Entity('flow_pipeline_run')
@Index('IDX_flow_pipeline_run_pipeline', ['pipelineId', 'status', 'createdAt'])
@Index('IDX_flow_pipeline_run_newest', ['pipelineId', 'channelId', 'createdAt', 'id'])
@Index('IDX_flow_pipeline_run_channel', ['channelId', 'createdAt', 'id'])
@Index('IDX_flow_pipeline_run_channel_status', ['channelId', 'status', 'createdAt', 'id'])
@Index('IDX_flow_pipeline_run_status', ['status', 'leaseExpiresAt'])
@Index('IDX_flow_pipeline_run_created', ['createdAt'])
@Index('IDX_flow_pipeline_run_gate_timeout', ['gateTimeoutAt'])
@Index('IDX_flow_pipeline_run_occurrence', ['pipelineId', 'occurrenceKey'], { unique: true })
export class FlowPipelineRun extends FlowEntity {
    constructor(input?: DeepPartial<FlowPipelineRun>) {
        super(input);
    }

    @Column(idColumn({ name: 'pipeline_id' }))
    pipelineId: ID;

    /** Null for a dry run of the working copy. */
    @Column(idColumn({ name: 'revision_id', nullable: true }))
    revisionId: ID | null;

    /** What a dry run of the working copy executes, as it was when the run was started. Read by the run alone: it may be large. */
    @Column(longJson({ name: 'definition', nullable: true, select: false }))
    definition?: JsonObject | null;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column({ type: 'varchar', name: 'status', length: 16, default: 'PENDING' })
    status: RunStatus;

    @Column({ type: 'varchar', name: 'outcome', length: 16, nullable: true })
    outcome: RunOutcome | null;

    @Column({ type: 'varchar', name: 'trigger_key', length: 64 })
    triggerKey: string;

    @Column({ type: 'varchar', name: 'trigger_type', length: 16 })
    triggerType: string;

    /** What it was started for; of a pipeline's runs, one at most. */
    @Column(keyText({ name: 'occurrence_key', length: 255, nullable: true }))
    occurrenceKey: string | null;

    /** The runs that led to it, the first one first. */
    @Column(longJson({ name: 'causes', nullable: true }))
    causes: readonly RunCause[] | null;

    /** The records that it was given, until it has ended. Read by the run alone: they may be large. */
    @Column(longJson({ name: 'seed', nullable: true, select: false }))
    seed?: readonly JsonObject[] | null;

    /** Of a replay: how many of its records each step has refused in an earlier run, in their order, and where those stood at their source. */
    @Column(longJson({ name: 'replay', nullable: true, select: false }))
    replay?: readonly ReplayedPart[] | null;

    /** How many records it replays; null for a run that replays none. */
    @Column({ type: 'int', name: 'replays', nullable: true })
    replays: number | null;

    /** What the EXTRACT steps right behind its trigger read. */
    @Column(longJson({ name: 'source_reference', nullable: true }))
    sourceReference: InputSource | null;

    @Column(idColumn({ name: 'started_by_user_id', nullable: true }))
    startedByUserId: ID | null;

    @Column({ type: Boolean, name: 'dry_run', default: false })
    dryRun: boolean;

    /** When a worker first took it; a resumed run keeps it. */
    @Column(timestampColumn({ name: 'started_at', nullable: true }))
    startedAt: Date | null;

    @Column(timestampColumn({ name: 'finished_at', nullable: true }))
    finishedAt: Date | null;

    @Column({ type: 'int', name: 'records_read', default: 0 })
    recordsRead: number;

    @Column({ type: 'int', name: 'records_processed', default: 0 })
    recordsProcessed: number;

    @Column({ type: 'int', name: 'records_loaded', default: 0 })
    recordsLoaded: number;

    @Column({ type: 'int', name: 'records_unchanged', default: 0 })
    recordsUnchanged: number;

    @Column({ type: 'int', name: 'records_filtered', default: 0 })
    recordsFiltered: number;

    @Column({ type: 'int', name: 'records_rejected', default: 0 })
    recordsRejected: number;

    /** Per step. */
    @Column(longJson({ name: 'counters', nullable: true }))
    counters: Counters | null;

    /** Per step, as the worker has told last: how long it was at work, where a source is, what is waited for. */
    @Column(longJson({ name: 'signs', nullable: true }))
    signs: StepStatuses | null;

    /** What a dry run found: counts by step and the first differences. */
    @Column(longJson({ name: 'report', nullable: true }))
    report: JsonObject | null;

    /** Starts and takeovers; going on after a slice does not count. */
    @Column({ type: 'int', name: 'attempt', default: 0 })
    attempt: number;

    /** How many workers in a row have died at it without progress. */
    @Column({ type: 'int', name: 'takeovers', default: 0 })
    takeovers: number;

    @Column({ type: 'varchar', name: 'error_code', length: 64, nullable: true })
    errorCode: string | null;

    @Column(longText({ name: 'error_message', nullable: true }))
    errorMessage: string | null;

    @Column({ type: 'varchar', name: 'error_step_key', length: 64, nullable: true })
    errorStepKey: string | null;

    @Column(timestampColumn({ name: 'cancel_requested_at', nullable: true }))
    cancelRequestedAt: Date | null;

    /** Who works on it; null while it waits for a worker. Of an ended run: who makes its pending effects known. */
    @Column({ type: 'varchar', name: 'lease_token', length: 36, nullable: true })
    leaseToken: string | null;

    @Column(epochMs({ name: 'lease_expires_at', nullable: true }))
    leaseExpiresAt: number | null;

    /** Of a paused run: the pipeline keeps positions that it has read but not settled, so that later runs wait for it. */
    @Column({ type: Boolean, name: 'holds_back', default: false })
    holdsBack: boolean;

    /** Of a paused run: the step that holds its records. */
    @Column({ type: 'varchar', name: 'gate_step_key', length: 64, nullable: true })
    gateStepKey: string | null;

    @Column(timestampColumn({ name: 'gate_timeout_at', nullable: true }))
    gateTimeoutAt: Date | null;

    @Column({ type: 'varchar', name: 'gate_timeout_lease_token', length: 36, nullable: true })
    gateTimeoutLeaseToken: string | null;

    @Column(epochMs({ name: 'gate_timeout_lease_expires_at', nullable: true }))
    gateTimeoutLeaseExpiresAt: number | null;
}
