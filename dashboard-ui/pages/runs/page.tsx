import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FullWidthPageBlock, Link, Page, PageLayout, PageTitle } from '@vendure/dashboard';
import { HistoryIcon, WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { RunsTable } from '../../parts/runs-table';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSearch, useSkip } from '../../parts/use-search';
import { runFilter } from './run-filter';
import { RunFilters } from './run-filters';
import { allRunsDocument } from './runs.graphql';

const TAKE = 25;

/** What has run, of which pipeline, and how did it go? */
export default function RunsPage(): ReactNode {
    const { t } = useLingui();
    const [search, change] = useSearch();
    const filter = runFilter(search, Date.now());
    const isFiltered = Object.keys(filter).length > 0;
    const [skip, setSkip] = useSkip('skip');
    const { data, error, refetch } = useRefreshed({
        document: allRunsDocument,
        variables: {
            pipelineId: search['pipeline'] ?? null,
            options: { skip, take: TAKE, ...(isFiltered && { filter }) },
        },
    });
    const runs = data?.flowPipelineRuns;
    const isNarrowed = isFiltered || search['pipeline'] !== undefined;
    return (
        <Page pageId="flow-runs">
            <PageTitle>
                <Trans context="flow">Runs</Trans>
            </PageTitle>
            <PageLayout>
                <FullWidthPageBlock blockId="flow-runs">
                    <section
                        className="space-y-4 rounded-lg border bg-card p-4"
                        aria-label={t({ message: 'Runs', context: 'flow' })}
                    >
                        <RunFilters search={search} onChange={changes => change({ ...changes, skip: undefined })} />
                        {error && <FaultNotice error={error} onRetry={refetch} />}
                        {!runs && !error && <Loading />}
                        {runs && runs.totalItems > 0 && <RunsTable runs={runs.items} withPipeline />}
                        {runs && <Pager skip={skip} take={TAKE} total={runs.totalItems} onSkip={setSkip} />}
                        {runs?.totalItems === 0 && isNarrowed && (
                            <p className="py-6 text-center text-muted-foreground">
                                <Trans>No runs match these filters.</Trans>
                            </p>
                        )}
                        {runs?.totalItems === 0 && !isNarrowed && (
                            <NothingHere
                                icon={HistoryIcon}
                                title={<Trans>No runs yet</Trans>}
                                purpose={<Trans>Every run is listed here with the results for its records.</Trans>}
                            >
                                <Button variant="outline" render={<Link to="/flow/pipelines" />}>
                                    <WorkflowIcon aria-hidden />
                                    <Trans>Start a run from a pipeline's page</Trans>
                                </Button>
                            </NothingHere>
                        )}
                    </section>
                </FullWidthPageBlock>
            </PageLayout>
        </Page>
    );
}
