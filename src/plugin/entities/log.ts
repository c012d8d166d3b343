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

    /** The channel of the run, so that the log of a channel is read without joining runs. */
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

    /** The event (`LOG_EVENTS`) that the message and the facts belong to; null for a line of a script or of a custom adapter. */
    @Column({ type: 'varchar', name: 'code', length: 64, nullable: true })
    code: string | null;
}
