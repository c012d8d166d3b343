import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Field,
    FieldDescription,
    FieldLabel,
    Input,
    NativeSelect,
    NativeSelectOption,
    Textarea,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { type ReactElement, type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { hostsOfOthers, OtherHosts } from './other-hosts';
import type { SecretRow } from './secret-row';
import { createSecretDocument, updateSecretDocument } from './secrets.graphql';

type Provider = SecretRow['provider'];

interface SecretDialogProps {
    /** None: a new one. */
    readonly secret?: SecretRow;
    /** Gets the code of what was set. */
    readonly onSet?: (code: string) => void;
    /** What opens it. */
    readonly children: ReactElement;
}

/** Sets a secret, or edits one. What was set before is never shown, and nothing of what is typed stays when the dialog is closed. */
export function SecretDialog({ secret, onSet, children }: SecretDialogProps): ReactNode {
    const [isOpen, setOpen] = useState(false);
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger render={children} />
            <DialogContent>
                {isOpen && <SecretForm secret={secret} onSet={onSet} onDone={() => setOpen(false)} />}
            </DialogContent>
        </Dialog>
    );
}

function SecretForm({
    secret,
    onSet,
    onDone,
}: {
    readonly secret: SecretRow | undefined;
    readonly onSet: SecretDialogProps['onSet'];
    readonly onDone: () => void;
}): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const [code, setCode] = useState(secret?.code ?? '');
    const [provider, setProvider] = useState<Provider>(secret?.provider ?? 'INLINE');
    const [value, setValue] = useState(secret?.environmentVariable ?? '');
    const [hosts, setHosts] = useState(secret?.allowedHosts.join('\n') ?? '');
    const saving = useMutation({
        mutationFn: (): Promise<unknown> => {
            const allowedHosts = hosts.split(/[\s,]+/).filter(host => host !== '');
            if (!secret)
                return api.mutate(createSecretDocument, {
                    input: { code: code.trim(), provider, value, allowedHosts },
                });
            const { id, version } = secret;
            const given = value === '' ? { allowedHosts } : { provider, value, allowedHosts };
            return api.mutate(updateSecretDocument, { input: { id, version, ...given } });
        },
        onSuccess: async () => {
            toast.success(t`The secret was saved`);
            onSet?.(code.trim());
            await queries.invalidateQueries();
            onDone();
        },
    });
    const press = useOnce(saving.mutateAsync);
    const others = secret ? hostsOfOthers(secret) : [];
    const isInline = provider === 'INLINE';
    // A value that is stored stays where none is typed.
    const isKept = secret !== undefined && provider === secret.provider;
    return (
        <form
            className="space-y-5"
            onSubmit={event => {
                event.preventDefault();
                event.stopPropagation();
                press();
            }}
        >
            <DialogHeader>
                <DialogTitle>{secret ? <Trans>Edit “{secret.code}”</Trans> : <Trans>New secret</Trans>}</DialogTitle>
                <DialogDescription>
                    <Trans>You can replace it later, but not view it.</Trans>
                </DialogDescription>
            </DialogHeader>
            {!secret && (
                <Field>
                    <FieldLabel htmlFor="flow-secret-code">
                        <Trans>Code</Trans>
                    </FieldLabel>
                    <Input
                        id="flow-secret-code"
                        translate="no"
                        autoComplete="off"
                        value={code}
                        onChange={({ target }) => setCode(target.value)}
                    />
                    <FieldDescription>
                        <Trans>Connections and pipelines refer to it by this code.</Trans>
                    </FieldDescription>
                </Field>
            )}
            <Field>
                <FieldLabel htmlFor="flow-secret-provider">
                    <Trans>Storage</Trans>
                </FieldLabel>
                <NativeSelect
                    id="flow-secret-provider"
                    className="w-full"
                    value={provider}
                    onChange={({ target }) => {
                        setProvider(target.value as Provider);
                        setValue('');
                    }}
                >
                    <NativeSelectOption value="INLINE">{t`Database, encrypted`}</NativeSelectOption>
                    <NativeSelectOption value="ENV">{t`Environment variable of the server`}</NativeSelectOption>
                </NativeSelect>
            </Field>
            <Field>
                <FieldLabel htmlFor="flow-secret-value">
                    {isInline ? <Trans>Secret</Trans> : <Trans>Name of the variable</Trans>}
                </FieldLabel>
                <Input
                    id="flow-secret-value"
                    type={isInline ? 'password' : 'text'}
                    autoComplete={isInline ? 'new-password' : 'off'}
                    translate="no"
                    value={value}
                    onChange={({ target }) => setValue(target.value)}
                />
                {isKept && isInline && (
                    <FieldDescription>
                        <Trans>Leave it empty to keep the secret as it is.</Trans>
                    </FieldDescription>
                )}
            </Field>
            <Field>
                <FieldLabel htmlFor="flow-secret-hosts">
                    <Trans>Allowed hosts</Trans>
                </FieldLabel>
                <Textarea
                    id="flow-secret-hosts"
                    translate="no"
                    rows={3}
                    spellCheck={false}
                    placeholder="erp.example.com"
                    value={hosts}
                    onChange={({ target }) => setHosts(target.value)}
                />
                <FieldDescription>
                    <Trans>
                        One host per line, such as erp.example.com, erp.example.com:8443 or *.example.com. The secret is
                        sent only to these hosts and to the hosts of connections that use it. Unencrypted requests
                        outside of a private network need an entry with http://, such as http://erp.example.com.
                    </Trans>
                </FieldDescription>
                {others.length > 0 && (
                    <div className="space-y-1 text-sm">
                        <p>
                            <Trans>Also allowed. To end this, change the connection or pipeline:</Trans>
                        </p>
                        <OtherHosts hosts={others} />
                    </div>
                )}
            </Field>
            {saving.error && <FaultNotice error={saving.error} />}
            <DialogFooter>
                <Button type="submit" disabled={saving.isPending || (value === '' && !isKept) || code.trim() === ''}>
                    <Trans>Save</Trans>
                </Button>
            </DialogFooter>
        </form>
    );
}
