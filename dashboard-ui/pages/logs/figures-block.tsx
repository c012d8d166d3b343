import { Trans, useLingui } from '@lingui/react/macro';
import { Link, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import { type ReactNode, useMemo } from 'react';
import type { ResultOf } from '../../gql/graphql';
import { Count, Figure } from '../../parts/figure';
import { Duration } from '../../parts/moment';
import { Pager } from '../../parts/pager';
import { RunBars } from '../../parts/run-bars';
import { useSkip } from '../../parts/use-search';
import { WideTable } from '../../parts/wide-table';
import type { analyticsDocument } from './logs.graphql';
import { ranked } from './ranked';
import { partsOf } from './time-window';

/** The maximum number of rows. Rendering a thousand at once would take a second. */
const TAKE = 10;

type Analytics = ResultOf<typeof analyticsDocument>['flowAnalytics'];

interface FiguresProps {
    readonly analytics: Analytics;
    readonly period: 'HOUR' | 'DAY';
}

/** What the runs of the window come to: their sums, their course, and each pipeline's share. */
export function Figures({ analytics, period }: FiguresProps): ReactNode {
    const { total } = analytics;
    return (
        <div className="space-y-6">
            <dl className="flex flex-wrap gap-x-8 gap-y-3">
                <Figure name={<Trans context="flow">Runs</Trans>}>
                    <Count value={total.runs} />
                </Figure>
                <Figure name={<Trans context="flow">Failed</Trans>}>
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
            <Course analytics={analytics} period={period} />
            {analytics.pipelines.length > 0 && <ByPipeline pipelines={analytics.pipelines} />}
        </div>
    );
}

function Course({ analytics, period }: FiguresProps): ReactNode {
    const { t } = useLingui();
    const told = new Map(analytics.periods.map(({ start, figures }) => [Date.parse(start), figures]));
    const periods = partsOf(analytics, period).map(start => ({
        start: new Date(start),
        figures: told.get(Date.parse(start)),
    }));
    return (
        <RunBars
            periods={periods}
            format={period === 'HOUR' ? { dateStyle: 'short', timeStyle: 'short' } : { dateStyle: 'medium' }}
            recordsTitle={t`Records`}
        />
    );
}

/** Each pipeline's share, those first that ask for a look. */
function ByPipeline({ pipelines }: Pick<Analytics, 'pipelines'>): ReactNode {
    const { t } = useLingui();
    const [skip, setSkip] = useSkip('figures');
    const sorted = useMemo(() => ranked(pipelines), [pipelines]);
    // Another time may have fewer of them.
    const first = skip < sorted.length ? skip : 0;
    return (
        <div>
            <WideTable name={t`Outcomes of runs`}>
                <TableHeader>
                    <TableRow>
                        <TableHead>
                            <Trans context="flow">Pipeline</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow">Runs</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow">Failed</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans>Records loaded</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans>Records rejected</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans>Median duration</Trans>
                        </TableHead>
                    </TableRow>
                </TableHeader>
                <TableBody>
                    {sorted.slice(first, first + TAKE).map(({ pipeline, figures }) => (
                        <TableRow key={pipeline.id}>
                            <TableCell>
                                <Link to={`/flow/pipelines/${pipeline.id}`} className="hover:underline">
                                    {pipeline.name}
                                </Link>
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={figures.runs} />
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={figures.failed} />
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={figures.recordsLoaded} />
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={figures.recordsRejected} />
                            </TableCell>
                            <TableCell className="text-right">
                                {figures.medianMs === null ? '–' : <Duration ms={figures.medianMs} />}
                            </TableCell>
                        </TableRow>
                    ))}
                </TableBody>
            </WideTable>
            {sorted.length > TAKE && <Pager skip={first} take={TAKE} total={sorted.length} onSkip={setSkip} />}
        </div>
    );
}
