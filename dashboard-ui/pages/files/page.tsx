import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import {
    ActionBarItem,
    Button,
    ConfirmationDialog,
    Link,
    ListPage,
    PermissionGuard,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { DownloadIcon, EyeIcon, FileInputIcon, Trash2Icon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import type { FlowPageProps } from '../../ground/flow-route';
import { IconButton } from '../../ground/icon-button';
import { NamedControls } from '../../ground/named-controls';
import { Bytes, Count } from '../../parts/figure';
import { ExportButton } from '../../parts/export-button';
import { ImportButton } from '../../parts/import-button';
import { Moment } from '../../parts/moment';
import { askRest, saveFile } from '../../parts/rest';
import { UsedBy } from '../../parts/used-by';
import type { FileRow } from './file-row';
import { fileListDocument } from './files.graphql';
import { PreviewSheet } from './preview-sheet';
import { UploadArea } from './upload-area';

/** What can pipelines read, what is in it, and how long is it kept? */
export default function FilesPage({ route }: FlowPageProps): ReactNode {
    const { t } = useLingui();
    const [previewed, setPreviewed] = useState<FileRow>();
    const header = (text: string) => () => text;
    return (
        <NamedControls>
            <ListPage
                pageId="flow-files"
                route={route}
                title={<Trans context="flow">Files</Trans>}
                includeSelectionColumn={false}
                listQuery={fileListDocument}
                onSearchTermChange={term => ({ filename: { contains: term } })}
                defaultSort={[{ id: 'createdAt', desc: true }]}
                defaultColumnOrder={['filename', 'size', 'rows', 'usedBy', 'uploaded', 'expiresAt', 'actions']}
                defaultVisibility={{
                    filename: true,
                    size: true,
                    rows: true,
                    usedBy: true,
                    uploaded: true,
                    createdAt: false,
                    expiresAt: true,
                    id: false,
                    mimeType: false,
                    format: false,
                    encoding: false,
                    path: false,
                    uploadedBy: false,
                }}
                customizeColumns={{
                    filename: {
                        header: header(t({ message: 'File', context: 'flow' })),
                        meta: { dependencies: ['format', 'encoding'] },
                        cell: ({ row }) => <NameCell file={row.original} />,
                    },
                    size: {
                        header: header(t({ message: 'Size', context: 'flow' })),
                        cell: ({ row }) => <Bytes bytes={row.original.size} />,
                    },
                    rows: {
                        header: header(t({ message: 'Rows', context: 'flow' })),
                        cell: ({ row }) => (row.original.rows === null ? '–' : <Count value={row.original.rows} />),
                    },
                    usedBy: {
                        header: header(t`Used by`),
                        enableSorting: false,
                        cell: ({ row }) => <UsedBy codes={row.original.usedBy} />,
                    },
                    expiresAt: {
                        header: header(t({ message: 'Kept', context: 'file' })),
                        cell: ({ row }) => <Expiry at={row.original.expiresAt} />,
                    },
                }}
                additionalColumns={{
                    uploaded: {
                        id: 'uploaded',
                        header: header(t({ message: 'Uploaded', context: 'flow' })),
                        meta: { dependencies: ['createdAt', 'uploadedBy'] },
                        cell: ({ row }) => (
                            <div>
                                <Moment value={row.original.createdAt} />
                                <div className="text-xs text-muted-foreground" translate="no">
                                    {row.original.uploadedBy?.identifier}
                                </div>
                            </div>
                        ),
                    },
                    actions: {
                        id: 'actions',
                        header: header(''),
                        enableHiding: false,
                        meta: { dependencies: ['path', 'filename', 'id'] },
                        cell: ({ row }) => (
                            <FileActions file={row.original} onPreview={() => setPreviewed(row.original)} />
                        ),
                    },
                }}
            >
                <ActionBarItem itemId="flow-import-file" requiresPermission={['CreateFlowPipeline']}>
                    <ImportButton />
                </ActionBarItem>
                <ActionBarItem itemId="flow-export-file" requiresPermission={['CreateFlowPipeline']}>
                    <ExportButton />
                </ActionBarItem>
            </ListPage>
            <PermissionGuard requires={['ManageFlowFiles']}>
                <div className="mx-4 mb-4">
                    <UploadArea />
                </div>
            </PermissionGuard>
            <PreviewSheet file={previewed} onClose={() => setPreviewed(undefined)} />
        </NamedControls>
    );
}

function NameCell({ file }: { readonly file: FileRow }): ReactNode {
    return (
        <div className="min-w-40" translate="no">
            <span title={file.filename} className="block max-w-72 truncate font-medium">
                {file.filename}
            </span>
            <div className="text-xs text-muted-foreground">
                {file.format}
                {file.encoding !== null && `, ${file.encoding}`}
            </div>
        </div>
    );
}

const DAY_MS = 24 * 60 * 60 * 1000;

function Expiry({ at }: { readonly at: string | null }): ReactNode {
    const { t } = useLingui();
    if (at === null) return <Trans context="file">until deleted</Trans>;
    const days = Math.max(0, Math.ceil((Date.parse(at) - Date.now()) / DAY_MS));
    return (
        <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
            {days <= 1 ? t`less than a day` : t`${plural(days, { one: '# more day', other: '# more days' })}`}
        </time>
    );
}

function FileActions({ file, onPreview }: { readonly file: FileRow; readonly onPreview: () => void }): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const onError = (error: Error): void => void toast.error(error.message);
    const saving = useMutation({ mutationFn: () => saveFile(`${file.path}/download`), onError });
    const deleting = useMutation({
        mutationFn: () => askRest(file.path, { method: 'DELETE' }),
        onSuccess: async () => {
            toast.success(t`The file was deleted`);
            await queries.invalidateQueries();
        },
        onError,
    });
    const { filename } = file;
    return (
        <div className="flex justify-end">
            <IconButton label={t`Preview ${filename}`} onPress={onPreview}>
                <EyeIcon aria-hidden />
            </IconButton>
            <PermissionGuard requires={['CreateFlowPipeline']}>
                <Button
                    variant="ghost"
                    size="icon-sm"
                    aria-label={t`Import ${filename}`}
                    title={t`Import ${filename}`}
                    render={<Link to="/flow/import" search={{ file: file.id } as never} />}
                >
                    <FileInputIcon aria-hidden />
                </Button>
            </PermissionGuard>
            <IconButton label={t`Download ${filename}`} onPress={() => saving.mutate()} isOff={saving.isPending}>
                <DownloadIcon aria-hidden />
            </IconButton>
            <PermissionGuard requires={['ManageFlowFiles']}>
                <ConfirmationDialog
                    title={t`Delete “${filename}”?`}
                    description={t`Pipelines that read this file will fail.`}
                    confirmText={t`Delete`}
                    onConfirm={() => deleting.mutate()}
                >
                    <Button variant="ghost" size="icon-sm" aria-label={t`Delete ${filename}`}>
                        <Trash2Icon aria-hidden />
                    </Button>
                </ConfirmationDialog>
            </PermissionGuard>
        </div>
    );
}
