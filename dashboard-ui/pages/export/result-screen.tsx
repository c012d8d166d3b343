import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    AlertTitle,
    api,
    Button,
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Link,
    toast,
    useQuery,
} from '@vendure/dashboard';
import {
    CircleCheckIcon,
    ClockIcon,
    DownloadIcon,
    LoaderCircleIcon,
    PencilIcon,
    TriangleAlertIcon,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { faultOf } from '../../ground/fault';
import { hasEnded } from '../../ground/run-state';
import { useWatched } from '../../ground/use-watched';
import { Copyable } from '../../parts/copyable';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { restAddress, saveFile } from '../../parts/rest';
import { WizardScreen } from '../../parts/wizard/wizard-screen';
import { EXPORT_STEP } from './compile-export';
import { useExport } from './export-context';
import { exportedFileDocument, type ExportRun, exportRunDocument } from './export.graphql';
import { isManaged } from './export-plan';
import type { ExportResult } from './use-create-export';

interface ResultScreenProps {
    readonly result: ExportResult;
    readonly onStartOver: () => void;
}

/** The run of the export, its file, and its pipeline. */
export function ResultScreen({ result, onStartOver }: ResultScreenProps): ReactNode {
    const { plan } = useExport();
    const { dailyAt: time, timezone } = plan;
    return (
        <WizardScreen
            title={<Trans context="flow export">Result</Trans>}
            primary={{ label: <Trans>Export something else</Trans>, onPress: onStartOver }}
        >
            {result.runId === undefined ? <Submitted /> : <Running result={result} runId={result.runId} />}
            {result.feedPath !== undefined && <FeedAddress path={result.feedPath} />}
            <Card>
                <CardContent className="flex flex-wrap items-center gap-3">
                    {time !== undefined && result.runId !== undefined && (
                        <p className="grow">
                            <Trans>
                                Active: runs daily at {time} ({timezone}).
                            </Trans>
                        </p>
                    )}
                    <Button
                        variant="outline"
                        className="max-md:h-11"
                        render={<Link to={`/flow/pipelines/${result.pipelineId}`} />}
                    >
                        <Trans>Open the pipeline</Trans>
                    </Button>
                    <Button
                        variant="outline"
                        className="max-md:h-11"
                        render={<Link to={`/flow/pipelines/${result.pipelineId}/edit`} />}
                    >
                        <PencilIcon aria-hidden />
                        <Trans>Open in the editor</Trans>
                    </Button>
                </CardContent>
            </Card>
        </WizardScreen>
    );
}

function Submitted(): ReactNode {
    return (
        <Alert>
            <ClockIcon aria-hidden />
            <AlertTitle>
                <Trans>The export waits for approval</Trans>
            </AlertTitle>
            <AlertDescription>
                <Trans>A user with the permission PublishFlowPipeline can publish and start it.</Trans>
            </AlertDescription>
        </Alert>
    );
}

function FeedAddress({ path }: { readonly path: string }): ReactNode {
    const { t } = useLingui();
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans>The address of the feed</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="space-y-3">
                <p className="text-sm">
                    <Trans>
                        Copy it now. It is not shown again. Anyone with the address can download the export until you
                        revoke the feed.
                    </Trans>
                </p>
                <Copyable text={restAddress(path)} label={t`Feed URL`} />
            </CardContent>
        </Card>
    );
}

function Running({ result, runId }: { readonly result: ExportResult; readonly runId: string }): ReactNode {
    const { data, error, refetch } = useWatched({
        document: exportRunDocument,
        variables: { id: runId },
        hasEnded: ({ flowPipelineRun: run }) => run !== null && hasEnded(run),
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const run = data?.flowPipelineRun;
    if (!run) return <Loading className="h-24" />;
    const isDone = run.status === 'COMPLETED';
    return (
        <Card>
            <CardContent className="space-y-4">
                <div className="flex items-start gap-3" role="status" data-testid="flow-export-result">
                    {!hasEnded(run) ? (
                        <LoaderCircleIcon aria-hidden className="mt-0.5 size-5 shrink-0 animate-spin" />
                    ) : isDone && (writtenBy(run) > 0 || run.recordsRejected === 0) ? (
                        <CircleCheckIcon aria-hidden className="mt-0.5 size-5 shrink-0 text-success" />
                    ) : (
                        <TriangleAlertIcon aria-hidden className="mt-0.5 size-5 shrink-0 text-destructive" />
                    )}
                    <div>
                        <p className="font-medium">
                            <RunText run={run} />
                        </p>
                        {run.error && <p className="text-sm">{run.error.message}</p>}
                    </div>
                </div>
                <div className="flex flex-wrap gap-2">
                    {isDone && writtenBy(run) > 0 && <Download exportCode={result.exportCode} />}
                    {run.recordsRejected > 0 && (
                        <Button
                            variant="outline"
                            className="max-md:h-11"
                            render={<Link to="/flow/record-errors" search={{ runId: run.id } as never} />}
                        >
                            <Trans>Show rejected records</Trans>
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

/** How many records the file has. */
function writtenBy({ counters }: ExportRun): number {
    return counters.find(({ stepKey }) => stepKey === EXPORT_STEP)?.out ?? 0;
}

function RunText({ run }: { readonly run: ExportRun }): ReactNode {
    const { status, recordsRead: read, recordsRejected: rejected } = run;
    const written = writtenBy(run);
    if (!hasEnded(run)) return <Plural value={read} one="Exporting: # entry read" other="Exporting: # entries read" />;
    if (status === 'CANCELLED') return <Trans>The export was cancelled. No file was written.</Trans>;
    if (status === 'FAILED') return <Trans>The export failed. No file was written.</Trans>;
    if (written === 0 && rejected > 0)
        return (
            <Plural
                value={rejected}
                one="# row was rejected, so no file was written."
                other="All # rows were rejected, so no file was written."
            />
        );
    if (written === 0) return <Trans>Nothing matches the filters, so no file was written.</Trans>;
    return (
        <>
            <Plural value={written} one="# row exported" other="# rows exported" />
            {rejected > 0 && (
                <>
                    {', '}
                    <Plural value={rejected} one="# row rejected" other="# rows rejected" />
                </>
            )}
        </>
    );
}

/** The file, if Flow stores it. A download starts by itself, once. */
function Download({ exportCode }: { readonly exportCode: string }): ReactNode {
    const { plan } = useExport();
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'exported-file', exportCode],
        queryFn: () => api.query(exportedFileDocument, { exportCode }),
        enabled: isManaged(plan.destination),
        retry: false,
    });
    const file = data?.flowFiles.items[0];
    const save = (): void =>
        void (file && saveFile(`${file.path}/download`).catch(fault => toast.error(faultOf(fault).message)));
    const isSaved = useRef(false);
    useEffect(() => {
        if (!file || plan.destination !== 'DOWNLOAD' || isSaved.current) return;
        isSaved.current = true;
        save();
    }, [file]);
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!file) return null;
    return (
        <Button className="max-md:h-11" onClick={save}>
            <DownloadIcon aria-hidden />
            <span translate="no">{file.filename}</span>
        </Button>
    );
}
