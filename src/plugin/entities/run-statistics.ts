import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { RunOutcome, RunStatus } from '../../core/progress/state';
import { idColumn, keyText, largeCount } from './columns';

/** How a run ended: the outcome of a completed run, otherwise the status. */
export type EndResult = RunOutcome | Extract<RunStatus, 'FAILED' | 'CANCELLED'>;

/**
 * How many runs of a pipeline have ended in an hour with the same result after about the same time, and how many records they have
 * processed. Incremented by the transaction that ends a run, so that it outlives the run's own row. Dry runs are not counted. Analytics
 * read many rows for one response, from an index that contains all columns that they need.
 */
@Entity('flow_run_statistics')
@Index('IDX_flow_run_statistics_figures', [
    'channelId',
    'hour',
    'result',
    'duration',
    'pipelineId',
    'runs',
    'recordsRead',
    'recordsLoaded',
    'recordsRejected',
])
@Index('IDX_flow_run_statistics_hour', ['hour'])
export class FlowRunStatistics {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    /** The hour in which they ended, as hours since 1970. */
    @Column({ type: 'int', name: 'hour', primary: true })
    hour: number;

    @Column(keyText({ name: 'result', length: 16, primary: true }))
    result: EndResult;

    /** The bucket of the time from their first start to their end (core/progress/durations.ts). */
    @Column({ type: 'int', name: 'duration', primary: true })
    duration: number;

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column({ type: 'int', name: 'runs' })
    runs: number;

    @Column(largeCount({ name: 'records_read' }))
    recordsRead: number;

    @Column(largeCount({ name: 'records_loaded' }))
    recordsLoaded: number;

    @Column(largeCount({ name: 'records_rejected' }))
    recordsRejected: number;
}
