import { Trans } from '@lingui/react/macro';
import { api, FullWidthPageBlock, keepPreviousData, Page, PageLayout, PageTitle, useQuery } from '@vendure/dashboard';
import { type ReactNode, useMemo } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { useSearch } from '../../parts/use-search';
import { Figures } from './figures-block';
import { LineFilters, TimeFilters } from './filters';
import { LogLines } from './log-lines';
import { analyticsDocument } from './logs.graphql';
import { windowOf } from './time-window';

/** What did runs write, and what do they come to? */
export default function LogsPage(): ReactNode {
    const [search, change] = useSearch();
    const { range, from, to, pipeline } = search;
    const window = useMemo(() => windowOf({ range, from, to }, Date.now()), [range, from, to]);
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'analytics', window, pipeline],
        queryFn: () => api.query(analyticsDocument, { ...window, pipelineId: pipeline }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    return (
        <Page pageId="flow-logs">
            <PageTitle>
                <Trans context="flow">Logs & Analytics</Trans>
            </PageTitle>
            <PageLayout>
                <FullWidthPageBlock blockId="flow-time">
                    <TimeFilters search={search} onChange={change} mayAsk={data !== undefined || error !== null} />
                </FullWidthPageBlock>
                <FullWidthPageBlock blockId="flow-figures">
                    <section className="rounded-lg border bg-card p-4" aria-labelledby="flow-figures-title">
                        <h2 id="flow-figures-title" className="mb-4 font-medium">
                            <Trans>Outcomes of runs</Trans>
                        </h2>
                        {error && <FaultNotice error={error} onRetry={refetch} />}
                        {data && <Figures analytics={data.flowAnalytics} period={window.period} />}
                        {!data && !error && <Loading className="h-48" />}
                    </section>
                </FullWidthPageBlock>
                <FullWidthPageBlock blockId="flow-log">
                    <section className="space-y-4 rounded-lg border bg-card p-4" aria-labelledby="flow-log-title">
                        <h2 id="flow-log-title" className="font-medium">
                            <Trans context="flow">Log</Trans>
                        </h2>
                        <LineFilters search={search} onChange={change} />
                        <LogLines search={search} window={window} onSkip={skip => change({ skip: String(skip) })} />
                    </section>
                </FullWidthPageBlock>
            </PageLayout>
        </Page>
    );
}
