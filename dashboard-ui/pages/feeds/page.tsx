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
import { BanIcon, CheckIcon, ClockIcon, HourglassIcon, PlusIcon, RssIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { faultOf } from '../../ground/fault';
import type { FlowPageProps } from '../../ground/flow-route';
import { ListFrame } from '../../ground/list-frame';
import { ExportButton } from '../../parts/export-button';
import { Moment } from '../../parts/moment';
import { NothingHere } from '../../parts/nothing-here';
import { FeedDialog } from './feed-dialog';
import type { FeedRow } from './feed-row';
import { feedStateOf } from './feed-state';
import { anyFeedDocument, feedListDocument, revokeFeedDocument } from './feeds.graphql';

/** Who fetches which export, what they get now, and who may not any more? */
export default function FeedsPage({ route }: FlowPageProps): ReactNode {
    const { t } = useLingui();
    const title = <Trans>Feeds</Trans>;
    const header = (text: string) => () => text;
    return (
        <ListFrame
            title={title}
            anyDocument={anyFeedDocument}
            isEmpty={({ flowFeeds }) => flowFeeds.totalItems === 0}
            empty={<NoFeeds />}
        >
            <ListPage
                pageId="flow-feeds"
                route={route}
                title={title}
                includeSelectionColumn={false}
                listQuery={feedListDocument}
                onSearchTermChange={term => ({
                    _or: [{ name: { contains: term } }, { exportCode: { contains: term } }],
                })}
                defaultColumnOrder={['name', 'exportCode', 'state', 'file', 'made', 'actions']}
                defaultVisibility={{
                    name: true,
                    exportCode: true,
                    state: true,
                    file: true,
                    made: true,
                    createdAt: false,
                    createdBy: false,
                    updatedAt: false,
                    id: false,
                    expiresAt: false,
                    revokedAt: false,
                    revokedBy: false,
                }}
                customizeColumns={{
                    name: {
                        header: header(t({ message: 'Recipient', context: 'feed' })),
                        cell: ({ row }) => <span className="font-medium">{row.original.name}</span>,
                    },
                    exportCode: {
                        header: header(t({ message: 'Export', context: 'feed' })),
                        cell: ({ row }) => <code translate="no">{row.original.exportCode}</code>,
                    },
                    file: {
                        header: header(t({ message: 'Current file', context: 'feed' })),
                        enableSorting: false,
                        cell: ({ row }) => <Served feed={row.original} />,
                    },
                }}
                additionalColumns={{
                    state: {
                        id: 'state',
                        header: header(t({ message: 'Status', context: 'feed' })),
                        meta: { dependencies: ['revokedAt', 'revokedBy', 'expiresAt', 'file'] },
                        cell: ({ row }) => <State feed={row.original} />,
                    },
                    made: {
                        id: 'made',
                        header: header(t({ message: 'Created', context: 'feed' })),
                        meta: { dependencies: ['createdAt', 'createdBy'] },
                        cell: ({ row }) => <Made feed={row.original} />,
                    },
                    actions: {
                        id: 'actions',
                        header: header(''),
                        enableHiding: false,
                        meta: { dependencies: ['name', 'revokedAt'] },
                        cell: ({ row }) => <Revoke feed={row.original} />,
                    },
                }}
            >
                <ActionBarItem itemId="flow-new-feed" requiresPermission={['ManageFlowFeeds']}>
                    <NewFeed />
                </ActionBarItem>
                <ActionBarItem itemId="flow-export-file" requiresPermission={['CreateFlowPipeline']}>
                    <ExportButton />
                </ActionBarItem>
            </ListPage>
        </ListFrame>
    );
}

function State({ feed }: { readonly feed: FeedRow }): ReactNode {
    switch (feedStateOf(feed, Date.now())) {
        case 'served':
            return (
                <Mark icon={<CheckIcon aria-hidden className="size-4" />}>
                    {feed.expiresAt === null ? (
                        <Trans context="feed">served</Trans>
                    ) : (
                        <Trans context="feed">
                            served until <Moment value={feed.expiresAt} />
                        </Trans>
                    )}
                </Mark>
            );
        case 'waiting':
            return (
                <Mark icon={<HourglassIcon aria-hidden className="size-4" />}>
                    <Trans context="feed">Waiting for the first file</Trans>
                </Mark>
            );
        case 'expired':
            return (
                <Mark icon={<ClockIcon aria-hidden className="size-4" />}>
                    <Trans context="feed">expired</Trans>
                </Mark>
            );
        case 'revoked':
            return (
                <Mark icon={<BanIcon aria-hidden className="size-4" />}>
                    <span>
                        <Trans context="feed">revoked</Trans>
                    </span>
                    {feed.revokedBy && (
                        <span className="text-xs" translate="no">
                            {feed.revokedBy.identifier}
                        </span>
                    )}
                </Mark>
            );
    }
}

function Mark({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }): ReactNode {
    return (
        <span className="inline-flex items-center gap-1">
            {icon}
            {children}
        </span>
    );
}

function Served({ feed: { file } }: { readonly feed: FeedRow }): ReactNode {
    if (!file) return null;
    return (
        <div>
            <span translate="no">{file.filename}</span>
            <div className="text-xs">
                <Moment value={file.createdAt} />
            </div>
        </div>
    );
}

function Made({ feed: { createdAt, createdBy } }: { readonly feed: FeedRow }): ReactNode {
    return (
        <div>
            <Moment value={createdAt} />
            {createdBy && (
                <div className="text-xs" translate="no">
                    {createdBy.identifier}
                </div>
            )}
        </div>
    );
}

function Revoke({ feed: { id, name, revokedAt } }: { readonly feed: FeedRow }): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const revoking = useMutation({
        mutationFn: () => api.mutate(revokeFeedDocument, { id }),
        onSuccess: async () => {
            toast.success(t`The feed was revoked`);
            await queries.invalidateQueries();
        },
        onError: error => toast.error(faultOf(error).message),
    });
    if (revokedAt !== null) return null;
    return (
        <div className="flex justify-end">
            <ConfirmationDialog
                title={t`Revoke the feed of “${name}”?`}
                description={t`Its URL stops working immediately. This cannot be undone. A new feed gets a new URL.`}
                confirmText={t({ message: 'Revoke', context: 'feed' })}
                onConfirm={() => revoking.mutate()}
            >
                <Button variant="ghost" size="sm" aria-label={t`Revoke the feed of ${name}`}>
                    <BanIcon aria-hidden />
                    <Trans context="feed">Revoke</Trans>
                </Button>
            </ConfirmationDialog>
        </div>
    );
}

function NewFeed(): ReactNode {
    return (
        <FeedDialog>
            <Button>
                <PlusIcon aria-hidden />
                <Trans>New feed</Trans>
            </Button>
        </FeedDialog>
    );
}

function NoFeeds(): ReactNode {
    return (
        <NothingHere
            icon={RssIcon}
            title={<Trans>No feeds yet</Trans>}
            purpose={
                <Trans>
                    A feed is a URL that serves the latest file of an export, for example to Google, Meta or a
                    marketplace. Create one for each recipient, so that you can revoke it separately.
                </Trans>
            }
        >
            <div className="flex flex-wrap justify-center gap-2">
                <NewFeed />
                <PermissionGuard requires={['CreateFlowPipeline']}>
                    <ExportButton />
                </PermissionGuard>
            </div>
        </NothingHere>
    );
}
