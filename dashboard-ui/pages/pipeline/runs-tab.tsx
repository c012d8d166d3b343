import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Link, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import { HistoryIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { RunStatusBadge } from '../../ground/status';
import { FaultNotice } from '../../parts/fault-notice';
import { Count } from '../../parts/figure';
import { Loading } from '../../parts/loading';
import { Duration, Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { useStartWords } from '../../parts/trigger-words';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSkip } from '../../parts/use-search';
import { WideTable } from '../../parts/wide-table';
import { type Pipeline, pipelineRunsDocument } from './pipeline.graphql';

const TAKE = 25;

/** The runs of the pipeline, the newest first. */
export function RunsTab({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const { t } = useLingui();
    const starts = useStartWords();
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
                title={<Trans>It has not run yet</Trans>}
                purpose={<Trans>Start with a dry run, above: it shows what would change and writes nothing.</Trans>}
            />
        );
    return (
        <>
            <WideTable name={t({ message: 'Runs', context: 'flow' })}>
                <TableHeader>
                    <TableRow>
                        <TableHead>
                            <Trans context="flow">Run</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">State</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Begun</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Took</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow records">Read</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow records">Loaded</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow records">Rejected</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Started by</Trans>
                        </TableHead>
                        <TableHead className="text-right">
                            <Trans context="flow">Revision</Trans>
                        </TableHead>
                    </TableRow>
                </TableHeader>
                <TableBody>
                    {runs.items.map(run => (
                        <TableRow key={run.id}>
                            <TableCell>
                                <Link
                                    to={`/flow/runs/${run.id}`}
                                    className="font-medium underline underline-offset-4"
                                    translate="no"
                                >
                                    {run.id}
                                </Link>
                            </TableCell>
                            <TableCell className="space-x-1 whitespace-nowrap">
                                <RunStatusBadge run={run} />
                                {run.dryRun && (
                                    <Badge variant="outline">
                                        <Trans context="run">dry run</Trans>
                                    </Badge>
                                )}
                            </TableCell>
                            <TableCell>
                                <Moment value={run.startedAt ?? run.createdAt} />
                            </TableCell>
                            <TableCell>{run.progress ? <Duration ms={run.progress.elapsedMs} /> : '–'}</TableCell>
                            <TableCell className="text-right">
                                <Count value={run.recordsRead} />
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={run.recordsLoaded} />
                            </TableCell>
                            <TableCell className="text-right">
                                <Count value={run.recordsRejected} />
                            </TableCell>
                            <TableCell>{starts[run.triggerType] ?? run.triggerType}</TableCell>
                            <TableCell className="text-right">{run.revision?.number ?? '–'}</TableCell>
                        </TableRow>
                    ))}
                </TableBody>
            </WideTable>
            <Pager skip={skip} take={TAKE} total={runs.totalItems} onSkip={setSkip} />
        </>
    );
}
