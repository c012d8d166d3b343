import { Trans, useLingui } from '@lingui/react/macro';
import { ActionBarItem, Button, Link, ListPage, PermissionGuard } from '@vendure/dashboard';
import { BookOpenIcon, PlusIcon, WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { ListFrame } from '../../ground/list-frame';
import { useStateWords } from '../../ground/status';
import { YesNo } from '../../ground/yes-no';
import { ExportButton } from '../../parts/export-button';
import { ImportButton } from '../../parts/import-button';
import { NothingHere } from '../../parts/nothing-here';
import { askedFor } from './asked-for';
import { DisableAction, EnableAction, ExportJsonAction, ExportYamlAction, RunAction } from './bulk-actions';
import { DaysCell, LastRunCell, NameCell, NextCell, RunsCell, TriggersCell } from './cells';
import { useTriggerWords } from '../../parts/trigger-words';
import { ImportDialog } from './import-dialog';
import { anyPipelineDocument, pipelineListDocument } from './pipelines.graphql';

/** Of such a column the host lets one value be chosen. */
const oneOf = { fieldInfo: { type: 'Boolean' } } as object;

/** What is there, does it work, what differs from what runs? */
export default function PipelinesPage({ route }: FlowPageProps): ReactNode {
    const { t } = useLingui();
    const title = <Trans context="flow">Pipelines</Trans>;
    const states = useStateWords();
    const triggers = useTriggerWords();
    const header = (text: string) => () => text;
    return (
        <ListFrame
            title={title}
            anyDocument={anyPipelineDocument}
            isEmpty={({ flowPipelines }) => flowPipelines.totalItems === 0}
            empty={<NoPipelines />}
        >
            <ListPage
                pageId="flow-pipelines"
                route={route}
                title={title}
                listQuery={pipelineListDocument}
                transformVariables={askedFor}
                onSearchTermChange={term => ({ _or: [{ name: { contains: term } }, { code: { contains: term } }] })}
                defaultSort={[{ id: 'name', desc: false }]}
                defaultColumnOrder={['name', 'revision', 'lastRun', 'days', 'triggers', 'next', 'enabled']}
                defaultVisibility={{
                    name: true,
                    revision: true,
                    lastRun: true,
                    days: true,
                    openErrors: false,
                    triggers: true,
                    next: true,
                    enabled: true,
                    id: false,
                    code: false,
                    description: false,
                    archived: false,
                    codeFirst: false,
                    status: false,
                    version: false,
                    hasChanges: false,
                    createdAt: false,
                    updatedAt: false,
                }}
                facetedFilters={{
                    enabled: {
                        title: t({ message: 'Status', context: 'pipeline' }),
                        options: [
                            { label: t({ message: 'Enabled', context: 'pipeline' }), value: true },
                            { label: t({ message: 'Disabled', context: 'pipeline' }), value: false },
                        ],
                    },
                    lastRun: {
                        title: t`Last run`,
                        options: [
                            { label: states.FAILED, value: 'FAILED' },
                            { label: states.PAUSED, value: 'PAUSED' },
                            { label: states.RUNNING, value: 'RUNNING' },
                            { label: states.SUCCESS, value: 'COMPLETED' },
                            { label: states.CANCELLED, value: 'CANCELLED' },
                        ],
                    },
                    openErrors: {
                        title: t`Record errors`,
                        options: [
                            { label: t`with open errors`, value: true },
                            { label: t`without open errors`, value: false },
                        ],
                    },
                    triggers: {
                        title: t`Starts`,
                        options: Object.entries(triggers).map(([value, label]) => ({ value, label })),
                    },
                    status: {
                        title: t({ message: 'Draft', context: 'pipeline' }),
                        options: [
                            { label: t({ message: 'Draft', context: 'pipeline' }), value: 'DRAFT' },
                            { label: t({ message: 'In review', context: 'pipeline' }), value: 'REVIEW' },
                        ],
                    },
                }}
                customizeColumns={{
                    name: {
                        header: header(t`Name`),
                        meta: { dependencies: ['code', 'codeFirst'] },
                        cell: ({ row }) => <NameCell row={row.original} />,
                    },
                    revision: {
                        header: header(t({ message: 'Runs', context: 'pipeline' })),
                        meta: { dependencies: ['hasChanges'] },
                        cell: ({ row }) => <RunsCell row={row.original} />,
                    },
                    lastRun: {
                        header: header(t`Last run`),
                        cell: ({ row }) => <LastRunCell run={row.original.lastRun} />,
                    },
                    days: {
                        header: header(t`30 days`),
                        cell: ({ row }) => <DaysCell days={row.original.days} />,
                    },
                    openErrors: {
                        header: header(t`Open record errors`),
                        meta: oneOf,
                        enableSorting: false,
                    },
                    enabled: {
                        header: header(t({ message: 'Enabled', context: 'pipeline' })),
                        cell: ({ row }) => <YesNo value={row.original.enabled} />,
                    },
                }}
                additionalColumns={{
                    triggers: {
                        id: 'triggers',
                        header: header(t`Starts`),
                        meta: { dependencies: ['revision'], ...oneOf },
                        cell: ({ row }) => <TriggersCell row={row.original} />,
                    },
                    next: {
                        id: 'next',
                        header: header(t`Next`),
                        meta: {
                            dependencies: [
                                'enabled',
                                'archived',
                                'status',
                                'hasChanges',
                                'revision',
                                'lastRun',
                                'openErrors',
                            ],
                        },
                        cell: ({ row }) => <NextCell row={row.original} />,
                    },
                }}
                bulkActions={[
                    [{ component: RunAction }, { component: EnableAction }, { component: DisableAction }],
                    [{ component: ExportJsonAction }, { component: ExportYamlAction }],
                ]}
            >
                <ActionBarItem itemId="flow-import" requiresPermission={['CreateFlowPipeline', 'UpdateFlowPipeline']}>
                    <ImportDialog />
                </ActionBarItem>
                <ActionBarItem itemId="flow-import-file" requiresPermission={['CreateFlowPipeline']}>
                    <ImportButton />
                </ActionBarItem>
                <ActionBarItem itemId="flow-export-file" requiresPermission={['CreateFlowPipeline']}>
                    <ExportButton />
                </ActionBarItem>
                <ActionBarItem itemId="flow-new-pipeline" requiresPermission={['CreateFlowPipeline']}>
                    <Button render={<Link to="/flow/pipelines/new" />}>
                        <PlusIcon aria-hidden />
                        <Trans>New pipeline</Trans>
                    </Button>
                </ActionBarItem>
            </ListPage>
        </ListFrame>
    );
}

function NoPipelines(): ReactNode {
    return (
        <NothingHere
            icon={WorkflowIcon}
            title={<Trans>No pipelines yet</Trans>}
            purpose={
                <Trans>
                    A pipeline reads records from a file or another system, transforms them, and loads them into the
                    shop. This page lists all pipelines with their last runs.
                </Trans>
            }
        >
            <div className="flex flex-wrap justify-center gap-2">
                <PermissionGuard requires={['CreateFlowPipeline']}>
                    <Button render={<Link to="/flow/pipelines/new" />}>
                        <PlusIcon aria-hidden />
                        <Trans>New pipeline</Trans>
                    </Button>
                </PermissionGuard>
                <PermissionGuard requires={['CreateFlowPipeline']}>
                    <ImportButton />
                </PermissionGuard>
                <ImportDialog />
                <Button variant="ghost" render={<Link to="/flow/adapters" />}>
                    <BookOpenIcon aria-hidden />
                    <Trans>Everything that pipelines can be built from</Trans>
                </Button>
            </div>
        </NothingHere>
    );
}
