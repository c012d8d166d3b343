import type { JsonObject } from '../value/json';

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
const UNITS = [
    { seconds: 86_400, one: 'day', many: 'days' },
    { seconds: 3_600, one: 'hour', many: 'hours' },
    { seconds: 60, one: 'minute', many: 'minutes' },
    { seconds: 1, one: 'second', many: 'seconds' },
] as const;

/** What a trigger of a definition waits for, in a few words: `daily at 06:00 (Europe/Berlin)`, `posts (HMAC)`. */
export function triggerText({ type, ...config }: JsonObject): string {
    switch (type) {
        case 'MANUAL':
            return 'by hand';
        case 'SCHEDULE':
            return scheduleText(config);
        case 'WEBHOOK':
            return `posts (${textAt(config, 'authentication')})`;
        case 'EVENT':
            return `${textAt(config, 'event')} of the shop`;
        case 'FILE': {
            const watch = (config['fileWatch'] ?? {}) as JsonObject;
            return `files in ${textAt(watch, 'path')} (${textAt(watch, 'connectionCode')})`;
        }
        case 'MESSAGE': {
            const queue = (config['message'] ?? {}) as JsonObject;
            return `messages of ${textAt(queue, 'queueName')} (${textAt(queue, 'connectionCode')})`;
        }
        default:
            return String(type).toLowerCase();
    }
}

function scheduleText({ cron, timezone, intervalSec }: JsonObject): string {
    if (typeof intervalSec === 'number') return every(intervalSec);
    const text = cronText(String(cron ?? ''));
    return typeof timezone === 'string' ? `${text} (${timezone})` : text;
}

function every(seconds: number): string {
    const { seconds: length, one, many } = UNITS.find(unit => seconds % unit.seconds === 0)!;
    const count = seconds / length;
    return count === 1 ? `every ${one}` : `every ${count} ${many}`;
}

/** Describes common expressions in words, and quotes any other unchanged. */
function cronText(cron: string): string {
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
    if (day !== '*' || month !== '*') return `at ${cron}`;
    const isNumber = (field: string): boolean => /^\d+$/.test(field);
    const steps = /^\*\/(\d+)$/.exec(minute);
    if (hour === '*' && weekday === '*') {
        if (minute === '*') return 'every minute';
        if (steps) return `every ${steps[1]} minutes`;
        if (isNumber(minute)) return `hourly at minute ${Number(minute)}`;
    }
    if (!isNumber(minute) || !isNumber(hour)) return `at ${cron}`;
    const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
    if (weekday === '*') return `daily at ${time}`;
    if (weekday === '1-5') return `on weekdays at ${time}`;
    return isNumber(weekday) && DAYS[Number(weekday)] ? `${DAYS[Number(weekday)]} at ${time}` : `at ${cron}`;
}

function textAt(config: JsonObject, field: string): string {
    const value = config[field];
    return typeof value === 'string' && value !== '' ? value : '?';
}
