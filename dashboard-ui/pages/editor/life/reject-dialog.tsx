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
    Field,
    FieldLabel,
    Textarea,
    useMutation,
} from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { useOnce } from '../../../ground/use-once';
import { FaultNotice } from '../../../parts/fault-notice';
import { type EditedPipeline, rejectDocument } from '../editor.graphql';
import type { Saving } from '../state/use-saving';

/** What a dialog about the standing of a pipeline is given. */
export interface StandingDialogProps {
    readonly isOpen: boolean;
    readonly onClose: () => void;
    readonly pipeline: EditedPipeline;
    readonly saving: Saving;
    /** Gets the version that came of it. */
    readonly onDone: (version: number) => Promise<void>;
}

/** Sends a submitted working copy back, with the reason. */
export function RejectDialog({ isOpen, onClose, pipeline, saving, onDone }: StandingDialogProps): ReactNode {
    const [comment, setComment] = useState('');
    const reject = useMutation({
        mutationFn: () => api.mutate(rejectDocument, { id: pipeline.id, version: saving.base.version, comment }),
        onSuccess: async ({ rejectFlowPipeline }) => {
            await onDone(rejectFlowPipeline.version);
            setComment('');
            onClose();
        },
    });
    const press = useOnce(reject.mutateAsync);
    return (
        <Dialog open={isOpen} onOpenChange={open => !open && onClose()}>
            <DialogContent>
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Send back</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>The pipeline becomes a draft again. Your comment is shown to its editors.</Trans>
                    </DialogDescription>
                </DialogHeader>
                <Field>
                    <FieldLabel htmlFor="flow-reject-comment">
                        <Trans>Changes</Trans>
                    </FieldLabel>
                    <Textarea
                        id="flow-reject-comment"
                        rows={4}
                        value={comment}
                        onChange={({ target }) => setComment(target.value)}
                    />
                </Field>
                {reject.error && <FaultNotice error={reject.error} />}
                <DialogFooter>
                    <Button disabled={comment.trim() === '' || reject.isPending} onClick={() => press()}>
                        <Trans>Send back</Trans>
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
