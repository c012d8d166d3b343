import { Trans } from '@lingui/react/macro';
import { useDisplayLocale, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { durationText } from './duration';

/** When something was: how long ago, and the moment itself for whoever points at it. */
export function Moment({ value }: { readonly value: string }): ReactNode {
    const { formatDate, formatRelativeDate } = useLocalFormat();
    return (
        <time
            dateTime={value}
            title={formatDate(value, { dateStyle: 'medium', timeStyle: 'medium' })}
            className="whitespace-nowrap"
        >
            {formatRelativeDate(value, { numeric: 'auto' })}
        </time>
    );
}

/** How long something took, or takes. */
export function Duration({ ms }: { readonly ms: number }): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    return <span className="tabular-nums whitespace-nowrap">{durationText(ms, bcp47Tag)}</span>;
}

/** From when the figures of a page are. */
export function AsOf({ at, isStale }: { readonly at: number; readonly isStale: boolean }): ReactNode {
    const { formatDate } = useLocalFormat();
    if (at === 0) return null;
    const time = formatDate(new Date(at), { timeStyle: 'medium' });
    return (
        <span className="text-sm text-muted-foreground tabular-nums">
            {isStale ? <Trans>no answer since {time}</Trans> : <Trans>as of {time}</Trans>}
        </span>
    );
}
