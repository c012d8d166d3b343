import { Trans, useLingui } from '@lingui/react/macro';
import { api, ConfirmationDialog, Button, Link, PermissionGuard } from '@vendure/dashboard';
import { BookMarkedIcon, CheckIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../../ground/state-badge';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { useLetRun } from '../../parts/secret-hosts';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSkip } from '../../parts/use-search';
import { type Pipeline, type Revision, revisionsDocument, selectRevisionDocument } from './pipeline.graphql';
import { PipelineHistory } from './pipeline-history';
import { RevisionDifferences } from './revision-differences';

const TAKE = 10;

interface RevisionsTabProps {
    readonly pipeline: Pipeline;
    readonly onChange: () => Promise<unknown>;
}

/** What was published, what differs between two of them, and who did what. */
export function RevisionsTab({ pipeline, onChange }: RevisionsTabProps): ReactNode {
    const [skip, setSkip] = useSkip('revisions');
    const { data, error, refetch } = useRefreshed({
        document: revisionsDocument,
        variables: { pipelineId: pipeline.id, options: { skip, take: TAKE } },
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const revisions = data?.flowPipelineRevisions;
    if (!revisions) return <Loading className="h-48" />;
    if (revisions.totalItems === 0)
        return (
            <NothingHere
                icon={BookMarkedIcon}
                title={<Trans>Nothing published yet</Trans>}
                purpose={
                    <Trans>
                        Publishing creates a revision that never changes. Each run executes one revision. You can
                        compare two revisions.
                    </Trans>
                }
            />
        );
    return (
        <div className="space-y-6">
            <div>
                <ul className="divide-y">
                    {revisions.items.map(revision => (
                        <RevisionLine key={revision.id} pipeline={pipeline} revision={revision} onChange={onChange} />
                    ))}
                </ul>
                <Pager skip={skip} take={TAKE} total={revisions.totalItems} onSkip={setSkip} />
            </div>
            {(revisions.totalItems > 1 || pipeline.workingCopy) && (
                <RevisionDifferences pipeline={pipeline} revisions={revisions.items} />
            )}
            <PipelineHistory pipeline={pipeline} />
        </div>
    );
}

interface RevisionLineProps extends RevisionsTabProps {
    readonly revision: Revision;
}

function RevisionLine({ pipeline, revision, onChange }: RevisionLineProps): ReactNode {
    const { number } = revision;
    return (
        <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3 text-sm">
            <strong className="font-medium">
                <Trans>Revision {number}</Trans>
            </strong>
            {pipeline.revision?.id === revision.id && (
                <StateBadge tone="good" icon={CheckIcon}>
                    <Trans context="flow">runs</Trans>
                </StateBadge>
            )}
            <span className="text-muted-foreground">
                <Moment value={revision.createdAt} />
            </span>
            <span className="text-muted-foreground">
                {revision.publishedBy ? (
                    <span translate="no">{revision.publishedBy.identifier}</span>
                ) : (
                    <Trans>Code</Trans>
                )}
            </span>
            {revision.message && <span className="w-full whitespace-pre-wrap">{revision.message}</span>}
            {!pipeline.codeFirst && !pipeline.archived && (
                <PermissionGuard requires={['UpdateFlowPipeline']}>
                    <Button
                        size="sm"
                        variant="ghost"
                        className="ml-auto"
                        render={
                            <Link to={`/flow/pipelines/${pipeline.id}/edit`} search={{ from: revision.id } as never} />
                        }
                    >
                        <Trans>Edit from here</Trans>
                    </Button>
                </PermissionGuard>
            )}
            {pipeline.revision?.id !== revision.id && !pipeline.codeFirst && !pipeline.archived && (
                <Select pipeline={pipeline} revision={revision} onChange={onChange} />
            )}
        </li>
    );
}

function Select({ pipeline, revision, onChange }: RevisionLineProps): ReactNode {
    const { t } = useLingui();
    const { number } = revision;
    const select = useLetRun({
        letRun: allowSecretHosts =>
            api.mutate(selectRevisionDocument, { id: pipeline.id, revisionId: revision.id, allowSecretHosts }),
        onDone: onChange,
        allow: <Trans>Allow and make live</Trans>,
    });
    return (
        <PermissionGuard requires={['PublishFlowPipeline']}>
            <ConfirmationDialog
                title={t`Make revision ${number} live?`}
                description={t`Runs in progress finish with their revision. The draft does not change.`}
                confirmText={t`Make live`}
                onConfirm={select.press}
            >
                <Button size="sm" variant="outline" disabled={select.isPending}>
                    <Trans>Make live</Trans>
                </Button>
            </ConfirmationDialog>
            {select.dialog}
        </PermissionGuard>
    );
}
