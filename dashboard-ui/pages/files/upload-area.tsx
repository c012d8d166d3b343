import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, cn, Label, Progress, useQueryClient } from '@vendure/dashboard';
import { CheckIcon, CircleXIcon, UploadIcon, XIcon } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { IconButton } from '../../ground/icon-button';
import { upload } from '../../parts/upload';

interface Sent {
    readonly id: number;
    readonly name: string;
    readonly share: number;
    readonly state: 'sending' | 'done' | 'failed';
    readonly problem?: string;
    readonly stop: () => void;
}

/** Takes files that are dropped or chosen, and shows how far each is. */
export function UploadArea(): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const input = useRef<HTMLInputElement>(null);
    const count = useRef(0);
    const [isOver, setOver] = useState(false);
    const [isKept, setKept] = useState(false);
    const [sent, setSent] = useState<readonly Sent[]>([]);
    const change = (id: number, changed: Partial<Sent>): void =>
        setSent(all => all.map(one => (one.id === id ? { ...one, ...changed } : one)));
    const send = async (file: File): Promise<void> => {
        const id = count.current++;
        const stopper = new AbortController();
        const stop = (): void => stopper.abort();
        setSent(all => [...all, { id, name: file.name, share: 0, state: 'sending', stop }]);
        try {
            await upload({ file, isKept, signal: stopper.signal, onProgress: share => change(id, { share }) });
            change(id, { share: 1, state: 'done' });
            await queries.invalidateQueries();
        } catch (error) {
            change(id, { state: 'failed', problem: stopper.signal.aborted ? t`Stopped.` : (error as Error).message });
        }
    };
    const take = (files: FileList | null): void => {
        for (const file of files ?? []) void send(file);
    };
    const onDrop = (event: DragEvent): void => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
    };
    return (
        <div className="space-y-3">
            <div
                className={cn(
                    'flex flex-wrap items-center justify-center gap-x-4 gap-y-2 rounded-md border border-dashed p-6 text-center',
                    isOver && 'border-primary bg-accent',
                )}
                onDragOver={event => {
                    event.preventDefault();
                    setOver(true);
                }}
                onDragLeave={() => setOver(false)}
                onDrop={onDrop}
            >
                <UploadIcon aria-hidden className="size-5 text-muted-foreground" />
                <span>
                    <Trans>Drop files here, or</Trans>
                </span>
                <Button variant="outline" onClick={() => input.current?.click()}>
                    <Trans>choose files</Trans>
                </Button>
                <input
                    ref={input}
                    type="file"
                    multiple
                    hidden
                    aria-label={t`Files to upload`}
                    accept=".csv,.tsv,.txt,.json,.ndjson,.xml,.xlsx,.xls"
                    onChange={({ target }) => {
                        take(target.files);
                        target.value = '';
                    }}
                />
                <Label className="flex items-center gap-2 font-normal">
                    <Checkbox checked={isKept} onCheckedChange={checked => setKept(checked === true)} />
                    <Trans>keep until deleted</Trans>
                </Label>
            </div>
            <ul className="space-y-2" aria-live="polite">
                {sent.map(({ id, name, share, state, problem, stop }) => (
                    <li key={id} className="text-sm">
                        <div className="flex items-center gap-3">
                            {state === 'done' && <CheckIcon aria-hidden className="size-4 shrink-0 text-success" />}
                            {state === 'failed' && (
                                <CircleXIcon aria-hidden className="size-4 shrink-0 text-destructive" />
                            )}
                            <span className="max-w-60 truncate" translate="no">
                                {name}
                            </span>
                            {state === 'sending' && (
                                <Progress
                                    className="max-w-60"
                                    value={Math.round(share * 100)}
                                    aria-label={t`Upload progress of ${name}`}
                                />
                            )}
                            {state === 'done' && (
                                <span>
                                    <Trans>uploaded</Trans>
                                </span>
                            )}
                            {state === 'sending' ? (
                                <IconButton label={t`Stop ${name}`} onPress={stop}>
                                    <XIcon aria-hidden />
                                </IconButton>
                            ) : (
                                <IconButton
                                    label={t`Remove ${name} from this list`}
                                    onPress={() => setSent(all => all.filter(one => one.id !== id))}
                                >
                                    <XIcon aria-hidden />
                                </IconButton>
                            )}
                        </div>
                        {state === 'failed' && <p className="pl-7">{problem}</p>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
