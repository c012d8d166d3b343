import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle } from '@vendure/dashboard';
import { HistoryIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Count, Figure } from '../../parts/figure';
import { NothingHere } from '../../parts/nothing-here';
import { filled, HOURS } from '../../parts/periods';
import { RunBars } from '../../parts/run-bars';
import type { Overview } from './overview.graphql';

/** The last 24 hours: how runs ended, and how many records they took. */
export function LastDay({ overview }: { readonly overview: Overview }): ReactNode {
    const { lastDay } = overview;
    return (
        <Card>
            <CardHeader>
                <CardTitle role="heading" aria-level={2}>
                    <Trans>The last 24 hours</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="space-y-6">
                <dl className="flex flex-wrap gap-x-8 gap-y-4">
                    <Figure name={<Trans>Runs</Trans>}>
                        <Count value={lastDay.runs} />
                    </Figure>
                    <Figure name={<Trans>Failed</Trans>}>
                        <Count value={lastDay.failed} />
                    </Figure>
                    <Figure name={<Trans>Records loaded</Trans>}>
                        <Count value={lastDay.recordsLoaded} />
                    </Figure>
                    <Figure name={<Trans>Records rejected</Trans>}>
                        <Count value={lastDay.recordsRejected} />
                    </Figure>
                </dl>
                {lastDay.runs === 0 ? (
                    <NothingHere
                        icon={HistoryIcon}
                        title={<Trans>No run finished in the last 24 hours</Trans>}
                        purpose={<Trans>Runs by outcome, and loaded and rejected records, per hour.</Trans>}
                    />
                ) : (
                    <Charts overview={overview} />
                )}
            </CardContent>
        </Card>
    );
}

function Charts({ overview: { hours, asOf } }: { readonly overview: Overview }): ReactNode {
    const { t } = useLingui();
    return (
        <RunBars
            periods={filled(hours, HOURS, new Date(asOf))}
            format={{ hour: '2-digit', minute: '2-digit' }}
            recordsTitle={t`Records by hour`}
        />
    );
}
