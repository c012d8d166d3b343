import { useLingui } from '@lingui/react/macro';
import { cn, Skeleton } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** Shown while a response is pending. */
export function Loading({ className }: { readonly className?: string }): ReactNode {
    const { t } = useLingui();
    return <Skeleton role="status" className={cn('h-64 w-full', className)} aria-label={t`Loading`} />;
}
