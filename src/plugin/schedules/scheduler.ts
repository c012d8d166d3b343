import { Inject, Injectable } from '@nestjs/common';
import { EventBus, type ID, Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import { type ScheduledTime, type ScheduleTimes, type Timetable, timetableOf } from '../../core/triggers/timetable';
import { MINUTE_MS } from '../../core/triggers/wall-clock';
import { ScheduleDeactivated } from '../events';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunPlatform } from '../run-platform';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import { type ScheduleDecision, isMarkDecided, isUnannounced, ScheduleMarks } from '../stores/schedule-marks';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { Breakers, type OpenCircuit } from './breakers';

/** An active schedule, and what this process knows of it. */
interface Schedule {
    readonly trigger: ActiveTrigger;
    readonly timetable: Timetable;
    /** The time since which this process has watched it without a pause. Earlier occurrences are not started. */
    since?: number | undefined;
    /** The name of the last occurrence that is decided, as far as this process knows. */
    decided?: string;
    /** True if an occurrence was skipped and none has started since. */
    isSkipping?: boolean;
}

interface Due {
    readonly schedule: Schedule;
    readonly occurrence: ScheduledTime;
}

/** The pipeline has changed since the triggers were read. */
const OUT_OF_DATE: ReadonlySet<string> = new Set(['PIPELINE_NOT_FOUND', 'PIPELINE_NOT_RUNNABLE']);

/**
 * Starts the runs of SCHEDULE triggers. There is no leader: each process that processes the queue checks the clock, and the transaction that starts
 * a run decides its occurrence for all of them (ADR 14).
 */
@Injectable()
export class Scheduler {
    private schedules: readonly Schedule[] = [];
    private readonly breakers = new Breakers();
    private readonly marks: ScheduleMarks;
    private readonly minIntervalMs: number;
    private lastPoll: number | undefined;

    constructor(
        private readonly triggers: ActiveTriggers,
        private readonly starter: RunStarter,
        private readonly platform: RunPlatform,
        private readonly events: EventBus,
        stores: RunStores,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        const { checkIntervalMs, minIntervalMs } = options.runtime.scheduler;
        this.minIntervalMs = minIntervalMs;
        this.marks = new ScheduleMarks(stores.env);
        triggers.onChange(() => this.take(triggers.of('SCHEDULE')));
        periodicJobs.add({
            name: 'Schedules',
            // Shortly after the start, so that a restart within a minute skips no occurrence.
            firstMs: Math.min(1_000, checkIntervalMs),
            everyMs: checkIntervalMs,
            jitter: 0,
            work: ({ signal }) => this.poll(Date.now(), signal),
        });
    }

    /** Starts the due occurrences. No minute may be skipped, so it must be called at least twice a minute. More frequent calls make no difference. */
    async poll(now: number, stop?: AbortSignal): Promise<void> {
        const wasAway = this.lastPoll === undefined || now - this.lastPoll > MINUTE_MS;
        if (wasAway) await this.logMissed(now);
        const since = wasAway ? now - MINUTE_MS : this.lastPoll;
        for (const schedule of this.schedules) if (wasAway || schedule.since === undefined) schedule.since = since;
        this.lastPoll = now;
        for (const { schedule, occurrence } of await this.due(now)) {
            if (stop?.aborted) return;
            // Another schedule of the pipeline may have opened it a moment ago.
            if (!this.breakers.isOpen(schedule.trigger.pipelineId)) await this.start(schedule, occurrence);
        }
    }

    /** The undecided occurrences, with one statement; with none if nothing is due. */
    private async due(now: number): Promise<readonly Due[]> {
        const found = this.schedules.flatMap((schedule): readonly Due[] => {
            const occurrence = schedule.timetable.due(now, schedule.since ?? now);
            return occurrence && occurrence.name !== schedule.decided ? [{ schedule, occurrence }] : [];
        });
        const marks = await this.marks.read(found.map(({ schedule }) => schedule.trigger));
        return found.filter(({ schedule, occurrence: { at, name } }, i) => {
            if (!isMarkDecided(marks[i]!, { scale: schedule.timetable.scale, at })) return true;
            schedule.decided = name;
            return false;
        });
    }

    /** Whether the schedules of a pipeline are suspended in this process. */
    isResting(pipelineId: ID): boolean {
        return this.breakers.isOpen(pipelineId);
    }

    /** Resumes the schedules of a pipeline that were suspended because its runs could not be created. */
    reset(pipelineId: ID): void {
        this.breakers.reset(pipelineId);
    }

