import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, ConfirmationDialog, PermissionGuard, toast, useMutation, useNavigate } from '@vendure/dashboard';
import { CircleStopIcon, PlayIcon, RotateCwIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../ground/fault';
import { hasEnded } from '../../ground/run-state';
import { useOnce } from '../../ground/use-once';
import { startRun } from '../../parts/use-start-run';
import { LooksRight } from './looks-right';
import { cancelRunDocument, dryRunAgainDocument, resumeRunDocument, type Run } from './run.graphql';

interface RunActionsProps {
    readonly run: Run;
    readonly onChange: () => Promise<unknown>;
}

/** What can be done about a run as a whole: resume it, cancel it, or start the same again. */
export function RunActions({ run, onChange }: RunActionsProps): ReactNode {
    if (hasEnded(run))
        return (
            <div className="flex gap-2">
                <Again run={run} />
                {run.dryRun && run.status === 'COMPLETED' && <LooksRight run={run} />}
            </div>
        );
    return (
        <div className="flex gap-2">
            {run.waitsFor?.reason === 'RESUME' && <Resume run={run} onChange={onChange} />}
            <Cancel run={run} onChange={onChange} />
        </div>
    );
}

function Resume({ run, onChange }: RunActionsProps): ReactNode {
    const resume = useMutation({
        mutationFn: () => api.mutate(resumeRunDocument, { id: run.id }),
        onSuccess: onChange,
        onError: error => toast.error(faultOf(error).message),
    });
    const press = useOnce(resume.mutateAsync);
    return (
        <PermissionGuard requires={['RunFlowPipeline']}>
            <Button onClick={() => press()} disabled={resume.isPending}>
                <PlayIcon aria-hidden />
                <Trans>Resume</Trans>
            </Button>
        </PermissionGuard>
    );
}

function Cancel({ run, onChange }: RunActionsProps): ReactNode {
    const { t } = useLingui();
    const cancel = useMutation({
        mutationFn: () => api.mutate(cancelRunDocument, { id: run.id }),
        onSuccess: onChange,
        onError: error => toast.error(faultOf(error).message),
    });
    const isAsked = run.cancelRequestedAt !== null || cancel.isPending;
    return (
        <PermissionGuard requires={['RunFlowPipeline']}>
            <ConfirmationDialog
                title={t`Cancel this run?`}
                description={t`A batch in progress is finished or rolled back, never left half-written. Records already loaded are kept.`}
                confirmText={t`Cancel the run`}
                cancelText={t`Keep the run`}
                onConfirm={() => cancel.mutate()}
            >
                {/* The host's red button is hard to read in its dark theme. */}
                <Button variant="outline" disabled={isAsked}>
                    <CircleStopIcon aria-hidden className="text-destructive" />
                    {isAsked ? <Trans>Cancelling</Trans> : <Trans>Cancel the run</Trans>}
                </Button>
            </ConfirmationDialog>
        </PermissionGuard>
    );
}

function Again({ run }: { readonly run: Run }): ReactNode {
    const navigate = useNavigate();
    const again = useMutation({
        mutationFn: () => startLike(run),
        onSuccess: id => navigate({ to: `/flow/runs/${id}` }),
        onError: error => toast.error(faultOf(error).message),
    });
    const press = useOnce(again.mutateAsync);
    return (
        <PermissionGuard requires={['RunFlowPipeline']}>
            <Button
                variant={run.dryRun && run.status === 'COMPLETED' ? 'outline' : 'default'}
                onClick={() => press()}
                disabled={again.isPending}
            >
                <RotateCwIcon aria-hidden />
                {run.dryRun ? <Trans>Dry run again</Trans> : <Trans>Run again</Trans>}
            </Button>
        </PermissionGuard>
    );
}

/** Only a MANUAL trigger can be named. A run that a schedule or webhook started is repeated with the pipeline's own manual trigger. */
async function startLike({ pipeline, dryRun, revisionId, triggerKey, triggerType }: Run): Promise<string> {
    const start = { pipelineId: pipeline.id, triggerKey: triggerType === 'MANUAL' ? triggerKey : null };
    if (!dryRun) return startRun(start);
    const answer = await api.mutate(dryRunAgainDocument, { ...start, workingCopy: revisionId === null });
    return answer.dryRunFlowPipeline.id;
}
