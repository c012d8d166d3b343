import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle } from '@vendure/dashboard';
import { CircleXIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText, useServerText } from '../../i18n/use-server-texts';
import type { Run } from './run.graphql';

/** Why a run failed and what to do, in one sentence each, followed by the server's message. */
export function FailureNotice({ run: { error } }: { readonly run: Run }): ReactNode {
    const textOf = useServerText();
    const messageOf = useErrorText();
    if (!error) return null;
    return (
        <Alert className="border-destructive">
            <CircleXIcon aria-hidden className="text-destructive" />
            <AlertTitle className="break-words">{messageOf(error)}</AlertTitle>
            <AlertDescription className="space-y-2 text-foreground">
                {error.remedy && (
                    <p className="font-medium">
                        <Trans>What to do: {textOf(error.remedy)}</Trans>
                    </p>
                )}
                <p translate="no">
                    <code>{[error.stepKey, error.code].filter(Boolean).join(', ')}</code>
                </p>
            </AlertDescription>
        </Alert>
    );
}
