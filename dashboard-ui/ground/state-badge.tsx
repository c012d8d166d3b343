import { Badge, cn } from '@vendure/dashboard';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** How much a state matters; the colour is that of the icon alone, so that the word can be read on any ground. */
const TONES = {
    good: 'text-success',
    warning: 'text-warning',
    bad: 'text-destructive',
    quiet: 'text-muted-foreground',
} as const;

interface StateBadgeProps {
    readonly tone: keyof typeof TONES;
    readonly icon: LucideIcon;
    /** While something is at work. */
    readonly turns?: boolean;
    readonly children: ReactNode;
}

/** A state, as an icon and a word. */
export function StateBadge({ tone, icon: Icon, turns = false, children }: StateBadgeProps): ReactNode {
    return (
        <Badge variant="outline" className="bg-background">
            <Icon aria-hidden className={cn(TONES[tone], turns && 'animate-spin motion-reduce:animate-none')} />
            {children}
        </Badge>
    );
}
