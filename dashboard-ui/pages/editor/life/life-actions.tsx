import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Badge,
    Button,
    DropdownMenu,
    DropdownMenuContent,
    DropdownMenuItem,
    DropdownMenuSeparator,
    DropdownMenuTrigger,
    Link,
    PermissionGuard,
    toast,
    useMutation,
    useNavigate,
    usePermissions,
} from '@vendure/dashboard';
import { ChevronDownIcon, FlaskConicalIcon, SaveIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { useOnce } from '../../../ground/use-once';
import { dryRunDocument, type EditedPipeline, type PublishedRevision, submitDocument } from '../editor.graphql';
import { countOf } from '../state/issues';
import type { Checks } from '../state/use-checks';
import type { Saving } from '../state/use-saving';
import { PublishDialog } from './publish-dialog';
import { RejectDialog } from './reject-dialog';
import { RunAction } from './run-action';

interface LifeActionsProps {
    readonly pipeline: EditedPipeline;
    readonly saving: Saving;
    readonly checks: Checks;
    readonly onSave: () => Promise<void>;
    readonly onStanding: () => Promise<EditedPipeline | undefined>;
    readonly onPublished: (revision: PublishedRevision) => void;
}

/** From a draft to what runs: save, run it dry, submit, publish. Each of them saves first what is not saved. */
export function LifeActions({
    pipeline,
    saving,
    checks,
    onSave,
    onStanding,
    onPublished,
}: LifeActionsProps): ReactNode {
    const { t } = useLingui();
    const navigate = useNavigate();
    const { hasPermissions } = usePermissions();
    const [dialog, setDialog] = useState<'publish' | 'reject'>();
    const { errors } = countOf(checks.issues);
    const isDraft = pipeline.revision === null || pipeline.hasChanges || saving.isDirty;
    const inReview = pipeline.status === 'REVIEW' && !saving.isDirty;
    const stood = async (version: number | undefined): Promise<void> => {
        if (version !== undefined) saving.rebase({ ...saving.base, version });
        await onStanding();
    };
    const onError = (error: Error): unknown => toast.error(faultOf(error).message);
    const dryRun = useMutation({
        mutationFn: async () => {
            if ((await saving.save()) === undefined) return undefined;
            return (await api.mutate(dryRunDocument, { pipelineId: pipeline.id })).dryRunFlowPipeline.id;
        },
        onSuccess: run =>
            run !== undefined && navigate({ to: `/flow/runs/${run}`, search: { tab: 'differences' } as never }),
        onError,
    });
    const startDryRun = useOnce(dryRun.mutateAsync);
    const submit = useMutation({
        mutationFn: async () => {
            const version = await saving.save();
            if (version === undefined) return undefined;
            return (await api.mutate(submitDocument, { id: pipeline.id, version })).submitFlowPipeline.version;
        },
        onSuccess: async version => {
            if (version === undefined) return;
            await stood(version);
            toast.success(t`Submitted for review`);
        },
        onError,
    });
    const handIn = useOnce(submit.mutateAsync);
    const link = (
        <Link to={`/flow/pipelines/${pipeline.id}`} className="text-sm underline underline-offset-4 max-sm:hidden">
            <Trans>Runs and revisions</Trans>
        </Link>
    );
    if (pipeline.codeFirst || pipeline.archived) return link;
    const number = pipeline.revision?.number;
    const canPublish = hasPermissions(['PublishFlowPipeline']);
    const mendFirst = t`Fix the errors first.`;
    const canReview = hasPermissions(['ReviewFlowPipeline']);
    return (
        <div className="flex flex-wrap items-center justify-end gap-2">
            {link}
            <span className="flex gap-1 max-md:hidden">
                {(inReview || isDraft) && (
                    <Badge variant="outline">
                        {inReview ? <Trans context="flow">in review</Trans> : <Trans context="flow">draft</Trans>}
                    </Badge>
                )}
                {number !== undefined && (
                    <Badge variant="secondary">
                        <Trans>Revision {number} (live)</Trans>
                    </Badge>
                )}
            </span>
            <PermissionGuard requires={['RunFlowPipeline']}>
                <Button variant="outline" disabled={dryRun.isPending || errors > 0} onClick={() => startDryRun()}>
                    <FlaskConicalIcon aria-hidden />
                    <span className="max-sm:sr-only">
                        <Trans context="flow">Dry run</Trans>
                    </span>
                </Button>
            </PermissionGuard>
            <PermissionGuard requires={['RunFlowPipeline']}>
                <RunAction
                    pipeline={pipeline}
                    isDraft={isDraft}
                    onPublish={canPublish && errors === 0 ? () => setDialog('publish') : undefined}
                />
            </PermissionGuard>
            <PermissionGuard requires={['UpdateFlowPipeline']}>
                <Button
                    variant="outline"
                    disabled={!saving.isDirty || saving.isSaving || saving.foreign !== undefined}
                    onClick={() => void onSave()}
                >
                    <SaveIcon aria-hidden />
                    <span className="max-sm:sr-only">
                        <Trans context="flow">Save</Trans>
                    </span>
                </Button>
            </PermissionGuard>
            {canPublish && (
                <Button
                    disabled={saving.foreign !== undefined || errors > 0}
                    title={errors > 0 ? mendFirst : undefined}
                    onClick={() => setDialog('publish')}
                >
                    <Trans context="flow">Publish</Trans>
                </Button>
            )}
            {!canPublish && !inReview && (
                <Button
                    disabled={saving.foreign !== undefined || errors > 0 || submit.isPending}
                    title={errors > 0 ? mendFirst : undefined}
                    onClick={() => handIn()}
                >
                    <Trans>Submit for review</Trans>
                </Button>
            )}
            {(inReview ? canReview : canPublish) && (
                <DropdownMenu>
                    <DropdownMenuTrigger
                        render={
                            <Button
                                variant="outline"
                                size="icon"
                                aria-label={t`More actions`}
                                disabled={saving.foreign !== undefined}
                            />
                        }
                    >
                        <ChevronDownIcon aria-hidden />
                    </DropdownMenuTrigger>
                    <DropdownMenuContent align="end">
                        {!inReview && (
                            <DropdownMenuItem disabled={errors > 0 || submit.isPending} onClick={() => handIn()}>
                                <Trans>Submit for review</Trans>
                            </DropdownMenuItem>
                        )}
                        {inReview && (
                            <DropdownMenuItem onClick={() => setDialog('reject')}>
                                <Trans>Send back …</Trans>
                            </DropdownMenuItem>
                        )}
                        {errors > 0 && (
                            <>
                                <DropdownMenuSeparator />
                                <p className="max-w-64 px-2 py-1 text-xs text-muted-foreground">{mendFirst}</p>
                            </>
                        )}
                    </DropdownMenuContent>
                </DropdownMenu>
            )}
            <PublishDialog
                isOpen={dialog === 'publish'}
                onClose={() => setDialog(undefined)}
                pipeline={pipeline}
                saving={saving}
                onDone={stood}
                onPublished={onPublished}
            />
            <RejectDialog
                isOpen={dialog === 'reject'}
                onClose={() => setDialog(undefined)}
                pipeline={pipeline}
                saving={saving}
                onDone={stood}
            />
        </div>
    );
}
