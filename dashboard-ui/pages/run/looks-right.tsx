import { Trans } from '@lingui/react/macro';
import {
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    Link,
    PermissionGuard,
    toast,
    useMutation,
    useNavigate,
    usePermissions,
} from '@vendure/dashboard';
import { PlayIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { faultOf } from '../../ground/fault';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { startRun } from '../../parts/use-start-run';
import { type AfterDryRun, nextAfterDryRun } from './next-after-dry-run';
import { publishDryRunDocument, type Run, runPipelineDocument } from './run.graphql';

/** What the user has to decide, with the version of the pipeline that it was read in. */
interface Asked {
    readonly next: Exclude<AfterDryRun, 'START'>;
    readonly version: number;
}

/** Runs what a dry run has shown. A draft is published first, if the user confirms it. */
export function LooksRight({ run }: { readonly run: Run }): ReactNode {
    const navigate = useNavigate();
    const [asked, setAsked] = useState<Asked>();
    const { pipeline, triggerType, triggerKey } = run;
    const start = async (): Promise<void> => {
        const id = await startRun({
            pipelineId: pipeline.id,
            triggerKey: triggerType === 'MANUAL' ? triggerKey : null,
        });
        await navigate({ to: `/flow/runs/${id}` });
    };
    const going = useMutation({
        mutationFn: async () => {
            const { flowPipeline } = await api.query(runPipelineDocument, { id: pipeline.id });
            if (!flowPipeline) return;
            const next = nextAfterDryRun(run, flowPipeline);
            if (next === 'START') return start();
            return setAsked({ next, version: flowPipeline.version });
        },
        onError: error => toast.error(faultOf(error).message),
    });
    const press = useOnce(going.mutateAsync);
    return (
        <PermissionGuard requires={['RunFlowPipeline']}>
            <Button disabled={going.isPending} onClick={() => press()}>
                <PlayIcon aria-hidden />
                <Trans>Looks right: run it</Trans>
            </Button>
            <Dialog open={asked !== undefined} onOpenChange={open => !open && setAsked(undefined)}>
                <DialogContent>
                    {asked?.next === 'PUBLISH' && <PublishAndRun run={run} version={asked.version} onStart={start} />}
                    {asked?.next === 'CHANGED' && <Changed run={run} />}
                </DialogContent>
            </Dialog>
        </PermissionGuard>
    );
}

interface PublishAndRunProps {
    readonly run: Run;
    readonly version: number;
    readonly onStart: () => Promise<void>;
}

function PublishAndRun({ run: { pipeline }, version, onStart }: PublishAndRunProps): ReactNode {
    const { hasPermissions } = usePermissions();
    const publishing = useMutation({
        mutationFn: async () => {
            await api.mutate(publishDryRunDocument, { id: pipeline.id, version });
            await onStart();
        },
    });
    const press = useOnce(publishing.mutateAsync);
    const canPublish = hasPermissions(['PublishFlowPipeline']);
    return (
        <>
            <DialogHeader>
                <DialogTitle>
                    <Trans>Publish and run</Trans>
                </DialogTitle>
                <DialogDescription>
                    {canPublish ? (
                        <Trans>
                            This was a dry run of the draft. The draft is published, its triggers become active, and a
                            run starts.
                        </Trans>
                    ) : (
                        <Trans>
                            This was a dry run of the draft. Someone with the permission to publish it must do so first.
                        </Trans>
                    )}
                </DialogDescription>
            </DialogHeader>
            {publishing.error && <FaultNotice error={publishing.error} />}
            <DialogFooter>
                <Button variant="outline" render={<Link to={`/flow/pipelines/${pipeline.id}/edit`} />}>
                    <Trans>Open the draft</Trans>
                </Button>
                {canPublish && (
                    <Button disabled={publishing.isPending} onClick={() => press()}>
                        <PlayIcon aria-hidden />
                        <Trans>Publish and run</Trans>
                    </Button>
                )}
            </DialogFooter>
        </>
    );
}

function Changed({ run: { pipeline } }: { readonly run: Run }): ReactNode {
    return (
        <>
            <DialogHeader>
                <DialogTitle>
                    <Trans>The pipeline has changed</Trans>
                </DialogTitle>
                <DialogDescription>
                    <Trans>It has changed since this dry run. Start another dry run to see what it would do now.</Trans>
                </DialogDescription>
            </DialogHeader>
            <DialogFooter>
                <Button variant="outline" render={<Link to={`/flow/pipelines/${pipeline.id}/edit`} />}>
                    <Trans>Open the draft</Trans>
                </Button>
            </DialogFooter>
        </>
    );
}
