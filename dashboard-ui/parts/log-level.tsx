import { useLingui } from '@lingui/react/macro';
import { BugIcon, CircleXIcon, InfoIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../ground/state-badge';

const LOOKS = {
    ERROR: { tone: 'bad', icon: CircleXIcon },
    WARN: { tone: 'warning', icon: TriangleAlertIcon },
    INFO: { tone: 'quiet', icon: InfoIcon },
    DEBUG: { tone: 'quiet', icon: BugIcon },
} as const;

/** How much a line of the log matters. */
export type Level = keyof typeof LOOKS;

/** The levels, the gravest first, in the language of the page. */
export function useLevelWords(): Readonly<Record<Level, string>> {
    const { t } = useLingui();
    return {
        ERROR: t({ message: 'error', context: 'log' }),
        WARN: t({ message: 'warning', context: 'log' }),
        INFO: t({ message: 'Info', context: 'log' }),
        DEBUG: t({ message: 'Debug', context: 'log' }),
    };
}

/** The level of a line. */
export function LevelBadge({ level }: { readonly level: Level }): ReactNode {
    const words = useLevelWords();
    return <StateBadge {...LOOKS[level]}>{words[level]}</StateBadge>;
}
