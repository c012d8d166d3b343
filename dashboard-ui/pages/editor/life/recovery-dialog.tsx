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

/** Asks what is to become of changes that were left unsaved in this browser. */
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
                        <Trans>Changes that were not saved</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>This browser has kept what you changed until {when} and did not save.</Trans>
                        {recovery && recovery.version !== base.version && (
                            <>
                                {' '}
                                <Trans>The pipeline has been saved since; you can compare before you save.</Trans>
                            </>
                        )}
                    </DialogDescription>
                </DialogHeader>
                <DialogFooter>
                    <Button variant="outline" onClick={() => decide(false)}>
                        <Trans>Discard them</Trans>
                    </Button>
                    <Button ref={first} onClick={() => decide(true)}>
                        <Trans>Take them up</Trans>
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
