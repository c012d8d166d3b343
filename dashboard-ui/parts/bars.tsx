import { cn, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** What a part of a bar stands for. */
export interface BarPart {
    readonly key: string;
    readonly label: string;
    /** Of the host's tokens, so that it fits light and dark. */
    readonly className: string;
}

/** One bar: its name, and how much of each part it has. */
export interface Bar {
    readonly label: string;
    readonly values: Readonly<Record<string, number>>;
}

interface BarsProps {
    readonly title: string;
    readonly parts: readonly BarPart[];
    readonly bars: readonly Bar[];
}

/** Small stacked bars over time. Screen readers get the numbers. */
export function Bars({ title, parts, bars }: BarsProps): ReactNode {
    const { formatNumber } = useLocalFormat();
    const total = ({ values }: Bar): number => parts.reduce((sum, { key }) => sum + (values[key] ?? 0), 0);
    const highest = Math.max(1, ...bars.map(total));
    const told = (bar: Bar): string =>
        `${bar.label}: ${parts.map(({ key, label }) => `${formatNumber(bar.values[key] ?? 0)} ${label}`).join(', ')}`;
    return (
        <figure className="space-y-2">
            <figcaption className="flex flex-wrap items-baseline justify-between gap-2 text-sm">
                <span className="font-medium">{title}</span>
                <span className="flex flex-wrap gap-3 text-xs text-muted-foreground">
                    {parts.map(({ key, label, className }) => (
                        <span key={key} className="inline-flex items-center gap-1">
                            <span aria-hidden className={cn('size-2 rounded-xs', className)} />
                            {label}
                        </span>
                    ))}
                </span>
            </figcaption>
            <ol className="flex h-24 items-end gap-px border-b">
                {bars.map(bar => (
                    <li
                        key={bar.label}
                        title={told(bar)}
                        className="flex h-full min-w-1 flex-1 flex-col justify-end hover:bg-muted"
                    >
                        <span className="sr-only">{told(bar)}</span>
                        {parts.map(({ key, className }) => (
                            <span
                                key={key}
                                aria-hidden
                                className={className}
                                style={{ height: barHeight(bar.values[key] ?? 0, highest) }}
                            />
                        ))}
                    </li>
                ))}
            </ol>
            <div aria-hidden className="flex justify-between text-xs text-muted-foreground">
                <span>{bars[0]?.label}</span>
                <span>{bars.at(-1)?.label}</span>
            </div>
        </figure>
    );
}

/** A little that is there is seen: never less than two pixels. */
function barHeight(value: number, highest: number): string {
    return value === 0 ? '0' : `max(2px, ${((value / highest) * 100).toFixed(1)}%)`;
}
