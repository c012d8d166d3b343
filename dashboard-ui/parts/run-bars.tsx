import { useLingui } from '@lingui/react/macro';
import { useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { Bars } from './bars';
import type { Period } from './periods';

/** The results of a period's runs, as far as the charts show them. */
export interface RunFigures {
    readonly success: number;
    readonly partial: number;
    readonly empty: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly recordsLoaded: number;
    readonly recordsRejected: number;
}

interface RunBarsProps {
    readonly periods: ReadonlyArray<Period<RunFigures>>;
    /** How the start of a period is formatted. */
    readonly format: Intl.DateTimeFormatOptions;
    readonly recordsTitle: string;
}

/** Two charts next to each other: outcomes of runs, and numbers of records. */
export function RunBars({ periods, format, recordsTitle }: RunBarsProps): ReactNode {
    const { t } = useLingui();
    const { formatDate } = useLocalFormat();
    const told = periods.map(({ start, figures }) => ({ label: formatDate(start, format), figures }));
    return (
        <div className="grid gap-6 lg:grid-cols-2">
            <Bars
                title={t`Runs by outcome`}
                parts={[
                    { key: 'failed', label: t({ message: 'failed', context: 'run' }), className: 'bg-destructive' },
                    { key: 'partial', label: t({ message: 'partial', context: 'run' }), className: 'bg-warning' },
                    { key: 'other', label: t`empty or cancelled`, className: 'bg-muted-foreground/40' },
                    { key: 'success', label: t({ message: 'completed', context: 'run' }), className: 'bg-success' },
                ]}
                bars={told.map(({ label, figures }) => ({
                    label,
                    values: {
                        success: figures?.success ?? 0,
                        partial: figures?.partial ?? 0,
                        failed: figures?.failed ?? 0,
                        other: (figures?.empty ?? 0) + (figures?.cancelled ?? 0),
                    },
                }))}
            />
            <Bars
                title={recordsTitle}
                parts={[
                    {
                        key: 'rejected',
                        label: t({ message: 'rejected', context: 'flow records' }),
                        className: 'bg-warning',
                    },
                    {
                        key: 'loaded',
                        label: t({ message: 'loaded', context: 'flow records' }),
                        className: 'bg-primary',
                    },
                ]}
                bars={told.map(({ label, figures }) => ({
                    label,
                    values: { loaded: figures?.recordsLoaded ?? 0, rejected: figures?.recordsRejected ?? 0 },
                }))}
            />
        </div>
    );
}
