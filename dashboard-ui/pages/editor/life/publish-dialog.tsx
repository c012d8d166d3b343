import { Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    AlertTitle,
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    Field,
    FieldLabel,
    Textarea,
    toast,
    useMutation,
    useQuery,
} from '@vendure/dashboard';
import { KeyRoundIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { hostsToAllow, type RefusedSecretHost } from '../../../ground/fault';
import { useOnce } from '../../../ground/use-once';
import { FaultNotice } from '../../../parts/fault-notice';
import { Loading } from '../../../parts/loading';
import { confirmed, type ConfirmedHost, SecretHostList } from '../../../parts/secret-hosts';
import { Comparison } from '../../pipeline/comparison';
import { publishDocument, type PublishedRevision, unpublishedDocument } from '../editor.graphql';
import type { StandingDialogProps } from './reject-dialog';

interface PublishDialogProps extends StandingDialogProps {
    readonly onPublished: (revision: PublishedRevision) => void;
}

/** What differs from what runs, and a message about it; then it is a revision, and what runs. */
export function PublishDialog({
    isOpen,
    onClose,
    pipeline,
    saving,
    onDone,
    onPublished,
}: PublishDialogProps): ReactNode {
    const { t } = useLingui();
    const [message, setMessage] = useState('');
    const [version, setVersion] = useState<number>();
    const [hosts, setHosts] = useState<readonly RefusedSecretHost[]>();
    const { save } = saving;
    const runs = pipeline.revision;
    const differences = useQuery({
        queryKey: ['flow', 'unpublished', pipeline.id, version, runs?.id],
        queryFn: () => api.query(unpublishedDocument, { pipelineId: pipeline.id, from: runs?.id }),
        enabled: isOpen && version !== undefined && runs !== null,
    });
    const publish = useMutation({
        mutationFn: (allowSecretHosts: ConfirmedHost[]) =>
            api.mutate(publishDocument, {
                id: pipeline.id,
                version: version!,
                message: message.trim() || undefined,
                allowSecretHosts,
            }),
        onSuccess: async ({ publishFlowPipeline }) => {
            const number = publishFlowPipeline.revision?.number ?? 0;
            await onDone(publishFlowPipeline.version);
            if (publishFlowPipeline.revision) onPublished(publishFlowPipeline.revision);
            toast.success(t`Revision ${number} published`);
            setMessage('');
            onClose();
        },
        onError: error => setHosts(hostsToAllow(error)),
    });
    const press = useOnce(publish.mutateAsync);
    // What is published is what is stored: so it is stored first, and compared as it is stored.
    useEffect(() => {
        if (!isOpen) return setVersion(undefined);
        // Hosts are confirmed for the draft as it is now.
        setHosts(undefined);
        publish.reset();
        void save().then(saved => (saved === undefined ? onClose() : setVersion(saved)));
    }, [isOpen]);
    const number = runs?.number;
    return (
        <Dialog open={isOpen} onOpenChange={open => !open && onClose()}>
            <DialogContent className="flex max-h-[85vh] flex-col sm:max-w-4xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Publish</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        {number === undefined ? (
                            <Trans>This becomes revision 1 and its triggers become active.</Trans>
                        ) : (
                            <Trans>Differences from revision {number} (live):</Trans>
                        )}
                    </DialogDescription>
                </DialogHeader>
                {runs && (
                    <div className="min-h-0 overflow-y-auto">
                        {differences.error && <FaultNotice error={differences.error} />}
                        {differences.data && (
                            <Comparison
                                before={runs.definition}
                                after={saving.base.definition}
                                differences={differences.data.flowPipelineDifferences}
                            />
                        )}
                        {!differences.data && !differences.error && <Loading className="h-24" />}
                    </div>
                )}
                <Field>
                    <FieldLabel htmlFor="flow-publish-message">
                        <Trans>Message, kept with the revision</Trans>
                    </FieldLabel>
                    <Textarea
                        id="flow-publish-message"
                        rows={2}
                        value={message}
                        onChange={({ target }) => setMessage(target.value)}
                    />
                </Field>
                {hosts && <SecretHostsNotice hosts={hosts} />}
                {publish.error && !hosts && <FaultNotice error={publish.error} />}
                <DialogFooter>
                    <Button
                        disabled={version === undefined || publish.isPending}
                        onClick={() => press(confirmed(hosts ?? []))}
                    >
                        {hosts ? <Trans>Allow and publish</Trans> : <Trans>Publish</Trans>}
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}

/** What publishing allows from now on, for the person to confirm. */
function SecretHostsNotice({ hosts }: { readonly hosts: readonly RefusedSecretHost[] }): ReactNode {
    return (
        <Alert>
            <KeyRoundIcon aria-hidden />
            <AlertTitle>
                <Trans>Secrets are sent to new hosts</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                <p>
                    <Trans>Publishing adds these hosts to the allowed hosts of the secrets.</Trans>
                </p>
                <SecretHostList hosts={hosts} />
            </AlertDescription>
        </Alert>
    );
}
