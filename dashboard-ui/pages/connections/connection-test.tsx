import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, api, Button, useMutation } from '@vendure/dashboard';
import { CheckIcon, CircleXIcon, InfoIcon, LoaderIcon, PlugZapIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ResultOf } from '../../gql/graphql';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { testConnectionDocument } from './connections.graphql';

type Answer = ResultOf<typeof testConnectionDocument>['testFlowConnection'];

interface ConnectionTestProps {
    readonly id: string;
    readonly isOff?: boolean;
    /** Saves the fingerprint of a host key with the connection; undefined where it cannot be changed. */
    readonly onTrust?: ((fingerprint: string) => Promise<unknown>) | undefined;
}

/** Tests a connection and shows the result in a sentence. */
export function ConnectionTest({ id, isOff = false, onTrust }: ConnectionTestProps): ReactNode {
    const test = useMutation({ mutationFn: () => api.mutate(testConnectionDocument, { id }) });
    return (
        <div className="space-y-3">
            <Button type="button" variant="outline" disabled={test.isPending || isOff} onClick={() => test.mutate()}>
                {test.isPending ? (
                    <LoaderIcon aria-hidden className="animate-spin motion-reduce:animate-none" />
                ) : (
                    <PlugZapIcon aria-hidden />
                )}
                <Trans>Test the connection</Trans>
            </Button>
            <div aria-live="polite">
                {test.data && <Told answer={test.data.testFlowConnection} onTrust={onTrust} />}
                {test.error && <FaultNotice error={test.error} />}
            </div>
        </div>
    );
}

function Told({ answer, onTrust }: { readonly answer: Answer } & Pick<ConnectionTestProps, 'onTrust'>): ReactNode {
    const { t } = useLingui();
    const { result, message, status, durationMs, code, hostKeyFingerprint } = answer;
    const trusting = useMutation({ mutationFn: async (fingerprint: string) => onTrust?.(fingerprint) });
    const press = useOnce(trusting.mutateAsync);
    const looks = {
        PASSED: { icon: CheckIcon, title: t`Works`, variant: 'default' },
        FAILED: { icon: CircleXIcon, title: t`Failed`, variant: 'destructive' },
        UNTESTED: { icon: InfoIcon, title: t`Nothing was tested`, variant: 'default' },
    } as const;
    const { icon: Icon, title, variant } = looks[result];
    return (
        <Alert variant={variant}>
            <Icon aria-hidden />
            <AlertTitle>{title}</AlertTitle>
            <AlertDescription>
                <p className="min-w-0 wrap-anywhere">{message}</p>
                <p className="text-xs text-muted-foreground" translate="no">
                    {[status !== null && `HTTP ${status}`, `${durationMs} ms`, code].filter(Boolean).join(' · ')}
                </p>
                {hostKeyFingerprint !== null && onTrust && (
                    <Button
                        type="button"
                        variant="outline"
                        disabled={trusting.isPending}
                        onClick={() => press(hostKeyFingerprint)}
                    >
                        <Trans>Save fingerprint</Trans>
                    </Button>
                )}
                {trusting.error && <FaultNotice error={trusting.error} />}
            </AlertDescription>
        </Alert>
    );
}
