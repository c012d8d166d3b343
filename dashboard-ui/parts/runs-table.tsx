import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Link, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import type { RunWithState } from '../ground/run-state';
import { RunStatusBadge } from '../ground/status';
import { Count } from './figure';
import { Duration, Moment } from './moment';
import { useStartWords } from './trigger-words';
import { WideTable } from './wide-table';

/** The fields of a run that lists show. */
export interface ListedRun extends RunWithState {
    readonly id: string;
    readonly createdAt: string;
    readonly startedAt: string | null;
    readonly dryRun: boolean;
    readonly triggerType: string;
    readonly recordsRead: number;
    readonly recordsLoaded: number;
    readonly recordsRejected: number;
    readonly warnings: number;
    readonly progress: { readonly elapsedMs: number } | null;
    readonly revision: { readonly number: number } | null;
    readonly pipeline?: { readonly id: string; readonly name: string } | null;
}

interface RunsTableProps {
    readonly runs: readonly ListedRun[];
    /** Whether they are those of several pipelines. */
    readonly withPipeline?: boolean;
}

/** Runs, a line each: how it went, when, and how much it did. */
export function RunsTable({ runs, withPipeline = false }: RunsTableProps): ReactNode {
    const { t } = useLingui();
    const starts = useStartWords();
    return (
        <WideTable name={t({ message: 'Runs', context: 'flow' })}>
            <TableHeader>
                <TableRow>
                    <TableHead>
                        <Trans context="flow">Run</Trans>
                    </TableHead>
                    {withPipeline && (
                        <TableHead>
                            <Trans context="flow">Pipeline</Trans>
                        </TableHead>
                    )}
                    <TableHead>
                        <Trans context="flow">Status</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Started</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Duration</Trans>
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
                    <TableHead className="text-right">
                        <Trans context="flow">Warnings</Trans>
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
                {runs.map(run => (
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
                        {withPipeline && (
                            <TableCell className="min-w-40 whitespace-normal">
                                {run.pipeline && (
                                    <Link to={`/flow/pipelines/${run.pipeline.id}`} className="hover:underline">
                                        {run.pipeline.name}
                                    </Link>
                                )}
                            </TableCell>
                        )}
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
                        <TableCell className="text-right">
                            <Warnings run={run} />
                        </TableCell>
                        <TableCell>{starts[run.triggerType] ?? run.triggerType}</TableCell>
                        <TableCell className="text-right">{run.revision?.number ?? '–'}</TableCell>
                    </TableRow>
                ))}
            </TableBody>
        </WideTable>
    );
}

/** The number of warnings of a run, with a link to them. */
export function Warnings({ run: { id, warnings } }: { readonly run: Pick<ListedRun, 'id' | 'warnings'> }): ReactNode {
    if (warnings === 0) return <Count value={0} />;
    return (
        <Link
            to={`/flow/runs/${id}`}
            search={{ tab: 'log', level: 'WARN' } as never}
            className="underline underline-offset-4"
        >
            <Count value={warnings} />
        </Link>
    );
}
