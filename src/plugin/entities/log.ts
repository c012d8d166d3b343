import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import type { LogLevel } from '../../core/adapter/context';
import type { JsonObject } from '../../core/data/json';
import { FlowEntity, idColumn, longJson, longText } from './columns';

/** A line of a run's log (spec 1, "Log entry"). */
@Entity('flow_log')
@Index('IDX_flow_log_run', ['runId', 'id'])
@Index('IDX_flow_log_created', ['createdAt'])
export class FlowLog extends FlowEntity {
    constructor(input?: DeepPartial<FlowLog>) {
        super(input);
    }

    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column({ type: 'varchar', name: 'level', length: 8 })
    level: LogLevel;

    @Column(longText({ name: 'message' }))
    message: string;

    @Column({ type: 'varchar', name: 'step_key', length: 64, nullable: true })
    stepKey: string | null;

    @Column(longJson({ name: 'facts', nullable: true }))
    facts: JsonObject | null;
}
