import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    ConfirmationDialog,
    Link,
    PermissionGuard,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { BanIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { faultOf } from '../../ground/fault';
import { useWatched } from '../../ground/use-watched';
import { FaultNotice } from '../../parts/fault-notice';
import { Moment } from '../../parts/moment';
import { Pager } from '../../parts/pager';
import { WideTable } from '../../parts/wide-table';
import { giveUpFileDocument, type WaitingFile, waitingFilesDocument } from './waiting-files.graphql';

const TAKE = 10;

interface WaitingFilesProps {
    readonly pipelineId: string;
    /** Files start its runs, so the user may look for their state here. */
    readonly isWatching: boolean;
}

/** Files that completed runs have read, and that are still to be deleted or moved on their server. */
export function WaitingFiles({ pipelineId, isWatching }: WaitingFilesProps): ReactNode {
    const { t } = useLingui();
    const [skip, setSkip] = useState(0);
    const { data, error, refetch } = useWatched({
        document: waitingFilesDocument,
        variables: { pipelineId, options: { skip, take: TAKE } },
        hasEnded: () => false,
    });
    if (error && !data) return <FaultNotice error={error} onRetry={refetch} />;
    const files = data?.flowRemoteActions;
    // Others have no files elsewhere, or none of which anything is left to do.
    if (!files || (files.totalItems === 0 && !isWatching)) return null;
    return (
        <section className="space-y-2 pt-6" aria-labelledby="flow-waiting-files">
            <h2 id="flow-waiting-files" className="font-medium">
                <Trans>Files waiting to be deleted or moved</Trans>
            </h2>
            {files.totalItems === 0 ? (
                <p className="text-sm text-muted-foreground">
                    <Trans>None. All files of completed runs were deleted or moved.</Trans>
                </p>
            ) : (
                <>
                    <WideTable name={t`Files waiting to be deleted or moved`}>
                        <TableHeader>
                            <TableRow>
                                <TableHead>
                                    <Trans context="flow">File</Trans>
                                </TableHead>
                                <TableHead>
                                    <Trans context="flow">Read by</Trans>
                                </TableHead>
                                <TableHead>
                                    <Trans context="flow">Attempts</Trans>
                                </TableHead>
                                <TableHead>
                                    <span className="sr-only">
                                        <Trans context="flow">Actions</Trans>
                                    </span>
                                </TableHead>
                            </TableRow>
                        </TableHeader>
                        <TableBody>
                            {files.items.map(file => (
                                <Row key={file.id} file={file} />
                            ))}
                        </TableBody>
                    </WideTable>
                    <Pager skip={skip} take={TAKE} total={files.totalItems} onSkip={setSkip} />
                </>
            )}
        </section>
    );
}

function Row({ file }: { readonly file: WaitingFile }): ReactNode {
    const { path, kind, to, runId, createdAt, attempts, lastError, nextTryAt } = file;
    return (
        <TableRow>
            <TableCell className="align-top">
                <code className="break-all" translate="no">
                    {path}
                </code>
                <p className="text-sm text-muted-foreground">
                    {kind === 'DELETE' ? (
                        <Trans>will be deleted</Trans>
                    ) : (
                        <Trans>
                            will be moved to <code translate="no">{to}</code>
                        </Trans>
                    )}
                </p>
            </TableCell>
            <TableCell className="align-top">
                <Link to={`/flow/runs/${runId}`} className="underline underline-offset-4">
                    <Trans>a run</Trans>
                </Link>{' '}
                <Moment value={createdAt} />
            </TableCell>
            <TableCell className="max-w-md min-w-64 whitespace-normal align-top">
                {attempts === 0 ? (
                    <Trans>not yet</Trans>
                ) : (
                    <>
                        <p>{lastError}</p>
                        <p className="text-sm text-muted-foreground">
                            <Trans>
                                Failed attempts: {attempts}. Next attempt <Moment value={nextTryAt} />
                            </Trans>
                        </p>
                    </>
                )}
            </TableCell>
            <TableCell className="align-top">
                <PermissionGuard requires={['RunFlowPipeline']}>
                    <GiveUp file={file} />
                </PermissionGuard>
            </TableCell>
        </TableRow>
    );
}

function GiveUp({ file: { id, path } }: { readonly file: WaitingFile }): ReactNode {
    const { t } = useLingui();
    const client = useQueryClient();
    const givingUp = useMutation({
        mutationFn: () => api.mutate(giveUpFileDocument, { id }),
        onSuccess: () => toast.success(t`${path} is not moved or deleted.`),
        onError: error => toast.error(faultOf(error).message),
        onSettled: () => client.invalidateQueries({ queryKey: ['flow'] }),
    });
    return (
        <ConfirmationDialog
            title={t`Leave “${path}” where it is?`}
            description={t`Flow stops retrying. A run that reads this folder will read the file again unless you remove it.`}
            confirmText={t`Give up`}
            onConfirm={() => givingUp.mutate()}
        >
            <Button variant="ghost" size="sm" disabled={givingUp.isPending} aria-label={t`Give up on ${path}`}>
                <BanIcon aria-hidden />
                <Trans>Give up</Trans>
            </Button>
        </ConfirmationDialog>
    );
}
