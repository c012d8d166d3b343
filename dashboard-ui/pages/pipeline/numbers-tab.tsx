import { Trans, useLingui } from '@lingui/react/macro';
import { ChartColumnIcon } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { ResultOf } from '../../gql/graphql';
import { FaultNotice } from '../../parts/fault-notice';
import { Count, Figure } from '../../parts/figure';
import { Loading } from '../../parts/loading';
import { Duration } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { DAYS, filled, firstOf } from '../../parts/periods';
import { RunBars } from '../../parts/run-bars';
import { useRefreshed } from '../../parts/use-refreshed';
import { numbersDocument, type Pipeline } from './pipeline.graphql';

type Numbers = ResultOf<typeof numbersDocument>['flowAnalytics'];

/** What its runs of the last 30 days come to, in sum and day by day. */
export function NumbersTab({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const from = useMemo(() => firstOf(DAYS, new Date()).toISOString(), []);
    const { data, error, refetch } = useRefreshed({
        document: numbersDocument,
        variables: { pipelineId: pipeline.id, from },
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return <Loading className="h-48" />;
    const { total } = data.flowAnalytics;
    if (total.runs === 0)
        return (
            <NothingHere
                icon={ChartColumnIcon}
                title={<Trans>No run finished in the last 30 days</Trans>}
                purpose={<Trans>Records, outcomes and durations by day.</Trans>}
            />
        );
    return (
        <div className="space-y-6">
            <dl className="flex flex-wrap gap-x-8 gap-y-4">
                <Figure name={<Trans>Runs in 30 days</Trans>}>
                    <Count value={total.runs} />
                </Figure>
                <Figure name={<Trans>Failed</Trans>}>
                    <Count value={total.failed} />
                </Figure>
                <Figure name={<Trans>Records loaded</Trans>}>
                    <Count value={total.recordsLoaded} />
                </Figure>
                <Figure name={<Trans>Records rejected</Trans>}>
                    <Count value={total.recordsRejected} />
                </Figure>
                <Figure name={<Trans>Median duration</Trans>}>
                    {total.medianMs === null ? '–' : <Duration ms={total.medianMs} />}
                </Figure>
                <Figure name={<Trans>95th percentile</Trans>}>
                    {total.p95Ms === null ? '–' : <Duration ms={total.p95Ms} />}
                </Figure>
            </dl>
            <Charts numbers={data.flowAnalytics} />
        </div>
    );
}

function Charts({ numbers }: { readonly numbers: Numbers }): ReactNode {
    const { t } = useLingui();
    return (
        <RunBars
            periods={filled(numbers.periods, DAYS, new Date())}
            format={{ day: 'numeric', month: 'short', timeZone: 'UTC' }}
            recordsTitle={t`Records by day`}
        />
    );
}
