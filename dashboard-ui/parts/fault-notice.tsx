import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, api, Button, useQuery } from '@vendure/dashboard';
import { CircleAlertIcon, LogInIcon, RotateCcwIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../ground/fault';
import { graphql } from '../gql/graphql';

const whoDocument = graphql(`
    query FlowWho {
        me {
            id
        }
    }
`);

interface FaultNoticeProps {
    readonly error: unknown;
    readonly onRetry?: () => unknown;
}

/** Shows the server's error. */
export function FaultNotice({ error, onRetry }: FaultNoticeProps): ReactNode {
    const { message, code } = faultOf(error);
    const hasEnded = useSessionEnded(code === 'FORBIDDEN');
    if (hasEnded) return <SessionEnded />;
    return (
        <Alert className="border-destructive">
            <CircleAlertIcon aria-hidden className="text-destructive" />
            <AlertTitle>
                <Trans>The request failed</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                <p>
                    {message} {code && <code translate="no">({code})</code>}
                </p>
                {onRetry && (
                    <Button variant="outline" size="sm" onClick={() => void onRetry()}>
                        <RotateCcwIcon aria-hidden />
                        <Trans>Try again</Trans>
                    </Button>
                )}
            </AlertDescription>
        </Alert>
    );
}

/** Whether the user is signed out; queried only after the server rejected something. */
function useSessionEnded(isRefused: boolean): boolean {
    const { isError } = useQuery({
        queryKey: ['flow-who'],
        queryFn: () => api.query(whoDocument),
        enabled: isRefused,
        retry: false,
        gcTime: 0,
    });
    return isRefused && isError;
}

/** The host shows its login after a reload, and returns to this page. */
function SessionEnded(): ReactNode {
    return (
        <Alert className="border-destructive">
            <CircleAlertIcon aria-hidden className="text-destructive" />
            <AlertTitle>
                <Trans>Your session has ended</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                <p>
                    <Trans>Sign in again to return to this page. Unsaved changes are lost.</Trans>
                </p>
                <Button variant="outline" size="sm" onClick={() => location.reload()}>
                    <LogInIcon aria-hidden />
                    <Trans>Sign in again</Trans>
                </Button>
            </AlertDescription>
        </Alert>
    );
}
