import { useLingui } from '@lingui/react/macro';
import { CheckIcon, CircleDotIcon, CircleXIcon, EyeOffIcon, LoaderIcon, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../../ground/state-badge';
import type { RecordErrorState } from './record-errors.graphql';

const ICONS: Readonly<Record<RecordErrorState, LucideIcon>> = {
    OPEN: CircleDotIcon,
    REPLAYED: LoaderIcon,
    LOADED: CheckIcon,
    REJECTED: CircleXIcon,
    IGNORED: EyeOffIcon,
};

const TONES = { OPEN: 'warning', REPLAYED: 'quiet', LOADED: 'good', REJECTED: 'bad', IGNORED: 'quiet' } as const;

/** The words for what is done about a record. */
export function useRecordStateWords(): Readonly<Record<RecordErrorState, string>> {
    const { t } = useLingui();
    return {
        OPEN: t({ message: 'open', context: 'flow record' }),
        REPLAYED: t({ message: 'in progress', context: 'flow record' }),
        LOADED: t({ message: 'loaded', context: 'flow record' }),
        REJECTED: t({ message: 'rejected again', context: 'flow record' }),
        IGNORED: t({ message: 'ignored', context: 'flow record' }),
    };
}

/** What is done about a record: an icon and a word. */
export function RecordStateBadge({ state }: { readonly state: RecordErrorState }): ReactNode {
    const words = useRecordStateWords();
    return (
        <StateBadge tone={TONES[state]} icon={ICONS[state]} turns={state === 'REPLAYED'}>
            {words[state]}
        </StateBadge>
    );
}
