import { cn } from '@vendure/dashboard';
import type { ReactNode } from 'react';

interface ChoiceCardProps {
    readonly isChosen: boolean;
    readonly onChoose: () => void;
    readonly children: ReactNode;
}

/** One of several things that a pipeline can start with. */
export function ChoiceCard({ isChosen, onChoose, children }: ChoiceCardProps): ReactNode {
    return (
        <button
            type="button"
            aria-pressed={isChosen}
            className={cn(
                'space-y-2 rounded-lg border-2 p-3 text-left outline-none hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50',
                isChosen && 'border-primary',
            )}
            onClick={onChoose}
        >
            {children}
        </button>
    );
}
