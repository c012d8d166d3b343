import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useLocalFormat } from '@vendure/dashboard';
import { isRecord } from '../form/json-schema';
import { type Timing, timingOf } from './schedule';

/** What starts a pipeline, by the type of its trigger, in the language of the page. */
export function useTriggerWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return {
        MANUAL: t({ message: 'by hand', context: 'trigger' }),
        SCHEDULE: t({ message: 'on a schedule', context: 'trigger' }),
        WEBHOOK: t({ message: 'by a webhook', context: 'trigger' }),
        EVENT: t({ message: 'by an event of the shop', context: 'trigger' }),
        FILE: t({ message: 'by a new file', context: 'trigger' }),
        MESSAGE: t({ message: 'by a message', context: 'trigger' }),
    };
}

/** The same for what has started a run: also a replay, which no trigger starts. */
export function useStartWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return { ...useTriggerWords(), REPLAY: t({ message: 'to replay records', context: 'trigger' }) };
}

/** What a trigger is set to, and what the server says of it in English. */
interface ToldTrigger {
    readonly type: string;
    readonly text: string;
    readonly config?: unknown;
}

/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1, 12);
const DAY_MS = 86_400_000;

/** What a trigger waits for: schedules in the language of the page, all else as the server says it. */
export function useTriggerText(): (trigger: ToldTrigger) => string {
    const { t } = useLingui();
    const { formatDate } = useLocalFormat();
    const wordsOf = (timing: Timing): string => {
        if ('cron' in timing) return t`at ${timing.cron}`;
        if ('hourlyAt' in timing) return t`hourly at minute ${timing.hourlyAt}`;
        if ('every' in timing) {
            const { count } = timing;
            switch (timing.every) {
                case 'second':
                    return t`${plural(count, { one: 'every second', other: 'every # seconds' })}`;
                case 'minute':
                    return t`${plural(count, { one: 'every minute', other: 'every # minutes' })}`;
                case 'hour':
                    return t`${plural(count, { one: 'every hour', other: 'every # hours' })}`;
                case 'day':
                    return t`${plural(count, { one: 'every day', other: 'every # days' })}`;
            }
        }
        const { at, on } = timing;
        if (on === 'days') return t`daily at ${at}`;
        if (on === 'weekdays') return t`on weekdays at ${at}`;
        const weekday = formatDate(new Date(SUNDAY + on * DAY_MS), { weekday: 'long', timeZone: 'UTC' });
        return t`every ${weekday} at ${at}`;
    };
    return ({ type, text, config }) => {
        const settings = isRecord(config) ? config : {};
        const timing = type === 'SCHEDULE' ? timingOf(settings) : undefined;
        if (timing === undefined) return text;
        const { timezone } = settings;
        return typeof timezone === 'string' && !('every' in timing && 'intervalSec' in settings)
            ? `${wordsOf(timing)} (${timezone})`
            : wordsOf(timing);
    };
}
