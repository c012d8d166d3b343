import { Trans, useLingui } from '@lingui/react/macro';
import {
    ActionBarItem,
    api,
    Button,
    ConfirmationDialog,
    ListPage,
    PermissionGuard,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { CheckIcon, KeyRoundIcon, PencilIcon, PlusIcon, Trash2Icon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { faultOf } from '../../ground/fault';
import type { FlowPageProps } from '../../ground/flow-route';
import { ListFrame } from '../../ground/list-frame';
import { FromCode } from '../../parts/code-cell';
import { Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { UsedBy } from '../../parts/used-by';
import { hostsOfOthers, OtherHosts } from './other-hosts';
import { SecretDialog } from './secret-dialog';
import type { SecretRow } from './secret-row';
import { anySecretDocument, deleteSecretDocument, secretListDocument } from './secrets.graphql';

/** Which secrets are set, can the server read them, and what needs them? */
export default function SecretsPage({ route }: FlowPageProps): ReactNode {
    const { t } = useLingui();
    const title = <Trans context="flow">Secrets</Trans>;
    const header = (text: string) => () => text;
    return (
        <ListFrame
            title={title}
            anyDocument={anySecretDocument}
            isEmpty={({ flowSecrets }) => flowSecrets.totalItems === 0}
            empty={<NoSecrets />}
        >
            <ListPage
                pageId="flow-secrets"
                route={route}
                title={title}
                includeSelectionColumn={false}
                listQuery={secretListDocument}
                onSearchTermChange={term => ({ code: { contains: term } })}
                defaultSort={[{ id: 'code', desc: false }]}
                defaultColumnOrder={['code', 'isReadable', 'provider', 'allowedHosts', 'usedBy', 'changed', 'actions']}
                defaultVisibility={{
                    code: true,
                    isReadable: true,
                    provider: true,
                    allowedHosts: true,
                    usedBy: true,
                    changed: true,
                    updatedAt: false,
                    id: false,
                    environmentVariable: false,
                    problem: false,
                    effectiveHosts: false,
                    enabled: false,
                    codeFirst: false,
                    version: false,
                    createdAt: false,
                }}
                customizeColumns={{
                    code: {
                        header: header(t`Code`),
                        meta: { dependencies: ['codeFirst'] },
                        cell: ({ row }) => (
                            <div>
                                <span className="font-medium" translate="no">
                                    {row.original.code}
                                </span>
                                {row.original.codeFirst && (
                                    <div className="text-xs text-muted-foreground">
                                        <FromCode />
                                    </div>
                                )}
                            </div>
                        ),
                    },
                    isReadable: {
                        header: header(t({ message: 'Status', context: 'secret' })),
                        meta: { dependencies: ['problem'] },
                        cell: ({ row }) => <Readable secret={row.original} />,
                    },
                    provider: {
                        header: header(t({ message: 'Kept', context: 'secret' })),
                        meta: { dependencies: ['environmentVariable'] },
                        cell: ({ row }) => <Kept secret={row.original} />,
                    },
                    allowedHosts: {
                        header: header(t`Allowed hosts`),
                        enableSorting: false,
                        meta: { dependencies: ['effectiveHosts'] },
                        cell: ({ row }) => <Hosts secret={row.original} />,
                    },
                    usedBy: {
                        header: header(t`Used by`),
                        enableSorting: false,
                        cell: ({ row }) => <UsedBy codes={row.original.usedBy} />,
                    },
                }}
                additionalColumns={{
                    changed: {
                        id: 'changed',
                        header: header(t({ message: 'Set', context: 'secret' })),
                        meta: { dependencies: ['updatedAt'] },
                        cell: ({ row }) => <Moment value={row.original.updatedAt} />,
                    },
                    actions: {
                        id: 'actions',
                        header: header(''),
                        enableHiding: false,
                        meta: {
                            dependencies: [
                                'code',
                                'codeFirst',
                                'version',
                                'provider',
                                'environmentVariable',
                                'allowedHosts',
                                'effectiveHosts',
                            ],
                        },
                        cell: ({ row }) => <SecretActions secret={row.original} />,
                    },
                }}
            >
                <ActionBarItem itemId="flow-new-secret" requiresPermission={['ManageFlowSecrets']}>
                    <NewSecret />
                </ActionBarItem>
            </ListPage>
        </ListFrame>
    );
}

function Readable({ secret }: { readonly secret: SecretRow }): ReactNode {
    if (secret.isReadable)
        return (
            <span className="inline-flex items-center gap-1">
                <CheckIcon aria-hidden className="size-4" />
                <Trans context="secret">set</Trans>
            </span>
        );
    return (
        <span className="inline-flex items-start gap-1">
            <TriangleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-destructive" />
            <span className="max-w-80 whitespace-normal">
                {secret.problem ?? <Trans>The server cannot read it.</Trans>}
            </span>
        </span>
    );
}

function Kept({ secret }: { readonly secret: SecretRow }): ReactNode {
    if (secret.provider === 'INLINE') return <Trans>Database, encrypted</Trans>;
    return secret.environmentVariable === null ? (
        <Trans>Environment variable</Trans>
    ) : (
        <code translate="no">{secret.environmentVariable}</code>
    );
}

function Hosts({ secret }: { readonly secret: SecretRow }): ReactNode {
    const { allowedHosts: own } = secret;
    const others = hostsOfOthers(secret);
    if (own.length === 0 && others.length === 0)
        return (
            <span className="text-muted-foreground">
                {secret.effectiveHosts ? <Trans>none</Trans> : <Trans>connections only</Trans>}
            </span>
        );
    return (
        <div className="whitespace-normal break-all">
            {own.length > 0 && <span translate="no">{own.join(', ')}</span>}
            <OtherHosts hosts={others} />
        </div>
    );
}

function SecretActions({ secret }: { readonly secret: SecretRow }): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const deleting = useMutation({
        mutationFn: () => api.mutate(deleteSecretDocument, { id: secret.id }),
        onSuccess: async ({ deleteFlowSecret: { result, message } }) => {
            if (result === 'NOT_DELETED') return void toast.error(message ?? t`Delete failed`);
            toast.success(t`The secret was deleted`);
            await queries.invalidateQueries();
        },
        onError: error => toast.error(faultOf(error).message),
    });
    if (secret.codeFirst) return null;
    const { code } = secret;
    return (
        <PermissionGuard requires={['ManageFlowSecrets']}>
            <div className="flex justify-end gap-1">
                <SecretDialog secret={secret}>
                    <Button variant="ghost" size="sm">
                        <PencilIcon aria-hidden />
                        <Trans>Edit</Trans>
                    </Button>
                </SecretDialog>
                <ConfirmationDialog
                    title={t`Delete the secret “${code}”?`}
                    description={t`This cannot be undone. A secret that a connection or pipeline uses cannot be deleted.`}
                    confirmText={t`Delete`}
                    onConfirm={() => deleting.mutate()}
                >
                    <Button variant="ghost" size="icon-sm" aria-label={t`Delete ${code}`}>
                        <Trash2Icon aria-hidden />
                    </Button>
                </ConfirmationDialog>
            </div>
        </PermissionGuard>
    );
}

function NewSecret(): ReactNode {
    return (
        <SecretDialog>
            <Button>
                <PlusIcon aria-hidden />
                <Trans>New secret</Trans>
            </Button>
        </SecretDialog>
    );
}

function NoSecrets(): ReactNode {
    return (
        <NothingHere
            icon={KeyRoundIcon}
            title={<Trans>No secrets yet</Trans>}
            purpose={
                <Trans>
                    Store passwords, tokens and keys under a code. Connections and pipelines contain only the code,
                    never the value.
                </Trans>
            }
        >
            <PermissionGuard requires={['ManageFlowSecrets']}>
                <NewSecret />
            </PermissionGuard>
        </NothingHere>
    );
}
