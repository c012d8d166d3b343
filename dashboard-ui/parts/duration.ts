const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time as people read it off a clock: 0.4 s, 12 s, 2:14, 1:02:14. */
export function durationText(ms: number, locale?: string): string {
    if (ms < 10 * SECOND) {
        const seconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms / SECOND);
        return `${seconds} s`;
    }
    if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
    const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
    const rest = `${two((ms % MINUTE) / SECOND)}`;
    if (ms < HOUR) return `${Math.floor(ms / MINUTE)}:${rest}`;
    return `${Math.floor(ms / HOUR)}:${two((ms % HOUR) / MINUTE)}:${rest}`;
}

/** How long it is until something: in 12 seconds, in 21 minutes, tomorrow. */
export function aheadText(ms: number, locale?: string): string {
    const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    if (ms >= DAY) return format.format(Math.floor(ms / DAY), 'day');
    if (ms >= HOUR) return format.format(Math.floor(ms / HOUR), 'hour');
    if (ms >= MINUTE) return format.format(Math.floor(ms / MINUTE), 'minute');
    return format.format(Math.floor(ms / SECOND), 'second');
}
