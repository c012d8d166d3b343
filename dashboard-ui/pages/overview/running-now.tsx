import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Link,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { RunStatusBadge } from '../../ground/status';
import { Count } from '../../parts/figure';
import { Warnings } from '../../parts/runs-table';
import { Duration } from '../../parts/moment';
import { Waiting } from '../../parts/waiting';
import { WideTable } from '../../parts/wide-table';
import type { Overview } from './overview.graphql';

/** The runs that are at work or wait to be. */
export function RunningNow({ overview: { running, runningTotal } }: { readonly overview: Overview }): ReactNode {
    const { t } = useLingui();
    if (runningTotal === 0) return null;
    const more = runningTotal - running.length;
    return (
        <Card>
            <CardHeader>
                <CardTitle role="heading" aria-level={2}>
                    <Trans>Running now</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent>
                <WideTable name={t`Running now`}>
                    <TableHeader>
                        <TableRow>
                            <TableHead>
                                <Trans context="flow">Pipeline</Trans>
                            </TableHead>
                            <TableHead>
                                <Trans context="flow">Status</Trans>
                            </TableHead>
                            <TableHead className="text-right">
                                <Trans context="flow">For</Trans>
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
                        </TableRow>
                    </TableHeader>
                    <TableBody>
                        {running.map(run => (
                            <TableRow key={run.id}>
                                <TableCell>
                                    <Link
                                        to={`/flow/runs/${run.id}`}
                                        className="font-medium underline-offset-4 hover:underline"
                                    >
                                        <span translate="no">{run.pipeline.name}</span>
                                    </Link>
                                </TableCell>
                                <TableCell>
                                    <RunStatusBadge run={run} />
                                    {run.waitsFor && (
                                        <p className="text-xs text-muted-foreground">
                                            <Waiting wait={run.waitsFor} />
                                        </p>
                                    )}
                                </TableCell>
                                <TableCell className="text-right">
                                    {run.progress ? <Duration ms={run.progress.elapsedMs} /> : '–'}
                                </TableCell>
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
                            </TableRow>
                        ))}
                    </TableBody>
                </WideTable>
                {more > 0 && (
                    <p className="pt-2 text-sm text-muted-foreground">
                        <Plural value={more} one="# more is not shown." other="# more are not shown." />
                    </p>
                )}
            </CardContent>
        </Card>
    );
}
