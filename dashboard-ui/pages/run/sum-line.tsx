import { Plural, Trans } from '@lingui/react/macro';
import { Button, Link, Progress, toast, useMutation, usePermissions } from '@vendure/dashboard';
import { DownloadIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasEnded } from '../../ground/run-state';
import { Count } from '../../parts/figure';
import { saveFile } from '../../parts/rest';
import type { Run } from './run.graphql';
import { sumOf } from './sums';

/** What has become of the records, as a sum that can be checked; while the run is at work, how far it is where that is known. */
export function SumLine({ run }: { readonly run: Run }): ReactNode {
    const { read, loaded, exported, unchanged, filtered, rejected, held, other, comesOut } = sumOf(run);
    // Numbers that do not add up are not shown as a sum.
    const plus = comesOut ? '+' : '·';
    return (
        <div className="space-y-3">
            <p className="text-base" data-testid="flow-sum">
                <Part count={read}>
                    <Trans context="flow records">read</Trans>
                </Part>
                {comesOut ? ' =' : ':'}{' '}
                {(loaded > 0 || exported === 0) && (
                    <>
                        <Part count={loaded}>
                            {run.dryRun ? <Trans>would be loaded</Trans> : <Trans context="flow records">loaded</Trans>}
                        </Part>{' '}
                        {plus}{' '}
                    </>
                )}
                {exported > 0 && (
                    <>
                        <Part count={exported}>
                            {run.dryRun ? (
                                <Trans>would be exported</Trans>
                            ) : (
                                <Trans context="flow records">exported</Trans>
                            )}
                        </Part>{' '}
                        {plus}{' '}
                    </>
                )}
                <Part count={unchanged}>
                    <Trans context="flow records">unchanged</Trans>
                </Part>{' '}
                {plus}{' '}
                <Part count={filtered}>
                    <Trans context="flow records">filtered</Trans>
                </Part>{' '}
                {plus}{' '}
                <Link
                    to={`/flow/runs/${run.id}`}
                    search={{ tab: 'records' } as never}
                    className="underline-offset-4 hover:underline"
                >
                    <Part count={rejected}>
                        <Trans context="flow records">rejected</Trans>
                    </Part>
                </Link>
                {held > 0 && (
                    <>
                        {' '}
                        {plus}{' '}
                        <Part count={held}>
                            <Trans context="flow records">held</Trans>
                        </Part>
                    </>
                )}
                {other > 0 && (
                    <>
                        {' '}
                        {plus}{' '}
                        <Part count={other}>
                            <OtherRecords run={run} />
                        </Part>
                    </>
                )}
                {run.warnings > 0 && (
                    <>
                        {' · '}
                        <Link
                            to={`/flow/runs/${run.id}`}
                            search={{ tab: 'log', level: 'WARN' } as never}
                            className="underline-offset-4 hover:underline"
                        >
                            <Part count={run.warnings}>
                                <Plural value={run.warnings} one="warning" other="warnings" />
                            </Part>
                        </Link>
                    </>
                )}
            </p>
            {!comesOut && (
                <p className="text-sm text-muted-foreground">
                    <Trans>
                        These numbers do not add up to the records read: a step created several records from one,
                        several steps load or export a record, or the run also processed records missing from the
                        source.
                    </Trans>
                </p>
            )}
            <ExportedFiles run={run} />
            {!hasEnded(run) && <HowFar run={run} />}
        </div>
    );
}

/** The files that its exports have written, to download. */
function ExportedFiles({ run }: { readonly run: Run }): ReactNode {
    const { hasPermissions } = usePermissions();
    const saving = useMutation({
        mutationFn: (path: string) => saveFile(`${path}/download`),
        onError: error => toast.error(error.message),
    });
    const files = run.steps.flatMap(({ stepKey, file }) => (file ? [{ stepKey, ...file }] : []));
    const mayRead = hasPermissions(['ReadFlowFiles']) || hasPermissions(['ManageFlowFiles']);
    if (files.length === 0 || !mayRead) return null;
    return (
        <div className="flex flex-wrap gap-2">
            {files.map(({ stepKey, filename, path }) => (
                <Button
                    key={stepKey}
                    size="sm"
                    variant="outline"
                    disabled={saving.isPending}
                    onClick={() => saving.mutate(path)}
                >
                    <DownloadIcon aria-hidden />
                    <span>
                        <Trans>
                            Download <span translate="no">{filename}</span>
                        </Trans>
                    </span>
                </Button>
            ))}
        </div>
    );
}

function OtherRecords({ run }: { readonly run: Run }): ReactNode {
    if (!hasEnded(run)) return <Trans>In progress</Trans>;
    return run.status === 'COMPLETED' ? <Trans>not loaded</Trans> : <Trans>not processed</Trans>;
}

function Part({ count, children }: { readonly count: number; readonly children: ReactNode }): ReactNode {
    return (
        <span className="whitespace-nowrap">
            <strong className="font-semibold">
                <Count value={count} />
            </strong>{' '}
            <span className="text-muted-foreground">{children}</span>
        </span>
    );
}

function HowFar({ run }: { readonly run: Run }): ReactNode {
    const sources = run.steps.flatMap(({ source }) =>
        source?.total ? [{ records: source.records, total: source.total }] : [],
    );
    if (sources.length === 0 || sources.length < run.steps.filter(({ kind }) => kind === 'EXTRACT').length) return null;
    const total = sources.reduce((sum, source) => sum + source.total, 0);
    const done = sources.reduce((sum, source) => sum + source.records, 0);
    const percent = Math.min(100, Math.floor((done / total) * 100));
    return (
        <Progress value={percent}>
            <span className="text-sm tabular-nums">
                <Trans>
                    <Count value={done} /> of <Count value={total} /> read
                </Trans>
            </span>
        </Progress>
    );
}
