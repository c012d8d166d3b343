import { Trans, useLingui } from '@lingui/react/macro';
import { Link, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** What a run or a step waits for, as the server reports it. */
export interface Wait {
    readonly reason: 'WORKER' | 'EARLIER_RUN' | 'GATE' | 'RESUME' | 'RETRY';
    readonly stepKey: string | null;
    readonly runId: string | null;
    readonly until: string | null;
    readonly code: string | null;
    readonly retry: number | null;
    readonly of: number | null;
}

/** The reason for a wait, in a sentence. */
export function Waiting({ wait }: { readonly wait: Wait }): ReactNode {
    const { t } = useLingui();
    const { formatDate } = useLocalFormat();
    const { reason, runId, stepKey, until, code, retry, of } = wait;
    const time = until && formatDate(until, { timeStyle: 'medium' });
    if (reason === 'WORKER') return <Trans>Waiting for a worker</Trans>;
    if (reason === 'RESUME') return <Trans>Paused until someone resumes it</Trans>;
    if (reason === 'GATE')
        return (
            <Trans>
                Waiting for approval at step <span translate="no">{stepKey}</span>
            </Trans>
        );
    if (reason === 'EARLIER_RUN')
        return (
            <Trans>
                Waiting for{' '}
                <Link to={`/flow/runs/${runId}`} className="underline underline-offset-4">
                    run {runId}
                </Link>
            </Trans>
        );
    return (
        <>
            {time ? t`Retries at ${time}` : t`Waiting to retry`}
            {retry !== null && of !== null && ` (${retry}/${of})`}
            {code !== null && (
                <>
                    : <code translate="no">{code}</code>
                </>
            )}
        </>
    );
}
