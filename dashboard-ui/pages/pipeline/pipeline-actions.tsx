import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Link,
    PermissionGuard,
    toast,
    useMutation,
    useNavigate,
    usePermissions,
} from '@vendure/dashboard';
import { ArchiveRestoreIcon, FlaskConicalIcon, PencilIcon, PlayIcon, PowerIcon, WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../ground/fault';
import { useOnce } from '../../ground/use-once';
import { useLetRun } from '../../parts/secret-hosts';
import { startsByHand } from '../../parts/trigger-text';
import { startRun } from '../../parts/use-start-run';
import {
    disableDocument,
    dryRunPipelineDocument,
    enableDocument,
    type Pipeline,
    restoreDocument,
} from './pipeline.graphql';

interface PipelineActionsProps {
    readonly pipeline: Pipeline;
    readonly onChange: () => Promise<unknown>;
}

/** Run it, run it dry, let it be started or not. */
export function PipelineActions({ pipeline, onChange }: PipelineActionsProps): ReactNode {
    const navigate = useNavigate();
    const onError = (error: Error): unknown => toast.error(faultOf(error).message);
    const start = useMutation({
        mutationFn: async (isDry: boolean) => (isDry ? dryRun(pipeline) : startRun({ pipelineId: pipeline.id })),
        onSuccess: id => navigate({ to: `/flow/runs/${id}` }),
        onError,
    });
    const press = useOnce(start.mutateAsync);
    const { hasPermissions } = usePermissions();
    const isShownOnly = pipeline.codeFirst || pipeline.archived || !hasPermissions(['UpdateFlowPipeline']);
    const { t } = useLingui();
    const isByHand = pipeline.revision === null || startsByHand(pipeline.revision.triggers);
    const canRun = pipeline.enabled && !pipeline.archived && pipeline.revision !== null && isByHand;
    const why = isByHand ? undefined : t`It cannot be started manually: the live revision has no manual trigger.`;
    return (
        <div className="flex gap-2">
            <Button variant="outline" render={<Link to={`/flow/pipelines/${pipeline.id}/edit`} />}>
                {isShownOnly ? <WorkflowIcon aria-hidden /> : <PencilIcon aria-hidden />}
                <span className="max-sm:sr-only">
                    {isShownOnly ? <Trans>View the steps</Trans> : <Trans context="flow">Edit</Trans>}
                </span>
            </Button>
            <PermissionGuard requires={['PublishFlowPipeline']}>
                <Availability pipeline={pipeline} onChange={onChange} />
            </PermissionGuard>
            <PermissionGuard requires={['RunFlowPipeline']}>
                <Button
                    variant="outline"
                    title={why}
                    disabled={start.isPending || pipeline.archived || !isByHand}
                    onClick={() => press(true)}
                >
                    <FlaskConicalIcon aria-hidden />
                    <span className="max-sm:sr-only">
                        <Trans context="flow">Dry run</Trans>
                    </span>
                </Button>
            </PermissionGuard>
            <PermissionGuard requires={['RunFlowPipeline']}>
                <Button title={why} disabled={start.isPending || !canRun} onClick={() => press(false)}>
                    <PlayIcon aria-hidden />
                    <Trans context="flow">Run</Trans>
                </Button>
            </PermissionGuard>
        </div>
    );
}

/** Restores what is archived, and enables or disables everything else. */
function Availability({ pipeline, onChange }: PipelineActionsProps): ReactNode {
    const { id, archived, enabled } = pipeline;
    const letsRun = archived || !enabled;
    const turn = useLetRun({
        letRun: (allowSecretHosts): Promise<unknown> =>
            letsRun
                ? api.mutate(archived ? restoreDocument : enableDocument, { id, allowSecretHosts })
                : api.mutate(disableDocument, { id }),
        onDone: onChange,
        allow: archived ? <Trans>Allow and restore</Trans> : <Trans>Allow and enable</Trans>,
    });
    if (archived && pipeline.codeFirst) return null;
    return (
        <>
            <Button variant="outline" disabled={turn.isPending} onClick={turn.press}>
                {archived ? <ArchiveRestoreIcon aria-hidden /> : <PowerIcon aria-hidden />}
                <span className="max-sm:sr-only">
                    {archived ? (
                        <Trans context="flow">Restore</Trans>
                    ) : enabled ? (
                        <Trans context="flow">Disable</Trans>
                    ) : (
                        <Trans context="flow">Enable</Trans>
                    )}
                </span>
            </Button>
            {turn.dialog}
        </>
    );
}

async function dryRun({ id, revision }: Pipeline): Promise<string> {
    const answer = await api.mutate(dryRunPipelineDocument, { pipelineId: id, workingCopy: revision === null });
    return answer.dryRunFlowPipeline.id;
}
