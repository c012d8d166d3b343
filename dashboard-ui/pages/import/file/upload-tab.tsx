import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, Button, cn, Progress, useDisplayLocale, useQueryClient } from '@vendure/dashboard';
import { CircleAlertIcon, FileSpreadsheetIcon, UploadIcon } from 'lucide-react';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { bytesText } from '../../../parts/bytes';
import { upload } from '../../../parts/upload';
import type { OnChoose } from './choose-file';
import { type FileProblem, problemOfFile } from './file-problem';
import { SAMPLE_FILES, type SampleFile } from './sample-files';
import { useMaxFileSize } from './use-max-file-size';

/** What the browser offers first; other names are taken as well. */
const ACCEPTED = '.csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl,.xml';

interface Sending {
    readonly name: string;
    readonly size: number;
    readonly share: number;
}

interface Failure {
    readonly name: string;
    readonly problem: FileProblem | 'SEVERAL' | { readonly message: string };
}

/** A file of this computer, dropped or chosen; or one of the samples. */
export function UploadTab({ onChoose }: { readonly onChoose: OnChoose }): ReactNode {
    const queries = useQueryClient();
    const maxBytes = useMaxFileSize();
    const stopper = useRef<AbortController>(undefined);
    const [sending, setSending] = useState<Sending>();
    const [failure, setFailure] = useState<Failure>();
    // A page that is left needs no upload.
    useEffect(() => () => stopper.current?.abort(), []);
    const send = async (file: File): Promise<void> => {
        const { name, size } = file;
        const problem = problemOfFile(file, maxBytes);
        setFailure(problem && { name, problem });
        if (problem) return;
        const { signal } = (stopper.current = new AbortController());
        setSending({ name, size, share: 0 });
        try {
            const onProgress = (share: number): void => setSending({ name, size, share });
            const fileId = await upload({ file, signal, onProgress });
            void queries.invalidateQueries({ queryKey: ['flow', 'import-files'] });
            setSending(undefined);
            await onChoose({ fileId });
        } catch (error) {
            setSending(undefined);
            if (!signal.aborted) setFailure({ name, problem: { message: faultOf(error).message } });
        }
    };
    const take = (files: FileList): void => {
        const [file] = files;
        if (files.length > 1) setFailure({ name: '', problem: 'SEVERAL' });
        else if (file) void send(file);
    };
    return (
        <div className="space-y-4">
            {sending ? (
                <UploadProgress sending={sending} onStop={() => stopper.current?.abort()} />
            ) : (
                <DropZone maxBytes={maxBytes} onFiles={take} />
            )}
            <div aria-live="polite">{failure && <UploadFailed failure={failure} maxBytes={maxBytes} />}</div>
            {!sending && <Samples onChoose={send} />}
        </div>
    );
}

interface DropZoneProps {
    readonly maxBytes: number | undefined;
    readonly onFiles: (files: FileList) => void;
}

