import { Trans } from '@lingui/react/macro';
import { ActionBarItem, Button, Link, Page, PageActionBar, PageTitle, PermissionGuard } from '@vendure/dashboard';
import { PlusIcon, WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { ImportButton } from '../../parts/import-button';
import { Loading } from '../../parts/loading';
import { AsOf } from '../../parts/moment';
import { useRefreshed } from '../../parts/use-refreshed';
import { UnfinishedImports } from '../import/unfinished-imports';
import { GettingStarted } from './getting-started';
import { LastDay } from './last-day';
import { NeedsAttention } from './needs-attention';
import { overviewDocument } from './overview.graphql';
import { RunningNow } from './running-now';

/** Does anything need me now? */
export default function OverviewPage(): ReactNode {
    const { data, error, asOf, isStale, refetch } = useRefreshed({ document: overviewDocument, variables: {} });
    const overview = data?.flowOverview;
    return (
        <Page pageId="flow-overview">
            <PageTitle>
                <Trans>Flow</Trans>
            </PageTitle>
            <PageActionBar>
                <ActionBarItem itemId="flow-pipelines" requiresPermission={['ReadFlowPipeline']}>
                    <Button variant="outline" render={<Link to="/flow/pipelines" />}>
                        <WorkflowIcon aria-hidden />
                        <Trans context="flow">Pipelines</Trans>
                    </Button>
                </ActionBarItem>
                <ActionBarItem itemId="flow-import-file" requiresPermission={['CreateFlowPipeline']}>
                    <ImportButton />
                </ActionBarItem>
                <ActionBarItem itemId="flow-new-pipeline" requiresPermission={['CreateFlowPipeline']}>
                    <Button render={<Link to="/flow/pipelines/new" />}>
                        <PlusIcon aria-hidden />
                        <Trans>New pipeline</Trans>
                    </Button>
                </ActionBarItem>
            </PageActionBar>
            <div className="space-y-4">
                {error && <FaultNotice error={error} onRetry={refetch} />}
                {overview ? (
                    <div className={isStale ? 'space-y-4 opacity-60' : 'space-y-4'}>
                        <NeedsAttention overview={overview} />
                        <PermissionGuard requires={['CreateFlowPipeline']}>
                            <UnfinishedImports />
                        </PermissionGuard>
                        {!overview.hasRuns && <GettingStarted />}
                        <RunningNow overview={overview} />
                        <LastDay overview={overview} />
                        <p className="text-right">
                            <AsOf at={asOf} isStale={isStale} />
                        </p>
                    </div>
                ) : (
                    !error && <Loading />
                )}
            </div>
        </Page>
    );
}
