import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button } from '@vendure/dashboard';
import { FileWarningIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface UnreadNoticeProps {
    readonly onMend: () => void;
    readonly onDiscard: () => void;
}

/** Says, where the text is not seen, that it is being written, and that what is seen is older. */
export function UnreadNotice({ onMend, onDiscard }: UnreadNoticeProps): ReactNode {
    return (
        <Alert>
            <FileWarningIcon aria-hidden />
            <AlertTitle>
                <Trans>The text is not valid yet</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                <p>
                    <Trans>
                        This is the last valid version. It is the one that is saved. Fix or discard the text to continue
                        editing here.
                    </Trans>
                </p>
                <span className="flex gap-2">
                    <Button size="sm" onClick={onMend}>
                        <Trans>Fix the text</Trans>
                    </Button>
                    <Button size="sm" variant="outline" onClick={onDiscard}>
                        <Trans>Discard the text</Trans>
                    </Button>
                </span>
            </AlertDescription>
        </Alert>
    );
}
