import { Trans } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    useLocalFormat,
} from '@vendure/dashboard';
import { type ReactNode, useRef } from 'react';
import type { Saving } from '../state/use-saving';

/** A dialog for changes that were left unsaved in this browser. */
export function RecoveryDialog({ saving }: { readonly saving: Saving }): ReactNode {
    const { formatDate } = useLocalFormat();
    const { recovery, base, decide } = saving;
    // A key that is pressed at once loses nothing.
    const first = useRef<HTMLButtonElement>(null);
    const when = recovery ? formatDate(new Date(recovery.at), { dateStyle: 'medium', timeStyle: 'short' }) : '';
    return (
        <Dialog open={recovery !== undefined}>
            <DialogContent showCloseButton={false} initialFocus={first}>
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Unsaved changes</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>This browser kept your unsaved changes from {when}.</Trans>
                        {recovery && recovery.version !== base.version && (
                            <>
                                {' '}
                                <Trans>The pipeline was saved by someone else. You can compare before you save.</Trans>
                            </>
                        )}
                    </DialogDescription>
                </DialogHeader>
                <DialogFooter>
                    <Button variant="outline" onClick={() => decide(false)}>
                        <Trans>Discard</Trans>
                    </Button>
                    <Button ref={first} onClick={() => decide(true)}>
                        <Trans>Restore</Trans>
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
