import { Trans } from '@lingui/react/macro';
import { HistoryIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { RunsTable } from '../../parts/runs-table';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSkip } from '../../parts/use-search';
import { type Pipeline, pipelineRunsDocument } from './pipeline.graphql';

const TAKE = 25;

/** The runs of the pipeline, the newest first. */
export function RunsTab({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const [skip, setSkip] = useSkip('runs');
    const { data, error, refetch } = useRefreshed({
        document: pipelineRunsDocument,
        variables: { pipelineId: pipeline.id, options: { skip, take: TAKE } },
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const runs = data?.flowPipelineRuns;
    if (!runs) return <Loading className="h-48" />;
    if (runs.totalItems === 0)
        return (
            <NothingHere
                icon={HistoryIcon}
                title={<Trans>Not run yet</Trans>}
                purpose={<Trans>Start with a dry run (above). It shows the changes and writes nothing.</Trans>}
            />
        );
    return (
        <>
            <RunsTable runs={runs.items} />
            <Pager skip={skip} take={TAKE} total={runs.totalItems} onSkip={setSkip} />
        </>
    );
}