function DropZone({ maxBytes, onFiles }: DropZoneProps): ReactNode {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const input = useRef<HTMLInputElement>(null);
    const [isOver, setOver] = useState(false);
    const limit = maxBytes === undefined ? undefined : bytesText(maxBytes, bcp47Tag);
    const onDrop = (event: DragEvent): void => {
        event.preventDefault();
        setOver(false);
        onFiles(event.dataTransfer.files);
    };
    return (
        <div
            className={cn(
                'flex flex-col items-center justify-center gap-3 rounded-md border border-dashed px-4 py-10 text-center',
                isOver && 'border-primary bg-accent',
            )}
            data-testid="flow-import-drop"
            onDragOver={event => {
                event.preventDefault();
                setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={onDrop}
        >
            <UploadIcon aria-hidden className="size-6 text-muted-foreground" />
            <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2">
                <span>
                    <Trans>Drop a file here, or</Trans>
                </span>
                <Button className="max-md:h-11" onClick={() => input.current?.click()}>
                    <Trans>Choose file</Trans>
                </Button>
            </div>
            <p className="text-sm text-muted-foreground">
                <Trans>CSV, TSV, Excel, JSON, NDJSON, XML</Trans>
                {limit !== undefined && (
                    <>
                        {' · '}
                        <Trans>up to {limit}</Trans>
                    </>
                )}
            </p>
            <input
                ref={input}
                type="file"
                hidden
                aria-label={t`File to import`}
                accept={ACCEPTED}
                onChange={({ target }) => {
                    if (target.files) onFiles(target.files);
                    target.value = '';
                }}
            />
        </div>
    );
}

function UploadProgress({ sending, onStop }: { readonly sending: Sending; readonly onStop: () => void }): ReactNode {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const { name, size, share } = sending;
    const [sent, total] = [bytesText(share * size, bcp47Tag), bytesText(size, bcp47Tag)];
    return (
        <div className="flex flex-col items-center gap-3 rounded-md border border-dashed px-4 py-10 text-center">
            <p className="max-w-full truncate font-medium" translate="no">
                {name}
            </p>
            <Progress className="max-w-96" value={Math.round(share * 100)} aria-label={t`Upload progress of ${name}`} />
            <p className="text-sm text-muted-foreground">
                <Trans>
                    Uploading {sent} of {total}
                </Trans>
            </p>
            <Button variant="outline" onClick={onStop}>
                <Trans>Cancel</Trans>
            </Button>
        </div>
    );
}

function UploadFailed({
    failure,
    maxBytes,
}: {
    readonly failure: Failure;
    readonly maxBytes: number | undefined;
}): ReactNode {
    return (
        <Alert className="border-destructive">
            <CircleAlertIcon aria-hidden className="text-destructive" />
            <AlertDescription className="text-foreground">
                <FailureText failure={failure} maxBytes={maxBytes} />
            </AlertDescription>
        </Alert>
    );
}

function FailureText({
    failure,
    maxBytes = 0,
}: {
    readonly failure: Failure;
    readonly maxBytes: number | undefined;
}): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    const { name, problem } = failure;
    const limit = bytesText(maxBytes, bcp47Tag);
    if (typeof problem === 'object') {
        const { message } = problem;
        return message.includes(name) ? message : `${name}: ${message}`;
    }
    switch (problem) {
        case 'EMPTY':
            return <Trans>{name}: the file is empty. Choose another file.</Trans>;
        case 'TOO_LARGE':
            return (
                <Trans>
                    {name}: the file is larger than {limit}. Split it, or read it from a server.
                </Trans>
            );
        case 'OLD_EXCEL':
            return <Trans>{name}: Excel 97 files cannot be read. Save it as .xlsx.</Trans>;
        case 'PICTURE':
            return (
                <Trans>{name}: images cannot be imported here. Put their addresses or file names into a column.</Trans>
            );
        case 'DOCUMENT':
            return <Trans>{name}: this format cannot be read. Save the table as CSV or .xlsx.</Trans>;
        case 'SEVERAL':
            return <Trans>Only one file can be imported at a time. Drop one file.</Trans>;
    }
}

function Samples({ onChoose }: { readonly onChoose: (file: File) => Promise<void> }): ReactNode {
    const { t } = useLingui();
    const words: Readonly<Record<SampleFile['id'], string>> = {
        prices: t`Price list`,
        shopify: t`Shopify products`,
        stock: t({ message: 'Stock', context: 'flow import' }),
    };
    return (
        <div className="flex flex-wrap items-center gap-2 text-sm">
            <span className="text-muted-foreground">
                <Trans>No file at hand? Try a sample:</Trans>
            </span>
            {SAMPLE_FILES.map(({ id, filename, text }) => (
                <Button
                    key={id}
                    variant="outline"
                    size="sm"
                    className="max-md:h-11"
                    onClick={() => void onChoose(new File([text], filename, { type: 'text/csv' }))}
                >
                    <FileSpreadsheetIcon aria-hidden />
                    {words[id]}
                </Button>
            ))}
        </div>
    );
}
