import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    PermissionGuard,
    toast,
    useMutation,
    usePermissions,
    useQueryClient,
} from '@vendure/dashboard';
import { DownloadIcon, UploadIcon } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { faultOf } from '../../ground/fault';
import { useOnce } from '../../ground/use-once';
import type { ResultOf } from '../../gql/graphql';
import { BeforeAfter } from '../../parts/before-after';
import { FaultNotice } from '../../parts/fault-notice';
import { saveFile } from '../../parts/rest';
import { upload as send } from '../../parts/upload';
import { usePlaceText } from '../../parts/use-place-text';
import type { Search } from '../../parts/use-search';
import { correctedDocument, type Retry, retryCorrectedDocument } from './record-errors.graphql';

interface CsvWaysProps {
    readonly search: Search;
    readonly onRetried: (retry: Retry) => void;
}

interface Corrected {
    readonly fileId: string;
    readonly preview: ResultOf<typeof correctedDocument>['flowCorrectedRecords'];
}

/** The shown records as a CSV file to be corrected elsewhere, and the way back for the corrected one. */
export function CsvWays({ search, onRetried }: CsvWaysProps): ReactNode {
    const { t } = useLingui();
    const { hasPermissions } = usePermissions();
    const input = useRef<HTMLInputElement>(null);
    const [corrected, setCorrected] = useState<Corrected>();
    const download = useMutation({
        mutationFn: () => saveFile(`/flow/record-errors.csv?${csvQuery(search)}`),
        onError: error => toast.error(t`The download failed`, { description: faultOf(error).message }),
    });
    const upload = useMutation({
        mutationFn: async (file: File) => {
            const fileId = await send({ file });
            return { fileId, preview: (await api.query(correctedDocument, { fileId })).flowCorrectedRecords };
        },
        onSuccess: setCorrected,
        onError: error => toast.error(t`The upload failed`, { description: faultOf(error).message }),
    });
    const canUpload = ['RetryFlowRecord', 'ReadFlowRecord', 'ManageFlowFiles'].every(name => hasPermissions([name]));
    return (
        <div className="flex gap-2">
            <PermissionGuard requires={['ReadFlowRecord']}>
                <Button variant="outline" disabled={download.isPending} onClick={() => download.mutate()}>
                    <DownloadIcon aria-hidden />
                    <span className="max-sm:sr-only">
                        <Trans>Download CSV</Trans>
                    </span>
                </Button>
            </PermissionGuard>
            {canUpload && (
                <>
                    <Button variant="outline" disabled={upload.isPending} onClick={() => input.current?.click()}>
                        <UploadIcon aria-hidden />
                        <span className="max-sm:sr-only">
                            <Trans>Upload corrected CSV</Trans>
                        </span>
                    </Button>
                    <input
                        ref={input}
                        type="file"
                        accept=".csv,text/csv"
                        className="hidden"
                        aria-label={t`Corrected CSV`}
                        onChange={event => {
                            const file = event.target.files?.[0];
                            event.target.value = '';
                            if (file) upload.mutate(file);
                        }}
                    />
                </>
            )}
            {corrected && (
                <CorrectedDialog corrected={corrected} onRetried={onRetried} onClose={() => setCorrected(undefined)} />
            )}
        </div>
    );
}

function csvQuery({ pipelineId, runId, stepKey, state = 'OPEN', cause }: Search): string {
    const asked = { pipelineId, runId, stepKey, state, groupId: cause };
    return new URLSearchParams(
        Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString();
}

interface CorrectedDialogProps {
    readonly corrected: Corrected;
    readonly onRetried: (retry: Retry) => void;
    readonly onClose: () => void;
}

function CorrectedDialog({ corrected: { fileId, preview }, onRetried, onClose }: CorrectedDialogProps): ReactNode {
    const placeOf = usePlaceText();
    const client = useQueryClient();
    const replay = useMutation({
        mutationFn: () => api.mutate(retryCorrectedDocument, { fileId }),
        onSuccess: async ({ retryFlowCorrectedRecords: retry }) => {
            onRetried(retry);
            onClose();
            await client.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    const press = useOnce(replay.mutateAsync);
    const able = preview.corrected + preview.unchanged;
    return (
        <Dialog open onOpenChange={isOpen => !isOpen && onClose()}>
            <DialogContent className="max-h-[85vh] overflow-y-auto sm:max-w-2xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>The corrected file</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            {preview.rows} rows: {preview.corrected} corrected, {preview.unchanged} unchanged,{' '}
                            {preview.faultsTotal} invalid.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                {preview.faults.length > 0 && (
                    <ul className="space-y-1 text-sm">
                        {preview.faults.slice(0, 20).map(({ row, message }) => (
                            <li key={`${row} ${message}`}>
                                <Trans>Row {row}:</Trans> {message}
                            </li>
                        ))}
                    </ul>
                )}
                {preview.examples.slice(0, 5).map(({ error, before, after }) => (
                    <div key={error.id}>
                        <p className="text-sm font-medium" translate="no">
                            {placeOf(error.place) ?? `#${error.seq + 1}`}
                        </p>
                        <BeforeAfter before={before} after={after} />
                    </div>
                ))}
                {replay.error && <FaultNotice error={replay.error} />}
                <DialogFooter>
                    <Button disabled={able === 0 || replay.isPending} onClick={() => press()}>
                        <Plural value={able} one="Replay # record" other="Replay # records" />
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
