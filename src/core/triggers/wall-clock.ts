/**
 * A local time: milliseconds as if the place were in UTC, so that its minutes, hours and days can be read and counted
 * like those of any Date in UTC, independent of daylight saving.
 */
export type WallTime = number;

export const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** An IANA name; offsets such as `+01:00`, which some engines also accept, do not match. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** True for the name of a time zone that this server knows. */
export function isTimezone(name: string): boolean {
    if (!ZONE_NAME.test(name)) return false;
    try {
        new Intl.DateTimeFormat('en-US', { timeZone: name });
        return true;
    } catch {
        // RangeError: the one thing that it says of an unknown name.
        return false;
    }
}

/** The local time of one time zone. */
export class WallClock {
    /** The zone's name as the engine spells it. */
    readonly zone: string;
    private readonly format: Intl.DateTimeFormat;

    /** Default: the server's own time zone. Throws RangeError for an invalid zone. */
    constructor(zone?: string) {
        this.format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
            ...(zone !== undefined && { timeZone: zone }),
            hourCycle: 'h23',
            year: 'numeric',
            month: 'numeric',
            day: 'numeric',
            hour: 'numeric',
            minute: 'numeric',
        });
        this.zone = this.format.resolvedOptions().timeZone;
    }

    /** The minute that it is there at a moment. */
    at(ms: number): WallTime {
        const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
        for (const { type, value } of this.format.formatToParts(ms)) parts[type] = Number(value);
        const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
        return Date.UTC(year, month - 1, day, hour, minute);
    }

    /** The first moment with this local time; undefined if daylight saving skips it, like the lost hour in spring. */
    momentOf(wall: WallTime): number | undefined {
        // No zone is a day away from UTC, and none sets its clocks twice in two days.
        const offsets = [wall - DAY_MS, wall + DAY_MS].map(near => this.at(near) - near);
        return offsets.map(offset => wall - offset).find(moment => this.at(moment) === wall);
    }
}

/** `2026-10-25T02:30`. */
export function wallText(wall: WallTime): string {
    return new Date(wall).toISOString().slice(0, 16);
}
