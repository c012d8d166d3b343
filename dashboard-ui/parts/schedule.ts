/** When a schedule starts runs, as far as people say it in words. */
export type Timing =
    | { readonly every: 'second' | 'minute' | 'hour' | 'day'; readonly count: number }
    | { readonly hourlyAt: number }
    | { readonly at: string; readonly on: 'days' | 'weekdays' }
    /** On one day of the week: 0 is Sunday. */
    | { readonly at: string; readonly on: number }
    | { readonly cron: string };

const UNITS = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
] as const;

/** Recognizes common schedules; any other is described by its cron expression. Undefined for an incomplete schedule. */
export function timingOf({ cron, intervalSec }: Readonly<Record<string, unknown>>): Timing | undefined {
    if (typeof intervalSec === 'number') return everySeconds(intervalSec);
    return typeof cron === 'string' && cron.trim() !== '' ? ofCron(cron.trim()) : undefined;
}

function everySeconds(seconds: number): Timing | undefined {
    const unit = UNITS.find(([, length]) => seconds > 0 && seconds % length === 0);
    return unit && { every: unit[0], count: seconds / unit[1] };
}

function ofCron(cron: string): Timing {
    const [minute = '', hour = '', day, month, weekday] = cron.split(/\s+/);
    if (day !== '*' || month !== '*') return { cron };
    const isNumber = (field: string | undefined): boolean => /^\d+$/.test(field ?? '');
    if (hour === '*' && weekday === '*') {
        const steps = /^\*\/(\d+)$/.exec(minute);
        if (minute === '*') return { every: 'minute', count: 1 };
        if (steps) return { every: 'minute', count: Number(steps[1]) };
        if (isNumber(minute)) return { hourlyAt: Number(minute) };
    }
    if (!isNumber(minute) || !isNumber(hour)) return { cron };
    const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
    if (weekday === '*') return { at, on: 'days' };
    if (weekday === '1-5') return { at, on: 'weekdays' };
    return isNumber(weekday) && Number(weekday) <= 7 ? { at, on: Number(weekday) % 7 } : { cron };
}
