import { Plural, Trans } from '@lingui/react/macro';
import { ActionBarItem, Badge, Card, CardContent, Link, Page, PageActionBar, PageTitle } from '@vendure/dashboard';
import { SearchXIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { hasEnded } from '../../ground/run-state';
import { RunStatusBadge } from '../../ground/status';
import { useWatched, type WatchedAnswer } from '../../ground/use-watched';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { AsOf, Duration, Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { PageTabs } from '../../parts/page-tabs';
import { useStartWords } from '../../parts/trigger-words';
import { Waiting } from '../../parts/waiting';
import { DifferencesTab } from './differences-tab';
import { FailureNotice } from './failure-notice';
import { GateTab } from './gate-tab';
import { LogTab } from './log-tab';
import { RecordsTab } from './records-tab';
import { type Run, runDocument } from './run.graphql';
import { RunActions } from './run-actions';
import { StepGraph } from './step-graph';
import { StepsTable } from './steps-table';
import { SumLine } from './sum-line';
import { takenOver } from './taken-over';

/** How far is it, what did it do, why did it stop? */
export default function RunPage({ route }: FlowPageProps): ReactNode {
    const { id } = route.useParams() as { id: string };
    const answer = useWatched({
        document: runDocument,
        variables: { id },
        hasEnded: ({ flowPipelineRun: run }) => run === null || hasEnded(run),
    });
    const run = answer.data?.flowPipelineRun;
    return (
        <Page pageId="flow-run">
            <PageTitle>
                <Trans>
                    Run <span translate="no">{id}</span>
                </Trans>
            </PageTitle>
            <PageActionBar>
                <ActionBarItem itemId="flow-run-actions">
                    {run && <RunActions run={run} onChange={answer.refetch} />}
                </ActionBarItem>
            </PageActionBar>
            <Shown answer={answer} run={run} />
        </Page>
    );
}

interface ShownProps {
    readonly answer: WatchedAnswer<unknown>;
    readonly run: Run | null | undefined;
}

function Shown({ answer, run }: ShownProps): ReactNode {
    if (run)
        return (
            <div className="space-y-4">
                {answer.error && <FaultNotice error={answer.error} onRetry={answer.refetch} />}
                <Standing run={run} answer={answer} />
                <RunTabs run={run} isStale={answer.isStale} onDecided={answer.refetch} />
            </div>
        );
    if (answer.error) return <FaultNotice error={answer.error} onRetry={answer.refetch} />;
    if (run === undefined) return <Loading />;
    return (
        <NothingHere
            icon={SearchXIcon}
            title={<Trans>There is no such run</Trans>}
            purpose={<Trans>It belongs to another channel, or it was deleted after its retention time.</Trans>}
        >
            <Link to="/flow/pipelines" className="underline underline-offset-4">
                <Trans>See all pipelines</Trans>
            </Link>
        </NothingHere>
    );
}

function Standing({ run, answer }: { readonly run: Run; readonly answer: WatchedAnswer<unknown> }): ReactNode {
    return (
        <Card>
            <CardContent className="space-y-4">
                <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
                    <span aria-live="polite">
                        <RunStatusBadge run={run} />
                    </span>
                    {run.dryRun && (
                        <Badge variant="outline">
                            <Trans>Dry run: nothing is written</Trans>
                        </Badge>
                    )}
                    <Link
                        to={`/flow/pipelines/${run.pipeline.id}`}
                        className="font-medium underline underline-offset-4"
                    >
                        <span translate="no">{run.pipeline.name}</span>
                    </Link>
                    <RevisionOf run={run} />
                    {run.progress && (
                        <span className={answer.isStale ? 'opacity-60' : undefined}>
                            <Duration ms={run.progress.elapsedMs} />
                        </span>
                    )}
                    <span className="text-muted-foreground">
                        <Moment value={run.startedAt ?? run.createdAt} />
                    </span>
                    <StartedBy run={run} />
                    {!hasEnded(run) && <AsOf at={answer.asOf} isStale={answer.isStale} />}
                </div>
                {run.waitsFor && (
                    <p className="text-sm">
                        <Waiting wait={run.waitsFor} />
                    </p>
                )}
                {takenOver(run) > 0 && (
                    <p className="text-sm text-muted-foreground">
                        <Plural
                            value={takenOver(run)}
                            one="A worker stopped during this run. Another worker resumed it."
                            other="# workers stopped during this run. Another worker resumed it."
                        />
                    </p>
                )}
                {run.replays !== null && run.replays > 0 && (
                    <p className="text-sm text-muted-foreground">
                        <Plural
                            value={run.replays}
                            one="Replays # record rejected by an earlier run."
                            other="Replays # records rejected by earlier runs."
                        />
                    </p>
                )}
                <SumLine run={run} />
                <FailureNotice run={run} />
            </CardContent>
        </Card>
    );
}

/** A person; of what started by itself what that was, and whose rights it has. */
function StartedBy({ run: { triggerType, startedBy } }: { readonly run: Run }): ReactNode {
    const starts = useStartWords();
    const person = startedBy && <span translate="no">{startedBy.identifier}</span>;
    return (
        <span className="text-muted-foreground">
            {triggerType === 'MANUAL' ? (
                person
            ) : (
                <>
                    {starts[triggerType] ?? triggerType}
                    {person && (
                        <>
                            {', '}
                            <Trans>runs as {person}</Trans>
                        </>
                    )}
                </>
            )}
        </span>
    );
}

function RevisionOf({ run }: { readonly run: Run }): ReactNode {
    if (run.revisionNumber === null)
        return (
            <Link
                to={`/flow/pipelines/${run.pipeline.id}/edit`}
                className="text-muted-foreground underline underline-offset-4"
            >
                <Trans>draft</Trans>
            </Link>
        );
    const number = run.revisionNumber;
    return (
        <span className="text-muted-foreground">
            <Trans>revision {number}</Trans>
        </span>
    );
}

interface RunTabsProps {
    readonly run: Run;
    readonly isStale: boolean;
    readonly onDecided: () => Promise<unknown>;
}

function RunTabs({ run, isStale, onDecided }: RunTabsProps): ReactNode {
    const isAtGate = run.status === 'PAUSED' && run.gateStepKey !== null;
    const hasGate = isAtGate || run.gateDecisions.length > 0;
    // A user who saw the run wait also sees the decision.
    const [hasWaited, setHasWaited] = useState(isAtGate);
    if (isAtGate && !hasWaited) setHasWaited(true);
    const gate = {
        value: 'gate',
        label: <Trans context="flow">Approval</Trans>,
        content: <GateTab run={run} onDecided={onDecided} />,
    };
    const differences = {
        value: 'differences',
        label: <Trans context="flow">Differences</Trans>,
        content: <DifferencesTab run={run} />,
    };
    return (
        <PageTabs
            first={hasWaited ? 'gate' : 'steps'}
            tabs={[
                ...(hasGate ? [gate] : []),
                {
                    value: 'steps',
                    label: <Trans context="flow">Steps</Trans>,
                    content: <StepsTable run={run} isStale={isStale} />,
                },
                { value: 'graph', label: <Trans context="flow">Graph</Trans>, content: <StepGraph run={run} /> },
                {
                    value: 'records',
                    label: <Trans context="flow">Rejected records</Trans>,
                    content: <RecordsTab run={run} />,
                },
                ...(run.dryRun ? [differences] : []),
                { value: 'log', label: <Trans context="flow">Log</Trans>, content: <LogTab run={run} /> },
            ]}
        />
    );
}
