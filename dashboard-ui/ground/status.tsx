import { useLingui } from '@lingui/react/macro';
import {
    BanIcon,
    CheckIcon,
    CircleDashedIcon,
    CircleXIcon,
    ClockIcon,
    HandIcon,
    LoaderIcon,
    type LucideIcon,
    TriangleAlertIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from './state-badge';
import { type RunState, type RunWithState, stateOf } from './run-state';

/** How each state looks: the icon and the word say it, the colour only helps. */
const LOOKS: Readonly<
    Record<
        RunState,
        { readonly icon: LucideIcon; readonly tone: 'good' | 'warning' | 'bad' | 'quiet'; readonly turns?: true }
    >
> = {
    PENDING: { icon: ClockIcon, tone: 'quiet' },
    RUNNING: { icon: LoaderIcon, tone: 'quiet', turns: true },
    PAUSED: { icon: HandIcon, tone: 'warning' },
    SUCCESS: { icon: CheckIcon, tone: 'good' },
    PARTIAL: { icon: TriangleAlertIcon, tone: 'warning' },
    EMPTY: { icon: CircleDashedIcon, tone: 'quiet' },
    FAILED: { icon: CircleXIcon, tone: 'bad' },
    CANCELLED: { icon: BanIcon, tone: 'quiet' },
};

/** The words for the states of runs, in the language of the page. */
export function useStateWords(): Readonly<Record<RunState, string>> {
    const { t } = useLingui();
    return {
        PENDING: t({ message: 'waiting', context: 'run' }),
        RUNNING: t({ message: 'running', context: 'run' }),
        PAUSED: t({ message: 'paused', context: 'run' }),
        SUCCESS: t({ message: 'completed', context: 'run' }),
        PARTIAL: t({ message: 'partial', context: 'run' }),
        EMPTY: t({ message: 'no changes', context: 'run' }),
        FAILED: t({ message: 'failed', context: 'run' }),
        CANCELLED: t({ message: 'cancelled', context: 'run' }),
    };
}

/** What became of a run, or where it is. */
export function RunStatusBadge({ run }: { readonly run: RunWithState }): ReactNode {
    const words = useStateWords();
    const state = stateOf(run);
    return <StateBadge {...LOOKS[state]}>{words[state]}</StateBadge>;
}
