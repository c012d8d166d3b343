import { Trans } from '@lingui/react/macro';
import { Button, cn } from '@vendure/dashboard';
import { CheckIcon, CloudAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../ground/fault';
import type { DraftSaving } from './use-draft-saving';

/** Whether the import can be left now and continued later. */
export function DraftStatus({ saving }: { readonly saving: DraftSaving }): ReactNode {
    const isFailed = saving.state === 'FAILED';
    return (
        <div
            role="status"
            className={cn(
                'flex min-w-0 items-center gap-2 text-sm text-muted-foreground',
                isFailed && 'text-foreground',
            )}
        >
            {saving.state === 'SAVED' && (
                <>
                    <CheckIcon aria-hidden className="size-4 shrink-0 text-success" />
                    <Trans>Draft saved</Trans>
                </>
            )}
            {saving.state === 'PENDING' && <Trans>Saving the draft…</Trans>}
            {isFailed && <SavingFailed saving={saving} />}
        </div>
    );
}

function SavingFailed({ saving }: { readonly saving: DraftSaving }): ReactNode {
    const { message, code } = faultOf(saving.error);
    return (
        <>
            <CloudAlertIcon aria-hidden className="size-4 shrink-0 text-destructive" />
            {code === 'REVISION_CONFLICT' ? (
                <span className="min-w-0">
                    <Trans>This import was changed in another window.</Trans>{' '}
                    <Button variant="link" size="sm" onClick={() => location.reload()}>
                        <Trans>Load its latest version</Trans>
                    </Button>
                </span>
            ) : (
                <span className="min-w-0">
                    <Trans>The draft was not saved: {message}</Trans>{' '}
                    <Button variant="link" size="sm" onClick={() => void saving.saveNow().catch(() => undefined)}>
                        <Trans>Save again</Trans>
                    </Button>
                </span>
            )}
        </>
    );
}
