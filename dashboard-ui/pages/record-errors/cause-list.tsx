import { useLingui } from '@lingui/react/macro';
import { cn } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { useErrorText } from '../../i18n/use-server-texts';
import { Count } from '../../parts/figure';
import { Moment } from '../../parts/moment';
import type { Cause } from './record-errors.graphql';

interface CauseListProps {
    readonly causes: readonly Cause[];
    readonly chosen: string;
    readonly onChoose: (id: string) => void;
}

/** What is wrong, the cause of most records first. */
export function CauseList({ causes, chosen, onChoose }: CauseListProps): ReactNode {
    const { t } = useLingui();
    const textOf = useErrorText();
    return (
        <nav aria-label={t`Causes`}>
            <ul className="max-h-96 space-y-1 overflow-y-auto lg:max-h-[calc(100vh-16rem)]">
                {causes.map(cause => (
                    <li key={cause.id}>
                        <button
                            type="button"
                            aria-current={cause.id === chosen}
                            onClick={() => onChoose(cause.id)}
                            className={cn(
                                'w-full rounded-md border border-transparent p-3 text-left text-sm hover:bg-muted focus-visible:ring-2 focus-visible:ring-ring focus-visible:outline-none',
                                cause.id === chosen && 'border-border bg-muted',
                            )}
                        >
                            <span className="flex items-baseline justify-between gap-2">
                                <span className="truncate font-medium" translate="no">
                                    {[cause.stepKey, cause.path].filter(Boolean).join(' · ')}
                                </span>
                                <span className="font-semibold">
                                    <Count value={cause.records} />
                                </span>
                            </span>
                            <span className="line-clamp-2 text-muted-foreground">{textOf(cause.example)}</span>
                            <span className="flex justify-between gap-2 text-xs text-muted-foreground">
                                <code translate="no">{cause.code}</code>
                                <Moment value={cause.lastSeenAt} />
                            </span>
                        </button>
                    </li>
                ))}
            </ul>
        </nav>
    );
}
