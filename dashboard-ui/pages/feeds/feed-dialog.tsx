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
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { Copyable } from '../../parts/copyable';
import { FaultNotice } from '../../parts/fault-notice';
import { restAddress } from '../../parts/rest';
import { createFeedDocument } from './feeds.graphql';

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
                <Input
                    id="flow-feed-export"
                    translate="no"
                    autoComplete="off"
                    value={exportCode}
                    onChange={({ target }) => setExportCode(target.value)}
                />
                <FieldDescription>
                    <Trans>
                        The export name set in the step. Default: pipeline code and step key, separated by a dot.
                    </Trans>
                </FieldDescription>
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
