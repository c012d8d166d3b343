import { Trans, useLingui } from '@lingui/react/macro';
import {
    ActionBarItem,
    api,
    Button,
    ConfirmationDialog,
    Page,
    PageActionBar,
    PageBlock,
    PageLayout,
    PageTitle,
    useMutation,
    useNavigate,
    usePermissions,
} from '@vendure/dashboard';
import { SaveIcon, Trash2Icon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { faultOf } from '../../ground/fault';
import { useOnce } from '../../ground/use-once';
import { FromCode } from '../../parts/code-cell';
import { FaultNotice } from '../../parts/fault-notice';
import { UsedBy } from '../../parts/used-by';
import { ConnectionTest } from '../connections/connection-test';
import { type Connection, type ConnectionType, useConnectionDraft } from './connection-draft';
import { ConnectionFields, NewConnectionFields } from './connection-fields';
import { createConnectionDocument, deleteConnectionDocument, updateConnectionDocument } from './connection.graphql';

interface ConnectionEditorProps {
    /** None: a new one. */
    readonly connection: Connection | undefined;
    readonly types: readonly ConnectionType[];
    /** The type of a new one. */
    readonly requestedType?: string | undefined;
    readonly onSaved: () => Promise<unknown>;
}

/** Name and settings of a connection, its test, and what uses it. */
export function ConnectionEditor({ connection, types, requestedType, onSaved }: ConnectionEditorProps): ReactNode {
    const { t } = useLingui();
    const navigate = useNavigate();
    const { hasPermissions } = usePermissions();
    const isReadOnly = !hasPermissions(['ManageFlowConnections']) || connection?.codeFirst === true;
    const draft = useConnectionDraft(connection, types, requestedType);
    const { code, name, type, known, settings: value, isSound } = draft;
    const [isTried, setTried] = useState(false);
    const isChanged =
        name !== (connection?.name ?? '') || JSON.stringify(value) !== JSON.stringify(connection?.settings ?? {});

    const saving = useMutation({
        mutationFn: async () => {
            if (connection) {
                const { id, version } = connection;
                await api.mutate(updateConnectionDocument, { input: { id, version, name, settings: value } });
                return undefined;
            }
            const { createFlowConnection } = await api.mutate(createConnectionDocument, {
                input: { code: code.trim(), name: name.trim() || undefined, type, settings: value },
            });
            return createFlowConnection.id;
        },
        onSuccess: async id => {
            toast.success(t`The connection was saved`);
            if (id === undefined) await onSaved();
            else await navigate({ to: `/flow/connections/${id}` });
        },
    });
    const press = useOnce(saving.mutateAsync);
    const trust = async (hostKeyFingerprint: string): Promise<void> => {
        const { id, version, settings: saved } = connection!;
        const settings = { ...(saved as object), hostKeyFingerprint };
        await api.mutate(updateConnectionDocument, { input: { id, version, settings } });
        toast.success(t`The connection was saved`);
        await onSaved();
    };
    const deleting = useMutation({
        mutationFn: (id: string) => api.mutate(deleteConnectionDocument, { id }),
        onSuccess: async ({ deleteFlowConnection: { result, message } }) => {
            if (result === 'NOT_DELETED') return void toast.error(message ?? t`Delete failed`);
            toast.success(t`The connection was deleted`);
            await navigate({ to: '/flow/connections' });
        },
        onError: error => toast.error(faultOf(error).message),
    });
    const save = (): void => {
        setTried(true);
        if (isSound) press();
    };

    return (
        <Page pageId="flow-connection">
            <PageTitle>{connection ? connection.name : <Trans>New connection</Trans>}</PageTitle>
            <PageActionBar>
                {connection && !isReadOnly && (
                    <ActionBarItem itemId="flow-delete-connection" requiresPermission={['ManageFlowConnections']}>
                        <ConfirmationDialog
                            title={t`Delete this connection?`}
                            description={t`A connection that a pipeline uses cannot be deleted.`}
                            confirmText={t`Delete`}
                            onConfirm={() => deleting.mutate(connection.id)}
                        >
                            <Button variant="outline">
                                <Trash2Icon aria-hidden />
                                <Trans>Delete</Trans>
                            </Button>
                        </ConfirmationDialog>
                    </ActionBarItem>
                )}
                {!isReadOnly && (
                    <ActionBarItem itemId="flow-save-connection" requiresPermission={['ManageFlowConnections']}>
                        <Button disabled={saving.isPending || (connection !== undefined && !isChanged)} onClick={save}>
                            <SaveIcon aria-hidden />
                            {connection ? <Trans>Save</Trans> : <Trans>Create</Trans>}
                        </Button>
                    </ActionBarItem>
                )}
            </PageActionBar>
            <PageLayout>
                <PageBlock
                    column="main"
                    blockId="flow-connection-settings"
                    title={<Trans>Settings</Trans>}
                    description={known?.summary}
                >
                    <div className="space-y-5">
                        {saving.error && <FaultNotice error={saving.error} />}
                        {connection?.codeFirst && (
                            <p className="text-sm text-muted-foreground">
                                <FromCode /> <Trans>Change it there.</Trans>
                            </p>
                        )}
                        {!connection && <NewConnectionFields draft={draft} types={types} showFaults={isTried} />}
                        <ConnectionFields
                            draft={draft}
                            isReadOnly={isReadOnly}
                            showFaults={isTried}
                            isHidden={connection?.settings === null}
                        />
                    </div>
                </PageBlock>
                {connection && (
                    <PageBlock column="side" blockId="flow-connection-test" title={<Trans>Test</Trans>}>
                        <ConnectionTest
                            id={connection.id}
                            isOff={isChanged || !hasPermissions(['ManageFlowConnections'])}
                            onTrust={isReadOnly || isChanged ? undefined : trust}
                        />
                        {isChanged && (
                            <p className="mt-2 text-sm text-muted-foreground">
                                <Trans>The test uses the last saved version.</Trans>
                            </p>
                        )}
                    </PageBlock>
                )}
                {connection && (
                    <PageBlock column="side" blockId="flow-connection-use" title={<Trans>Used by</Trans>}>
                        <UsedBy codes={connection.usedBy} />
                    </PageBlock>
                )}
            </PageLayout>
        </Page>
    );
}
