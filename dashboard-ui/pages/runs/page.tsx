import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    FullWidthPageBlock,
    Link,
    NativeSelect,
    NativeSelectOption,
    Page,
    PageLayout,
    PageTitle,
} from '@vendure/dashboard';
import { HistoryIcon, WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStateWords } from '../../ground/status';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { RunsTable } from '../../parts/runs-table';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSearch, useSkip } from '../../parts/use-search';
import { allRunsDocument } from './runs.graphql';

const TAKE = 25;

/** What has run, of which pipeline, and how did it go? */
export default function RunsPage(): ReactNode {
    const { t } = useLingui();
    const states = useStateWords();
    const [{ status }, change] = useSearch();
    const [skip, setSkip] = useSkip('skip');
    const { data, error, refetch } = useRefreshed({
        document: allRunsDocument,
        variables: {
            options: { skip, take: TAKE, ...(status !== undefined && { filter: { status: { eq: status } } }) },
        },
    });
    const runs = data?.flowPipelineRuns;
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
                        <NativeSelect
                            aria-label={t({ message: 'Status', context: 'flow' })}
                            value={status ?? ''}
                            onChange={({ target }) => change({ status: target.value || undefined, skip: undefined })}
                        >
                            <NativeSelectOption value="">{t`All states`}</NativeSelectOption>
                            <NativeSelectOption value="FAILED">{states.FAILED}</NativeSelectOption>
                            <NativeSelectOption value="PAUSED">{states.PAUSED}</NativeSelectOption>
                            <NativeSelectOption value="RUNNING">{states.RUNNING}</NativeSelectOption>
                            <NativeSelectOption value="PENDING">{states.PENDING}</NativeSelectOption>
                            <NativeSelectOption value="COMPLETED">{states.SUCCESS}</NativeSelectOption>
                            <NativeSelectOption value="CANCELLED">{states.CANCELLED}</NativeSelectOption>
                        </NativeSelect>
                        {error && <FaultNotice error={error} onRetry={refetch} />}
                        {!runs && !error && <Loading />}
                        {runs && runs.totalItems > 0 && <RunsTable runs={runs.items} withPipeline />}
                        {runs && <Pager skip={skip} take={TAKE} total={runs.totalItems} onSkip={setSkip} />}
                        {runs?.totalItems === 0 && status !== undefined && (
                            <p className="py-6 text-center text-muted-foreground">
                                <Trans>No runs with this status.</Trans>
                            </p>
                        )}
                        {runs?.totalItems === 0 && status === undefined && (
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
