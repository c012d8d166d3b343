import type { I18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { isRecord } from '../form/json-schema';
import { type Timing, timingOf } from './schedule';

/** What a trigger is set to, and what the server says of it in English. */
export interface ToldTrigger {
    readonly type: string;
    readonly text: string;
    readonly config?: unknown;
}

/** What a trigger waits for, in the language of the texts; of a type that the pages do not know, as the server says it. `weekday` names a day: 0 is Sunday. */
export function triggerText(i18n: I18n, trigger: ToldTrigger, weekday: (day: number) => string): string {
    const settings = isRecord(trigger.config) ? trigger.config : {};
    const at = (holder: string, field: string): string => said(inner(settings, holder)[field]);
    switch (trigger.type) {
        case 'MANUAL':
            return t(i18n)({ message: 'Manual', context: 'trigger' });
        case 'SCHEDULE':
            return scheduleText(i18n, settings, weekday) ?? trigger.text;
        case 'WEBHOOK':
            return postsText(i18n, said(settings['authentication']));
        case 'EVENT': {
            const event = said(settings['event']);
            return t(i18n)`${event} event`;
        }
        case 'FILE': {
            const [folder, connection] = [at('fileWatch', 'path'), at('fileWatch', 'connectionCode')];
            return t(i18n)`files in ${folder} (${connection})`;
        }
        case 'MESSAGE': {
            const [queue, connection] = [at('message', 'queueName'), at('message', 'connectionCode')];
            return t(i18n)`messages of ${queue} (${connection})`;
        }
        default:
            return trigger.text;
    }
}

/** Whether people may start runs of a revision with these triggers. */
export function startsByHand(triggers: ReadonlyArray<{ readonly type: string; readonly enabled: boolean }>): boolean {
    return triggers.some(({ type, enabled }) => type === 'MANUAL' && enabled);
}

/** How posts prove who sends them. */
function postsText(i18n: I18n, mode: string): string {
    switch (mode) {
        case 'API_KEY':
            return t(i18n)`requests with an API key`;
        case 'HMAC':
            return t(i18n)`signed requests (HMAC)`;
        case 'BASIC':
            return t(i18n)`requests with user name and password`;
        case 'JWT':
            return t(i18n)`requests with a token (JWT)`;
        case 'STANDARD':
            return t(i18n)`signed requests (Standard Webhooks)`;
        case 'NONE':
            return t(i18n)`unauthenticated requests`;
        default:
            return t(i18n)`requests (${mode})`;
    }
}

function scheduleText(
    i18n: I18n,
    settings: Readonly<Record<string, unknown>>,
    weekday: (day: number) => string,
): string | undefined {
    const timing = timingOf(settings);
    if (timing === undefined) return undefined;
    const words = timingText(i18n, timing, weekday);
    const { timezone } = settings;
    return typeof timezone === 'string' && !('every' in timing && 'intervalSec' in settings)
        ? `${words} (${timezone})`
        : words;
}

function timingText(i18n: I18n, timing: Timing, weekday: (day: number) => string): string {
    if ('cron' in timing) return t(i18n)`at ${timing.cron}`;
    if ('hourlyAt' in timing) return t(i18n)`hourly at minute ${timing.hourlyAt}`;
    if ('every' in timing) {
        const { count } = timing;
        switch (timing.every) {
            case 'second':
                return t(i18n)`${plural(count, { one: 'every second', other: 'every # seconds' })}`;
            case 'minute':
                return t(i18n)`${plural(count, { one: 'every minute', other: 'every # minutes' })}`;
            case 'hour':
                return t(i18n)`${plural(count, { one: 'every hour', other: 'every # hours' })}`;
            case 'day':
                return t(i18n)`${plural(count, { one: 'every day', other: 'every # days' })}`;
        }
    }
    const { at, on } = timing;
    if (on === 'days') return t(i18n)`daily at ${at}`;
    if (on === 'weekdays') return t(i18n)`on weekdays at ${at}`;
    const day = weekday(on);
    return t(i18n)`every ${day} at ${at}`;
}

const inner = (settings: Readonly<Record<string, unknown>>, field: string): Readonly<Record<string, unknown>> => {
    const value = settings[field];
    return isRecord(value) ? value : {};
};

const said = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '?');
