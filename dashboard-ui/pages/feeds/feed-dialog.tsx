import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Field,
    FieldDescription,
    FieldLabel,
    Input,
    NativeSelect,
    NativeSelectOption,
    useMutation,
    useQuery,
    useQueryClient,
} from '@vendure/dashboard';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { Copyable } from '../../parts/copyable';
import { FaultNotice } from '../../parts/fault-notice';
import { restAddress } from '../../parts/rest';
import { createFeedDocument, exportsDocument } from './feeds.graphql';

/** Makes a feed, and shows its address this once: nothing of it stays when the dialog is closed. */
export function FeedDialog({ children }: { readonly children: ReactElement }): ReactNode {
    const [isOpen, setOpen] = useState(false);
    const [path, setPath] = useState<string>();
    const queries = useQueryClient();
    const change = (opens: boolean): void => {
        setOpen(opens);
        if (opens || path === undefined) return;
        setPath(undefined);
        void queries.invalidateQueries();
    };
    return (
        <Dialog open={isOpen} onOpenChange={change}>
            <DialogTrigger render={children} />
            <DialogContent>
                {isOpen &&
                    (path === undefined ? (
                        <FeedForm onMade={setPath} />
                    ) : (
                        <Address path={path} onDone={() => change(false)} />
                    ))}
            </DialogContent>
        </Dialog>
    );
}

function FeedForm({ onMade }: { readonly onMade: (path: string) => void }): ReactNode {
    const [name, setName] = useState('');
    const [exportCode, setExportCode] = useState('');
    const [expiresAt, setExpiresAt] = useState('');
    const making = useMutation({
        mutationFn: () =>
            api.mutate(createFeedDocument, {
                input: {
                    name: name.trim(),
                    exportCode: exportCode.trim(),
                    // As the person's own clock has it.
                    ...(expiresAt !== '' && { expiresAt: new Date(expiresAt).toISOString() }),
                },
            }),
        onSuccess: ({ createFlowFeed }) => onMade(createFlowFeed.path),
    });
    const press = useOnce(making.mutateAsync);
    return (
        <form
            className="space-y-5"
            onSubmit={event => {
                event.preventDefault();
                event.stopPropagation();
                press();
            }}
        >
            <DialogHeader>
                <DialogTitle>
                    <Trans>New feed</Trans>
                </DialogTitle>
                <DialogDescription>
                    <Trans>Anyone with the URL can download the export until you revoke the feed.</Trans>
                </DialogDescription>
            </DialogHeader>
            <Field>
                <FieldLabel htmlFor="flow-feed-name">
                    <Trans context="feed">Recipient</Trans>
                </FieldLabel>
                <Input
                    id="flow-feed-name"
                    autoComplete="off"
                    value={name}
                    onChange={({ target }) => setName(target.value)}
                />
                <FieldDescription>
                    <Trans>Who downloads it, for example a marketplace or partner.</Trans>
                </FieldDescription>
            </Field>
            <Field>
                <FieldLabel htmlFor="flow-feed-export">
                    <Trans context="feed">Export</Trans>
                </FieldLabel>
                <ExportChoice value={exportCode} onChange={setExportCode} />
            </Field>
            <Field>
                <FieldLabel htmlFor="flow-feed-expires">
                    <Trans context="feed">Ends</Trans>
                </FieldLabel>
                <Input
                    id="flow-feed-expires"
                    type="datetime-local"
                    value={expiresAt}
                    onChange={({ target }) => setExpiresAt(target.value)}
                />
                <FieldDescription>
                    <Trans>Default: the URL works until you revoke the feed.</Trans>
                </FieldDescription>
            </Field>
            {making.error && <FaultNotice error={making.error} />}
            <DialogFooter>
                <Button type="submit" disabled={making.isPending || name.trim() === '' || exportCode.trim() === ''}>
                    <Trans context="feed">Create</Trans>
                </Button>
            </DialogFooter>
        </form>
    );
}

const OTHER = ' other';

/** The exports that have a file, to choose from; the code of an export that has not run yet is typed. */
function ExportChoice({
    value,
    onChange,
}: {
    readonly value: string;
    readonly onChange: (exportCode: string) => void;
}): ReactNode {
    const { t } = useLingui();
    const { data, error } = useQuery({
        queryKey: ['flow', 'exports'],
        queryFn: () => api.query(exportsDocument, {}),
    });
    const [isOther, setOther] = useState(false);
    const exports = data?.flowExports ?? [];
    const isTyped = isOther || error !== null || data?.flowExports.length === 0;
    return (
        <>
            {exports.length > 0 && (
                <NativeSelect
                    id={isTyped ? undefined : 'flow-feed-export'}
                    aria-label={isTyped ? t`Files to serve` : undefined}
                    className="w-full"
                    value={isTyped ? OTHER : value}
                    onChange={({ target }) => {
                        setOther(target.value === OTHER);
                        onChange(target.value === OTHER ? '' : target.value);
                    }}
                >
                    <NativeSelectOption value="">{t`Choose …`}</NativeSelectOption>
                    {exports.map(({ exportCode, file }) => (
                        <NativeSelectOption key={exportCode} value={exportCode}>
                            {file ? `${exportCode} (${file.filename})` : exportCode}
                        </NativeSelectOption>
                    ))}
                    <NativeSelectOption value={OTHER}>{t`Another export …`}</NativeSelectOption>
                </NativeSelect>
            )}
            {isTyped && (
                <Input
                    id="flow-feed-export"
                    translate="no"
                    autoComplete="off"
                    value={value}
                    onChange={({ target }) => onChange(target.value)}
                />
            )}
            <FieldDescription>
                {isTyped ? (
                    <Trans>
                        The export name set in the step. Default: pipeline code and step key, separated by a dot.
                    </Trans>
                ) : (
                    <Trans>The feed serves the newest file of this export.</Trans>
                )}
            </FieldDescription>
        </>
    );
}

function Address({ path, onDone }: { readonly path: string; readonly onDone: () => void }): ReactNode {
    const { t } = useLingui();
    return (
        <div className="min-w-0 space-y-5">
            <DialogHeader>
                <DialogTitle>
                    <Trans>The address of the feed</Trans>
                </DialogTitle>
                <DialogDescription>
                    <Trans>Copy it now. It is not shown again. You may append an extension such as .xml.</Trans>
                </DialogDescription>
            </DialogHeader>
            <Copyable text={restAddress(path)} label={t`Feed URL`} />
            <DialogFooter>
                <Button onClick={onDone}>
                    <Trans context="feed">Done</Trans>
                </Button>
            </DialogFooter>
        </div>
    );
}
