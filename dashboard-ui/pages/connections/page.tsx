import { Trans, useLingui } from '@lingui/react/macro';
import { ActionBarItem, Button, Link, ListPage, PermissionGuard } from '@vendure/dashboard';
import { PlugIcon, PlusIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { ListFrame } from '../../ground/list-frame';
import { CodeCell } from '../../parts/code-cell';
import { Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { UsedBy } from '../../parts/used-by';
import { anyConnectionDocument, connectionListDocument } from './connections.graphql';

/** Which systems can be reached, and what depends on them? */
export default function ConnectionsPage({ route }: FlowPageProps): ReactNode {
    const { t } = useLingui();
    const title = <Trans context="flow">Connections</Trans>;
    const header = (text: string) => () => text;
    return (
        <ListFrame
            title={title}
            anyDocument={anyConnectionDocument}
            isEmpty={({ flowConnections }) => flowConnections.totalItems === 0}
            empty={<NoConnections />}
        >
            <ListPage
                pageId="flow-connections"
                route={route}
                title={title}
                includeSelectionColumn={false}
                listQuery={connectionListDocument}
                onSearchTermChange={term => ({ _or: [{ name: { contains: term } }, { code: { contains: term } }] })}
                defaultSort={[{ id: 'name', desc: false }]}
                defaultColumnOrder={['name', 'type', 'usedBy', 'changed']}
                defaultVisibility={{
                    name: true,
                    type: true,
                    usedBy: true,
                    changed: true,
                    updatedAt: false,
                    id: false,
                    code: false,
                    enabled: false,
                    codeFirst: false,
                    version: false,
                    createdAt: false,
                }}
                customizeColumns={{
                    name: {
                        header: header(t`Name`),
                        meta: { dependencies: ['code', 'codeFirst', 'enabled'] },
                        cell: ({ row }) => <CodeCell to={`/flow/connections/${row.original.id}`} {...row.original} />,
                    },
                    type: {
                        header: header(t({ message: 'Type', context: 'connection' })),
                        cell: ({ row }) => <span translate="no">{row.original.type}</span>,
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
                        header: header(t`Changed`),
                        meta: { dependencies: ['updatedAt'] },
                        cell: ({ row }) => <Moment value={row.original.updatedAt} />,
                    },
                }}
            >
                <ActionBarItem itemId="flow-new-connection" requiresPermission={['ManageFlowConnections']}>
                    <NewConnection />
                </ActionBarItem>
            </ListPage>
        </ListFrame>
    );
}

function NewConnection(): ReactNode {
    return (
        <Button render={<Link to="/flow/connections/new" />}>
            <PlusIcon aria-hidden />
            <Trans>New connection</Trans>
        </Button>
    );
}

function NoConnections(): ReactNode {
    return (
        <NothingHere
            icon={PlugIcon}
            title={<Trans>No connections yet</Trans>}
            purpose={
                <Trans>
                    A connection holds the address of another system and the secret to sign in with. Pipelines refer to
                    it by its code.
                </Trans>
            }
        >
            <PermissionGuard requires={['ManageFlowConnections']}>
                <NewConnection />
            </PermissionGuard>
        </NothingHere>
    );
}
