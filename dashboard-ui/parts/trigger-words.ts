import { useLingui } from '@lingui/react/macro';
import { useLocalFormat } from '@vendure/dashboard';
import { type ToldTrigger, triggerText } from './trigger-text';

/** What starts a pipeline, by the type of its trigger, in the language of the page. */
export function useTriggerWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return {
        MANUAL: t({ message: 'Manual', context: 'trigger' }),
        SCHEDULE: t({ message: 'Schedule', context: 'trigger' }),
        WEBHOOK: t({ message: 'Webhook', context: 'trigger' }),
        EVENT: t({ message: 'Event', context: 'trigger' }),
        FILE: t({ message: 'New file', context: 'trigger' }),
        MESSAGE: t({ message: 'Message', context: 'trigger' }),
    };
}

/** The same for what has started a run: also a replay, which no trigger starts. */
export function useStartWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return { ...useTriggerWords(), REPLAY: t({ message: 'Replay', context: 'trigger' }) };
}

/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1, 12);
const DAY_MS = 86_400_000;

/** What a trigger waits for, in the language of the page. */
export function useTriggerText(): (trigger: ToldTrigger) => string {
    const { i18n } = useLingui();
    const { formatDate } = useLocalFormat();
    const weekday = (day: number): string =>
        formatDate(new Date(SUNDAY + day * DAY_MS), { weekday: 'long', timeZone: 'UTC' });
    return trigger => triggerText(i18n, trigger, weekday);
}
