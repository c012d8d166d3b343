import { Trans } from '@lingui/react/macro';
import { Empty, EmptyContent, EmptyDescription, EmptyHeader, EmptyMedia, EmptyTitle } from '@vendure/dashboard';
import { LockIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Says which permission a page needs. */
export function NotAllowed({ requires }: { readonly requires: readonly string[] }): ReactNode {
    return (
        <Empty className="m-4">
            <EmptyHeader>
                <EmptyMedia variant="icon">
                    <LockIcon />
                </EmptyMedia>
                <EmptyTitle>
                    <Trans>You do not have access to this page</Trans>
                </EmptyTitle>
                <EmptyDescription>
                    <Trans>
                        Your roles in this channel do not include any of the required permissions. An administrator can
                        add one:
                    </Trans>
                </EmptyDescription>
            </EmptyHeader>
            <EmptyContent>
                <code translate="no">{requires.join(', ')}</code>
            </EmptyContent>
        </Empty>
    );
}
