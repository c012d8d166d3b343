import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    AlertTitle,
    api,
    Button,
    Card,
    CardContent,
    ConfirmationDialog,
    Link,
    Progress,
    toast,
    useLocalFormat,
    useMutation,
    useQuery,
} from '@vendure/dashboard';
import { CircleCheckIcon, CircleStopIcon, ClockIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../../ground/fault';
import { hasEnded } from '../../../ground/run-state';
import { useOnce } from '../../../ground/use-once';
import { useWatched } from '../../../ground/use-watched';
import { FaultNotice } from '../../../parts/fault-notice';
import { Loading } from '../../../parts/loading';
import { WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { ImportTarget } from '../import-plan';
import { useWizard } from '../wizard-context';
import {
    continueImportDocument,
    importedPipelineDocument,
    type ImportRun,
    importRunDocument,
    stopImportDocument,
} from './result.graphql';
import { UseAgain } from './use-again';

/** Vendure's list of what was imported. */
const LISTS: Readonly<Record<ImportTarget, string>> = {
    PRODUCTS: '/products',
    PRICES: '/product-variants',
    STOCK: '/product-variants',
    CUSTOMERS: '/customers',
    COLLECTIONS: '/collections',
    FACETS: '/facets',
    ASSETS: '/assets',
    ORDERS: '/orders',
};

/** The steps that load the entities of a target, the last first. Others load what these refer to, for example collections of products. */
const LOAD_STEPS: Readonly<Record<ImportTarget, readonly string[]>> = {
    PRODUCTS: ['products'],
    PRICES: ['prices'],
    STOCK: ['stock'],
    CUSTOMERS: ['customers'],
    COLLECTIONS: ['collections'],
    FACETS: ['facet-values', 'facets'],
    ASSETS: ['pictures'],
    ORDERS: ['orders'],
};

/** How many entities of the target were written, and how many were as in the file. */
function countsOf(run: ImportRun, target: ImportTarget): { readonly loaded: number; readonly unchanged: number } {
    const step = LOAD_STEPS[target]
        .map(key => run.counters.find(({ stepKey }) => stepKey === key))
        .find(found => found !== undefined);
    if (!step) return { loaded: run.recordsLoaded, unchanged: run.recordsUnchanged };
    return { loaded: step.created + step.updated + step.deleted, unchanged: step.unchanged };
}

/** The import itself, its result, and how it can be used again. */
export function ImportScreen(): ReactNode {
    const { state, startOver } = useWizard();
    const { result } = state;
    if (!result) return null;
    return (
        <WizardScreen primary={{ label: <Trans>Import another file</Trans>, onPress: startOver }}>
            {result.runId === undefined ? <Submitted /> : <Running runId={result.runId} />}
            <Pipeline id={result.pipelineId} isStarted={result.runId !== undefined} />
        </WizardScreen>
    );
}

function Pipeline({ id, isStarted }: { readonly id: string; readonly isStarted: boolean }): ReactNode {
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'imported-pipeline', id],
        queryFn: () => api.query(importedPipelineDocument, { id }),
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return <Loading className="h-32" />;
    if (!data.flowPipeline) return null;
    return <UseAgain pipeline={data.flowPipeline} isPublished={isStarted} onChange={refetch} />;
}

function Submitted(): ReactNode {
    return (
        <Alert>
            <ClockIcon aria-hidden />
            <AlertTitle>
                <Trans>The import waits for approval</Trans>
            </AlertTitle>
            <AlertDescription>
                <Trans>
                    A user with the permission PublishFlowPipeline can publish and start it. Nothing is written until
                    then.
                </Trans>
            </AlertDescription>
        </Alert>
    );
}

function Running({ runId }: { readonly runId: string }): ReactNode {
    const { data, error, refetch } = useWatched({
        document: importRunDocument,
        variables: { id: runId },
        hasEnded: ({ flowPipelineRun: run }) => run !== null && hasEnded(run),
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const run = data?.flowPipelineRun;
    if (!run) return <Loading className="h-24" />;
    if (hasEnded(run)) return <Ended run={run} />;
    return <AtWork run={run} onChange={refetch} />;
}

interface RunProps {
    readonly run: ImportRun;
    readonly onChange: () => Promise<unknown>;
}

function AtWork({ run, onChange }: RunProps): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    const total = useWizard().state.profile?.rows ?? 0;
    const share = total > 0 ? Math.min(1, run.recordsProcessed / total) : 0;
    const [done, all] = [formatNumber(run.recordsProcessed), formatNumber(Math.max(total, run.recordsRead))];
    const speed = Math.round(run.progress?.recordsPerSecond ?? 0);
    return (
        <Card>
            <CardContent className="space-y-3">
                <Progress
                    value={share * 100}
                    aria-label={t`Progress of the import`}
                    aria-valuetext={`${Math.floor(share * 10) * 10} %`}
                />
                <div className="flex flex-wrap items-center gap-3">
                    <p role="status" className="min-w-0 grow">
                        <Trans>
                            {done} of {all} rows.
                        </Trans>{' '}
                        {speed > 0 && <Plural value={speed} one="# row per second." other="# rows per second." />}{' '}
                        <Trans>You can leave this page.</Trans>
                    </p>
                    {run.waitsFor?.reason === 'RESUME' ? (
                        <Continue run={run} onChange={onChange} />
                    ) : (
                        <Stop run={run} onChange={onChange} />
                    )}
                </div>
            </CardContent>
        </Card>
    );
}

function Stop({ run, onChange }: RunProps): ReactNode {
    const { t } = useLingui();
    const stop = useMutation({
        mutationFn: () => api.mutate(stopImportDocument, { id: run.id }),
        onSuccess: onChange,
        onError: error => toast.error(faultOf(error).message),
    });
    const isAsked = run.cancelRequestedAt !== null || stop.isPending;
    return (
        <ConfirmationDialog
            title={t`Cancel this import?`}
            description={t`Entries that were already imported are kept.`}
            confirmText={t`Cancel the import`}
            cancelText={t`Continue importing`}
            onConfirm={() => stop.mutate()}
        >
            <Button variant="outline" className="max-md:h-11" disabled={isAsked}>
                <CircleStopIcon aria-hidden className="text-destructive" />
                {isAsked ? <Trans>Cancelling</Trans> : <Trans>Cancel</Trans>}
            </Button>
        </ConfirmationDialog>
    );
}

function Continue({ run, onChange }: RunProps): ReactNode {
    const resume = useMutation({
        mutationFn: () => api.mutate(continueImportDocument, { id: run.id }),
        onSuccess: onChange,
        onError: error => toast.error(faultOf(error).message),
    });
    const press = useOnce(resume.mutateAsync);
    return (
        <Button className="max-md:h-11" onClick={() => press()} disabled={resume.isPending}>
            <Trans>Continue</Trans>
        </Button>
    );
}

function Ended({ run }: { readonly run: ImportRun }): ReactNode {
    const { plan, preset } = useWizard().state;
    const target = plan?.target ?? preset ?? 'PRODUCTS';
    const isDone = run.status === 'COMPLETED';
    const { loaded, unchanged } = countsOf(run, target);
    const { recordsRejected: rejected } = run;
    return (
        <Card>
            <CardContent className="space-y-4">
                <div className="flex items-start gap-3" role="status" data-testid="flow-import-result">
                    {isDone ? (
                        <CircleCheckIcon aria-hidden className="mt-0.5 size-5 shrink-0 text-success" />
                    ) : (
                        <TriangleAlertIcon aria-hidden className="mt-0.5 size-5 shrink-0 text-destructive" />
                    )}
                    <div>
                        <p className="font-medium">
                            {isDone ? (
                                <Plural value={loaded} one="# entry imported" other="# entries imported" />
                            ) : run.status === 'CANCELLED' ? (
                                <Plural
                                    value={loaded}
                                    one="Cancelled after # entry"
                                    other="Cancelled after # entries"
                                />
                            ) : (
                                <Plural
                                    value={loaded}
                                    one="The import stopped after # entry"
                                    other="The import stopped after # entries"
                                />
                            )}
                            {unchanged > 0 && (
                                <>
                                    {', '}
                                    <Plural value={unchanged} one="# unchanged" other="# unchanged" />
                                </>
                            )}
                            {rejected > 0 && (
                                <>
                                    {', '}
                                    <Plural value={rejected} one="# row rejected" other="# rows rejected" />
                                </>
                            )}
                        </p>
                        {run.error && <p className="text-sm">{run.error.message}</p>}
                    </div>
                </div>
                <div className="flex flex-wrap gap-2">
                    {/* A list of the host: its routes are not typed here. */}
                    <Button variant="outline" className="max-md:h-11" render={<Link to={LISTS[target] as never} />}>
                        <Trans>Show in the shop</Trans>
                    </Button>
                    {rejected > 0 && (
                        <Button
                            variant="outline"
                            className="max-md:h-11"
                            render={<Link to="/flow/record-errors" search={{ runId: run.id } as never} />}
                        >
                            <Plural value={rejected} one="Correct # row" other="Correct # rows" />
                        </Button>
                    )}
                    <Button variant="outline" className="max-md:h-11" render={<Link to={`/flow/runs/${run.id}`} />}>
                        <Trans>Open the run</Trans>
                    </Button>
                </div>
            </CardContent>
        </Card>
    );
}
