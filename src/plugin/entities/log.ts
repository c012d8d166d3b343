import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { LogLevel } from '../../core/adapter/context';
import type { JsonObject } from '../../core/value/json';
import { FlowEntity, idColumn, longJson, longText } from './columns';

/** A line of a run's log. */
@Entity('flow_log')
@Index('IDX_flow_log_run', ['runId', 'channelId', 'id'])
@Index('IDX_flow_log_channel', ['channelId', 'id'])
@Index('IDX_flow_log_level', ['channelId', 'level', 'id'])
@Index('IDX_flow_log_created', ['createdAt'])
export class FlowLog extends FlowEntity {
    constructor(input?: DeepPartial<FlowLog>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    /** The run's, so that a channel's log is read without its runs. */
    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column({ type: 'varchar', name: 'level', length: 8 })
    level: LogLevel;

    @Column(longText({ name: 'message' }))
    message: string;

    @Column({ type: 'varchar', name: 'step_key', length: 64, nullable: true })
    stepKey: string | null;

    @Column(longJson({ name: 'facts', nullable: true }))
    facts: JsonObject | null;

    /** A line of Flow itself that tells no value of a record, and may be read whole without `ReadFlowRecord`. */
    @Column({ type: Boolean, name: 'is_own', default: false })
    isOwn: boolean;
}
