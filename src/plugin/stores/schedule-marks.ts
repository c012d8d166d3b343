import type { ID } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { RunStatus } from '../../core/progress/state';
import type { ScheduledTime, Timetable } from '../../core/triggers/timetable';
import { join, name, select, sql } from '../../database/statement';
import { insertRows } from '../../database/write';
import { overwriting } from './state-entries';
import { openRunOf } from './cleanup-queries';
import { type StoreEnv, targetOf } from './store-env';

/** The scope of the checkpoints that contain the marks. */
const SCHEDULES = 'schedules';
/** Time-zone changes set clocks back by less than this. A mark further in the future comes from a server whose clock was wrong, and is ignored. */
const SET_BACK_MS = 3 * 3_600_000;

/** A schedule: a SCHEDULE trigger of a pipeline, in any of its revisions. */
interface ScheduleKey {
    readonly pipelineId: ID;
    readonly stepKey: string;
}

/** An occurrence on the scale of its timetable. */
type ClockScale = Pick<ScheduledTime, 'at'> & Pick<Timetable, 'scale'>;

/** The last occurrence of a schedule that was started or skipped, and the last one that was reported as missed. */
interface ScheduleMark {
    readonly decided?: ClockScale;
    readonly missed?: ClockScale;
}

interface MarkRow {
    readonly pipelineId: ID;
    readonly stepKey: string;
    readonly value: string;
}

/** What has become of an occurrence: nothing yet, a run is to be started for it, or it was decided before; else the state of the run that it is skipped for. */
export type ScheduleDecision = 'start' | 'decided' | RunStatus;

/** True for an occurrence that was already started or skipped; a minute that occurs twice on the clock is decided the first time. */
export function isMarkDecided({ decided }: ScheduleMark, { scale, at }: ClockScale): boolean {
    return decided?.scale === scale && at <= decided.at && decided.at - at <= SET_BACK_MS;
}

/** True for an occurrence that was neither decided nor reported as missed. */
export function isUnannounced(scheduleMark: ScheduleMark, { scale, at }: ClockScale): boolean {
    const { missed } = scheduleMark;
    return !isMarkDecided(scheduleMark, { scale, at }) && !(missed?.scale === scale && at <= missed.at);
}

/**
 * Records how far the occurrences of schedules are decided, across all processes. Each occurrence is started or skipped once, and a skipped one is
 * not started by a later process. The marks are checkpoints of the pipeline.
 */
export class ScheduleMarks {
    constructor(private readonly env: StoreEnv) {}

    /** The marks of some schedules, in their order; by one statement. */
    async read(schedules: readonly ScheduleKey[]): Promise<readonly ScheduleMark[]> {
        if (schedules.length === 0) return [];
        const pipelineIds = [...new Set(schedules.map(({ pipelineId }) => pipelineId))];
        const rows = await this.env.database.run(() => this.of(pipelineIds));
        const marks = new Map(rows.map(({ pipelineId, stepKey, value }) => [`${pipelineId} ${stepKey}`, value]));
        return schedules.map(({ pipelineId, stepKey }) => {
            const value = marks.get(`${pipelineId} ${stepKey}`);
            return value === undefined ? {} : (JSON.parse(value) as ScheduleMark);
        });
    }

    private *of(pipelineIds: readonly ID[]): StatementProgram<readonly MarkRow[]> {
        const { dialect } = this.env.database;
        const { checkpoints } = this.env.tables;
        const columns = join(
            ['pipelineId', 'stepKey', 'value'].map(
                property => sql`${checkpoints.column(property)} AS ${name(property)}`,
            ),
        );
        return yield* select<MarkRow>(sql`
            SELECT ${columns} FROM ${checkpoints.name}
            WHERE ${dialect.oneOf(checkpoints.column('pipelineId'), pipelineIds)} AND ${checkpoints.column('scope')} = ${SCHEDULES}`);
    }

    private *current({ pipelineId, stepKey }: ScheduleKey): StatementProgram<ScheduleMark> {
        const row = (yield* this.of([pipelineId])).find(mark => mark.stepKey === stepKey);
        return row ? (JSON.parse(row.value) as ScheduleMark) : {};
    }

    /** Decides an occurrence. To be called while the pipeline's row is held, so that no run of it is started meanwhile. */
    *decide(schedule: ScheduleKey, occurrence: ClockScale): StatementProgram<ScheduleDecision> {
        const mark = yield* this.current(schedule);
        if (isMarkDecided(mark, occurrence)) return 'decided';
        yield* this.write(schedule, { ...mark, decided: occurrence });
        return (yield* openRunOf(this.env, schedule.pipelineId)) ?? 'start';
    }

    /** Returns whether the caller has to report an occurrence as missed, because it was neither decided nor reported. */
    miss(schedule: ScheduleKey, scheduledTime: ClockScale & Pick<ScheduledTime, 'moment'>): Promise<boolean> {
        return this.env.database.transaction(() => this.missing(schedule, scheduledTime), { brief: true });
    }

    private *missing(
        schedule: ScheduleKey,
        { scale, at, moment }: ClockScale & Pick<ScheduledTime, 'moment'>,
    ): StatementProgram<boolean> {
        const changedAt = yield* this.held(schedule);
        // It may have been disabled or without this schedule then.
        if (changedAt === undefined || changedAt > moment) return false;
        const mark = yield* this.current(schedule);
        if (!isUnannounced(mark, { scale, at })) return false;
        yield* this.write(schedule, { ...mark, missed: { scale, at } });
        return true;
    }

    /** Locks the pipeline's row until the transaction ends; returns the time of its last change, undefined if it was deleted. */
    private *held({ pipelineId }: ScheduleKey): StatementProgram<number | undefined> {
        const { tables, database } = this.env;
        const { pipelines } = tables;
        const [row] = yield* select<{ updatedAt: unknown }>(sql`
            SELECT ${pipelines.column('updatedAt')} AS ${name('updatedAt')} FROM ${pipelines.name}
            WHERE ${pipelines.column('id')} = ${pipelineId}${database.dialect.forUpdate}`);
        return row && (pipelines.fromColumn('updatedAt', row.updatedAt) as Date).getTime();
    }

    private *write({ pipelineId, stepKey }: ScheduleKey, value: ScheduleMark): StatementProgram<void> {
        const row = { pipelineId, scope: SCHEDULES, stepKey, key: '', value };
        yield* insertRows(targetOf(this.env, 'checkpoints'), [row], overwriting(this.env));
    }
}
