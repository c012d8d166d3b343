import { Trans } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    toast,
    useMutation,
} from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { faultOf, hostsToAllow, type RefusedSecretHost } from '../ground/fault';
import { useOnce } from '../ground/use-once';

/** A secret and a host that the user has confirmed for it, as the API accepts them. */
export type ConfirmedHost = Pick<RefusedSecretHost, 'secretCode' | 'host'>;

/** The hosts that were shown to the user, in the form of the API. */
export function confirmed(hosts: readonly RefusedSecretHost[]): ConfirmedHost[] {
    return hosts.map(({ secretCode, host }) => ({ secretCode, host }));
}

/** The secrets and their new hosts, for the user to confirm. */
export function SecretHostList({ hosts }: { readonly hosts: readonly RefusedSecretHost[] }): ReactNode {
    return (
        <ul translate="no" className="text-sm">
            {hosts.map(({ stepKey, secretCode, host }) => (
                <li key={`${stepKey} ${secretCode} ${host}`}>
                    <code>{secretCode}</code> → <code>{host}</code>
                </li>
            ))}
        </ul>
    );
}

interface LettingRun {
    /** Enables, selects or restores a revision. */
    readonly letRun: (allowSecretHosts: ConfirmedHost[]) => Promise<unknown>;
    readonly onDone: () => unknown;
    /** The button that confirms the hosts. */
    readonly allow: ReactNode;
    /** Shows other errors. Default: a toast. */
    readonly onFault?: (error: Error) => void;
}

/** The action that lets a revision run, and its dialog. */
interface LetsRun {
    readonly press: () => void;
    readonly isPending: boolean;
    /** Shows the hosts that the revision sends secrets to, for confirmation. Rendered next to the button. */
    readonly dialog: ReactNode;
}

function toastFault(error: Error): void {
    toast.error(faultOf(error).message);
}

/** Lets a revision run. If it sends secrets to hosts that are not allowed, users who may allow them confirm each of them first. */
export function useLetRun({ letRun, onDone, allow, onFault = toastFault }: LettingRun): LetsRun {
    const [hosts, setHosts] = useState<readonly RefusedSecretHost[]>();
    const letting = useMutation({
        mutationFn: (allowSecretHosts: ConfirmedHost[]) => letRun(allowSecretHosts),
        onSuccess: async () => {
            setHosts(undefined);
            await onDone();
        },
        onError: (error: Error) => {
            const asked = hostsToAllow(error);
            setHosts(asked);
            if (!asked) onFault(error);
        },
    });
    const press = useOnce(letting.mutateAsync);
    const dialog = (
        <Dialog open={hosts !== undefined} onOpenChange={open => !open && setHosts(undefined)}>
            <DialogContent>
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Secrets are sent to new hosts</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            This revision sends these secrets to hosts that are not allowed yet. Confirming adds the
                            hosts to the allowed hosts of the secrets.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                <SecretHostList hosts={hosts ?? []} />
                <DialogFooter>
                    <Button disabled={letting.isPending} onClick={() => press(confirmed(hosts ?? []))}>
                        {allow}
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
    return { press: () => press([]), isPending: letting.isPending, dialog };
}
