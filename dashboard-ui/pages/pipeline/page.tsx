import { Plural, Trans } from '@lingui/react/macro';
import {
    ActionBarItem,
    Badge,
    Card,
    CardContent,
    Link,
    Page,
    PageActionBar,
    PageTitle,
    usePermissions,
} from '@vendure/dashboard';
import { PowerIcon, SearchXIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { StateBadge } from '../../ground/state-badge';
import type { WatchedAnswer } from '../../ground/use-watched';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { PageTabs } from '../../parts/page-tabs';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSearch } from '../../parts/use-search';
import { DefinitionTab } from './definition-tab';
import { NumbersTab } from './numbers-tab';
import { type Pipeline, pipelineDocument } from './pipeline.graphql';
import { PipelineActions } from './pipeline-actions';
import { PublicationIssues } from './publication-issues';
import { positionsDocument, sourcesOf } from './positions.graphql';
import { PositionsTab } from './positions-tab';
import { RevisionsTab } from './revisions-tab';
import { RunsTab } from './runs-tab';
import { TriggersTab } from './triggers-tab';
import { WaitingFiles } from './waiting-files';

/** What it does, whether it works, what starts it and what has changed about it. */
export default function PipelinePage({ route }: FlowPageProps): ReactNode {
    const { id } = route.useParams() as { id: string };
    const answer = useRefreshed({ document: pipelineDocument, variables: { id } });
    const pipeline = answer.data?.flowPipeline;
    return (
        <Page pageId="flow-pipeline">
            <PageTitle>
                {pipeline ? <span translate="no">{pipeline.name}</span> : <Trans context="flow">Pipeline</Trans>}
            </PageTitle>
            <PageActionBar>
                <ActionBarItem itemId="flow-pipeline-actions">
                    {pipeline && <PipelineActions pipeline={pipeline} onChange={answer.refetch} />}
                </ActionBarItem>
            </PageActionBar>
            <Shown answer={answer} pipeline={pipeline} />
        </Page>
    );
}

interface ShownProps {
    readonly answer: WatchedAnswer<unknown>;
    readonly pipeline: Pipeline | null | undefined;
}

function Shown({ answer, pipeline }: ShownProps): ReactNode {
    if (pipeline)
        return (
            <div className="space-y-4">
                {answer.error && <FaultNotice error={answer.error} onRetry={answer.refetch} />}
                <Standing pipeline={pipeline} />
                <PublicationIssues pipeline={pipeline} />
                <PipelineTabs pipeline={pipeline} onChange={answer.refetch} />
            </div>
        );
    if (answer.error) return <FaultNotice error={answer.error} onRetry={answer.refetch} />;
    if (pipeline === undefined) return <Loading />;
    return (
        <NothingHere
            icon={SearchXIcon}
            title={<Trans>There is no such pipeline</Trans>}
            purpose={<Trans>It belongs to another channel or was deleted.</Trans>}
        >
            <Link to="/flow/pipelines" className="underline underline-offset-4">
                <Trans>See all pipelines</Trans>
            </Link>
        </NothingHere>
    );
}

function Standing({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const { revision } = pipeline;
    const number = revision?.number;
    const openErrors = pipeline.openErrors ?? 0;
    return (
        <Card>
            <CardContent className="space-y-2">
                {pipeline.description && <p className="text-sm">{pipeline.description}</p>}
                <div className="flex flex-wrap items-center gap-2 text-sm">
                    <code translate="no">{pipeline.code}</code>
                    {pipeline.archived ? (
                        <Badge variant="outline">
                            <Trans context="flow">archived</Trans>
                        </Badge>
                    ) : pipeline.enabled ? (
                        <StateBadge tone="good" icon={PowerIcon}>
                            <Trans context="flow">enabled</Trans>
                        </StateBadge>
                    ) : (
                        <Badge variant="outline">
                            <Trans context="flow">disabled</Trans>
                        </Badge>
                    )}
                    {revision ? (
                        <Badge variant="secondary">
                            <Trans>Revision {number} (live)</Trans>
                        </Badge>
                    ) : (
                        <StateBadge tone="warning" icon={TriangleAlertIcon}>
                            <Trans>Not published: it cannot run</Trans>
                        </StateBadge>
                    )}
                    {pipeline.hasChanges && revision && (
                        <Badge variant="outline">
                            <Trans>unpublished changes</Trans>
                        </Badge>
                    )}
                    {pipeline.codeFirst && (
                        <Badge variant="outline">
                            <Trans>Defined in code (read-only)</Trans>
                        </Badge>
                    )}
                    {openErrors > 0 && (
                        <Link
                            to="/flow/record-errors"
                            search={{ pipelineId: pipeline.id } as never}
                            className="min-h-6 underline underline-offset-4"
                        >
                            <Plural
                                value={openErrors}
                                one="# rejected record to review"
                                other="# rejected records to review"
                            />
                        </Link>
                    )}
                </div>
            </CardContent>
        </Card>
    );
}

interface PipelineTabsProps {
    readonly pipeline: Pipeline;
    readonly onChange: () => Promise<unknown>;
}

function PipelineTabs({ pipeline, onChange }: PipelineTabsProps): ReactNode {
    const [search] = useSearch();
    const { hasPermissions } = usePermissions();
    const { data: positions } = useRefreshed({
        document: positionsDocument,
        variables: { pipelineId: pipeline.id },
    });
    // Most sources are read from the beginning each time. A link to the positions waits until this is known.
    const hasPositions = positions === undefined ? search['tab'] === 'positions' : sourcesOf(positions).length > 0;
    const ofPositions = {
        value: 'positions',
        label: <Trans context="flow">Positions</Trans>,
        content: positions ? <PositionsTab pipelineId={pipeline.id} positions={positions} /> : <Loading />,
    };
    const runs = {
        value: 'runs',
        label: <Trans context="flow">Runs</Trans>,
        content: <RunsTab pipeline={pipeline} />,
    };
    const numbers = {
        value: 'numbers',
        label: <Trans context="flow">Numbers</Trans>,
        content: <NumbersTab pipeline={pipeline} />,
    };
    const readsRuns = hasPermissions(['ReadFlowRun']);
    return (
        <PageTabs
            first={readsRuns ? 'runs' : 'definition'}
            tabs={[
                ...(readsRuns ? [runs] : []),
                {
                    value: 'definition',
                    label: <Trans context="flow">Definition</Trans>,
                    content: <DefinitionTab pipeline={pipeline} />,
                },
                {
                    value: 'revisions',
                    label: <Trans context="flow">Revisions</Trans>,
                    content: <RevisionsTab pipeline={pipeline} onChange={onChange} />,
                },
                {
                    value: 'triggers',
                    label: <Trans context="flow">Triggers</Trans>,
                    content: (
                        <>
                            <TriggersTab pipeline={pipeline} />
                            {readsRuns && (
                                <WaitingFiles
                                    pipelineId={pipeline.id}
                                    isWatching={
                                        pipeline.revision?.triggers.some(({ type }) => type === 'FILE') ?? false
                                    }
                                />
                            )}
                        </>
                    ),
                },
                ...(hasPositions ? [ofPositions] : []),
                ...(readsRuns ? [numbers] : []),
            ]}
        />
    );
}
