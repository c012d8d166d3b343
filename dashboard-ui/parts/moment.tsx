import { Trans } from '@lingui/react/macro';
import { useDisplayLocale, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { aheadText, durationText } from './duration';

/** A relative time, with the exact time on hover. */
export function Moment({ value }: { readonly value: string }): ReactNode {
    const { formatDate, formatRelativeDate } = useLocalFormat();
    const { bcp47Tag } = useDisplayLocale();
    const ahead = new Date(value).getTime() - Date.now();
    return (
        <time
            dateTime={value}
            title={formatDate(value, { dateStyle: 'medium', timeStyle: 'medium' })}
            className="whitespace-nowrap"
        >
            {/* The host counts what is to come in seconds, however far it is. */}
            {ahead > 0 ? aheadText(ahead, bcp47Tag) : formatRelativeDate(value, { numeric: 'auto' })}
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
            {isStale ? <Trans>no response since {time}</Trans> : <Trans>as of {time}</Trans>}
        </span>
    );
}
