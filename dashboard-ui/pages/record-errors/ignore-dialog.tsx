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
    DialogTrigger,
    Label,
    Textarea,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { EyeOffIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { ignoreDocument, type Selection } from './record-errors.graphql';

interface IgnoreDialogProps {
    readonly selection: Selection;
    readonly count: number;
    readonly onIgnored: () => void;
}

/** Sets records aside, with the reason. They can be opened again. */
export function IgnoreDialog({ selection, count, onIgnored }: IgnoreDialogProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const client = useQueryClient();
    const [isOpen, setOpen] = useState(false);
    const [note, setNote] = useState('');
    const ignore = useMutation({
        mutationFn: () => api.mutate(ignoreDocument, { selection, note: note.trim() }),
        onSuccess: async () => {
            setOpen(false);
            onIgnored();
            await client.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    const press = useOnce(ignore.mutateAsync);
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger
                render={
                    <Button size="sm" variant="outline" disabled={count === 0}>
                        <EyeOffIcon aria-hidden />
                        <Trans>Ignore…</Trans>
                    </Button>
                }
            />
            <DialogContent>
                <DialogHeader>
                    <DialogTitle>
                        <Plural value={count} one="Ignore # record" other="Ignore # records" />
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            They are removed from the open records and are not loaded. Your reason is kept. You can
                            reopen them.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                <div className="space-y-1">
                    <Label htmlFor={id}>{t`Reason`}</Label>
                    <Textarea id={id} value={note} maxLength={1000} onChange={event => setNote(event.target.value)} />
                </div>
                {ignore.error && <FaultNotice error={ignore.error} />}
                <DialogFooter>
                    <Button disabled={note.trim() === '' || ignore.isPending} onClick={() => press()}>
                        <Plural value={count} one="Ignore # record" other="Ignore # records" />
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
