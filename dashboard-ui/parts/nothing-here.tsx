import { Empty, EmptyContent, EmptyDescription, EmptyHeader, EmptyMedia, EmptyTitle } from '@vendure/dashboard';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface NothingHereProps {
    readonly icon: LucideIcon;
    readonly title: ReactNode;
    /** An empty state: what will be shown here, and its purpose. */
    readonly purpose: ReactNode;
    /** The one thing to do now. */
    readonly children?: ReactNode;
}

/** A list without a line: what it is for, and what to do. */
export function NothingHere({ icon: Icon, title, purpose, children }: NothingHereProps): ReactNode {
    return (
        <Empty className="p-8">
            <EmptyHeader>
                <EmptyMedia variant="icon">
                    <Icon aria-hidden />
                </EmptyMedia>
                <EmptyTitle>{title}</EmptyTitle>
                <EmptyDescription>{purpose}</EmptyDescription>
            </EmptyHeader>
            {children && <EmptyContent>{children}</EmptyContent>}
        </Empty>
    );
}
