import { useLingui } from '@lingui/react/macro';
import { Skeleton } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** Stands where an answer is waited for, and says so. */
export function Loading(): ReactNode {
    const { t } = useLingui();
    return <Skeleton role="status" className="h-64 w-full" aria-label={t`Loading`} />;
}
