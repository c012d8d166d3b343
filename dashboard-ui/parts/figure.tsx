import { useDisplayLocale, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { bytesText } from './bytes';

/** A whole number in the reader's way of writing it. */
export function Count({ value }: { readonly value: number }): ReactNode {
    const { formatNumber } = useLocalFormat();
    return <span className="tabular-nums">{formatNumber(value)}</span>;
}

/** A size. */
export function Bytes({ bytes }: { readonly bytes: number }): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    return <span className="tabular-nums whitespace-nowrap">{bytesText(bytes, bcp47Tag)}</span>;
}

/** A number with its name, as the pages show their few most important ones. */
export function Figure({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }): ReactNode {
    return (
        <div className="min-w-24">
            <dt className="text-sm text-muted-foreground">{name}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{children}</dd>
        </div>
    );
}
