import { useLingui } from '@lingui/react/macro';

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
