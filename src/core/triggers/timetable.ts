import { Cron } from './cron';
import { MINUTE_MS, WallClock, wallText } from './wall-clock';

/** One time that a schedule is for. */
export interface ScheduledTime {
    /**
     * When it is, in milliseconds: of a cron expression by the clocks on the wall, of an interval really. A minute that the clocks show twice is one
     * occurrence.
     */
    readonly at: number;
    /** The real moment. */
    readonly moment: number;
    /** Identifies it among all others of the timetable, for keys and for users: `2026-10-25T02:30 Europe/Berlin`. */
    readonly name: string;
}

/** When a schedule has its occurrences. */
export interface Timetable {
    /** The unit of its `at`: values of timetables with another scale are not comparable. */
    readonly scale: string;
    /** The one that is due now: of a cron expression the minute that it is, of an interval the last that has come since then. */
    due(now: number, since: number): ScheduledTime | undefined;
    /** The last occurrence that was over before `now`, and later than the `at` given as `after`: it was missed because no process ran. */
    missed(now: number, after: number): ScheduledTime | undefined;
    /** A real moment as an `at`. */
    atOf(moment: number): number;
}

/** The time settings of a SCHEDULE trigger: exactly one of `cron` and `intervalSec`. */
export interface ScheduleTimes {
    readonly cron?: string;
    readonly timezone?: string;
    readonly intervalSec?: number;
}

/** From when an interval is counted, and how short one may be. */
interface IntervalBounds {
    readonly publishedAt: number;
    readonly minIntervalMs: number;
}

/** The timetable of a trigger whose configuration its schema has parsed. */
export function timetableOf({ cron, timezone, intervalSec }: ScheduleTimes, bounds: IntervalBounds): Timetable {
    if (cron !== undefined) return new CronTimetable(new Cron(cron), new WallClock(timezone));
    const everyMs = Math.max((intervalSec ?? 0) * 1_000, bounds.minIntervalMs);
    return new IntervalTimetable(everyMs, bounds.publishedAt);
}

class CronTimetable implements Timetable {
    readonly scale: string;

    constructor(
        private readonly cron: Cron,
        private readonly clock: WallClock,
    ) {
        this.scale = clock.zone;
    }

    due(now: number): ScheduledTime | undefined {
        const wall = this.clock.at(now);
        return this.cron.names(wall) ? this.scheduledTime(wall, now - (now % MINUTE_MS)) : undefined;
    }

    missed(now: number, after: number): ScheduledTime | undefined {
        for (const wall of this.cron.backwards(this.clock.at(now), after)) {
            const moment = this.clock.momentOf(wall);
            if (moment !== undefined) return this.scheduledTime(wall, moment);
        }
        return undefined;
    }

    atOf(moment: number): number {
        return this.clock.at(moment);
    }

    private scheduledTime(at: number, moment: number): ScheduledTime {
        return { at, moment, name: `${wallText(at)} ${this.clock.zone}` };
    }
}

/** Occurrence n, from 1 on, comes n intervals after the publication. */
class IntervalTimetable implements Timetable {
    readonly scale: string;

    constructor(
        private readonly everyMs: number,
        private readonly publishedAt: number,
    ) {
        this.scale = `every ${everyMs} ms from ${new Date(publishedAt).toISOString()}`;
    }

    due(now: number, since: number): ScheduledTime | undefined {
        const last = this.lastBy(now);
        return last && last.at > since ? last : undefined;
    }

    missed(now: number, after: number): ScheduledTime | undefined {
        const last = this.lastBy(now - MINUTE_MS);
        return last && last.at > after ? last : undefined;
    }

    atOf(moment: number): number {
        return moment;
    }

    private lastBy(now: number): ScheduledTime | undefined {
        const n = Math.floor((now - this.publishedAt) / this.everyMs);
        if (n < 1) return undefined;
        const at = this.publishedAt + n * this.everyMs;
        return { at, moment: at, name: `${new Date(at).toISOString()} (interval ${n})` };
    }
}
