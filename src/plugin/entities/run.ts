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

/** Records that a run passes to the step that rejected them. */
export interface ReplayedPart {
    readonly stepKey: string;
    readonly places: ReadonlyArray<string | null>;
}

/**
 * One run of a pipeline. A PENDING row is the outbox of the queue `flow.run`; a RUNNING one belongs to the holder of its lease. The
 * counters contain what was seen so far. What is committed is stored with the positions.
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

    /**
     * The definition that a dry run of the working copy executes, as it was when the run was started. It may be large, so only the run
     * reads it.
     */
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

    /** What it was started for. Among the runs of a pipeline, the key is unique. */
    @Column(keyText({ name: 'occurrence_key', length: 255, nullable: true }))
    occurrenceKey: string | null;

    /** The runs that led to it, the first one first. */
    @Column(longJson({ name: 'causes', nullable: true }))
    causes: readonly RunCause[] | null;

    /** The records that it was given, until it has ended. They may be large, so only the run reads them. */
    @Column(longJson({ name: 'seed', nullable: true, select: false }))
    seed?: readonly JsonObject[] | null;

    /**
     * For a replay: how many of its records each step has rejected in an earlier run, in their order, and where these were in their source.
     */
    @Column(longJson({ name: 'replay', nullable: true, select: false }))
    replay?: readonly ReplayedPart[] | null;

    /** How many records it replays; null for a run that replays none. */
    @Column({ type: 'int', name: 'replays', nullable: true })
    replays: number | null;

    /** What the EXTRACT steps directly after its trigger read. */
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

    /** Counters by step. */
    @Column(longJson({ name: 'counters', nullable: true }))
    counters: Counters | null;

    /** Status by step, as last reported by the worker: how long it has been working, its position in a source, what it waits for. */
    @Column(longJson({ name: 'signs', nullable: true }))
    signs: StepStatuses | null;

    /** The result of a dry run: counts by step and the first differences. */
    @Column(longJson({ name: 'report', nullable: true }))
    report: JsonObject | null;

    /** The number of starts and takeovers. Continuing after a slice does not count. */
    @Column({ type: 'int', name: 'attempt', default: 0 })
    attempt: number;

    /** How many workers in a row have died while executing it, without progress. */
    @Column({ type: 'int', name: 'takeovers', default: 0 })
    takeovers: number;

    @Column({ type: 'varchar', name: 'error_code', length: 64, nullable: true })
    errorCode: string | null;

    @Column(longText({ name: 'error_message', nullable: true }))
    errorMessage: string | null;

    @Column(longJson({ name: 'error_facts', nullable: true }))
    errorFacts: JsonObject | null;

    @Column({ type: 'varchar', name: 'error_step_key', length: 64, nullable: true })
    errorStepKey: string | null;

    @Column(timestampColumn({ name: 'cancel_requested_at', nullable: true }))
    cancelRequestedAt: Date | null;

    /** The worker that executes it; null while it waits for one. For an ended run: the process that publishes its pending effects. */
    @Column({ type: 'varchar', name: 'lease_token', length: 36, nullable: true })
    leaseToken: string | null;

    @Column(epochMs({ name: 'lease_expires_at', nullable: true }))
    leaseExpiresAt: number | null;

    /** For a paused run: the pipeline has read positions that are not committed, so later runs wait for it. */
    @Column({ type: Boolean, name: 'holds_back', default: false })
    holdsBack: boolean;

    /** For a paused run: the step that holds its records. */
    @Column({ type: 'varchar', name: 'gate_step_key', length: 64, nullable: true })
    gateStepKey: string | null;

    @Column(timestampColumn({ name: 'gate_timeout_at', nullable: true }))
    gateTimeoutAt: Date | null;

    @Column({ type: 'varchar', name: 'gate_timeout_lease_token', length: 36, nullable: true })
    gateTimeoutLeaseToken: string | null;

    @Column(epochMs({ name: 'gate_timeout_lease_expires_at', nullable: true }))
    gateTimeoutLeaseExpiresAt: number | null;
}