    /** Takes the active triggers. Those that stay keep their state. A changed pipeline is tried again. */
    private take(triggers: readonly ActiveTrigger[]): void {
        const before = new Map(this.schedules.map(schedule => [nameOf(schedule.trigger), schedule]));
        this.schedules = triggers.map(trigger => {
            const known = before.get(nameOf(trigger));
            before.delete(nameOf(trigger));
            if (known && String(known.trigger.revisionId) === String(trigger.revisionId)) return known;
            if (known) this.reset(trigger.pipelineId);
            return { trigger, timetable: this.timetableOf(trigger) };
        });
        for (const { trigger } of before.values()) this.reset(trigger.pipelineId);
    }

    private timetableOf({ config, publishedAt }: ActiveTrigger): Timetable {
        const bounds = { publishedAt: publishedAt.getTime(), minIntervalMs: this.minIntervalMs };
        return timetableOf(config as ScheduleTimes, bounds);
    }

    private async start(schedule: Schedule, scheduledTime: ScheduledTime): Promise<void> {
        const { trigger, timetable } = schedule;
        const { pipelineId, channelId, stepKey } = trigger;
        const order = { pipelineId, channelId, dryRun: false, triggerType: 'SCHEDULE' } as const;
        const { marks } = this;
        const decided: { decision: ScheduleDecision } = { decision: 'decided' };
        try {
            await this.starter.startIf(
                { ...order, triggerKey: stepKey, occurrenceKey: `${stepKey} ${scheduledTime.name}` },
                function* () {
                    decided.decision = yield* marks.decide(trigger, { scale: timetable.scale, at: scheduledTime.at });
                    return decided.decision === 'start';
                },
            );
            schedule.decided = scheduledTime.name;
            this.breakers.reset(pipelineId);
            this.tell(schedule, scheduledTime, decided.decision);
        } catch (error) {
            if (!isFlowError(error) || !OUT_OF_DATE.has(error.code)) return this.failed(schedule, error);
            // The active triggers are read below. If that fails, the next refresh reads them.
            await this.triggers.refresh().catch(() => undefined);
        }
    }

    private tell(schedule: Schedule, { name }: ScheduledTime, scheduleDecision: ScheduleDecision): void {
        if (scheduleDecision === 'decided') return;
        const wasSkipping = schedule.isSkipping;
        schedule.isSkipping = scheduleDecision !== 'start';
        if (scheduleDecision === 'start' || wasSkipping) return;
        // The following skips are not logged: during a long run there may be one a minute.
        const text = `${titleOf(schedule.trigger)}: ${name} is skipped, since a run of the pipeline is ${scheduleDecision}.`;
        Logger.info(text, LOG_CONTEXT);
    }

    private async failed({ trigger }: Schedule, error: unknown): Promise<void> {
        const opened = this.breakers.failed(trigger.pipelineId, error);
        Logger.warn(`${titleOf(trigger)}: no run could be created: ${String(error)}`, LOG_CONTEXT);
        if (opened) await this.deactivate(trigger, opened);
    }

    private async deactivate(trigger: ActiveTrigger, openCircuit: OpenCircuit): Promise<void> {
        const { pipelineId, pipelineCode, channelId, stepKey: triggerKey } = trigger;
        const text = `${titleOf(trigger)} is suspended in this process until the process restarts or the pipeline is published or enabled again: ${openCircuit.failures} runs in a row could not be created.`;
        Logger.error(text, LOG_CONTEXT);
        try {
            const ctx = await this.platform.withoutUser(channelId);
            const facts = { pipelineId, pipelineCode, triggerKey, ...openCircuit };
            await this.events.publish(new ScheduleDeactivated(ctx, facts));
        } catch (error) {
            Logger.error(`ScheduleDeactivated of "${pipelineCode}" was not heard: ${String(error)}`, LOG_CONTEXT);
        }
    }

    /** Reports the missed occurrences of each schedule, once for all processes. */
    private async logMissed(now: number): Promise<void> {
        const marks = await this.marks.read(this.schedules.map(({ trigger }) => trigger));
        for (const [i, { trigger, timetable }] of this.schedules.entries()) {
            const missed = timetable.missed(now, timetable.atOf(trigger.publishedAt.getTime()));
            if (!missed) continue;
            const occurrence = { scale: timetable.scale, at: missed.at, moment: missed.moment };
            if (!isUnannounced(marks[i]!, occurrence)) continue;
            if (!(await this.marks.miss(trigger, occurrence))) continue;
            const text = `${titleOf(trigger)}: no process was running at ${missed.name}; this occurrence is skipped.`;
            Logger.warn(text, LOG_CONTEXT);
        }
    }
}

function nameOf({ pipelineId, stepKey }: ActiveTrigger): string {
    return `${pipelineId} ${stepKey}`;
}

function titleOf({ pipelineCode, stepKey }: ActiveTrigger): string {
    return `Schedule "${stepKey}" of pipeline "${pipelineCode}"`;
}
