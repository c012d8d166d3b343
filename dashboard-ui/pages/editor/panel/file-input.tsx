import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, toast, useMutation, usePermissions, useQuery, useQueryClient } from '@vendure/dashboard';
import { FileIcon, FolderOpenIcon, TriangleAlertIcon, UploadIcon, XIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { graphql } from '../../../gql/graphql';
import { faultOf } from '../../../ground/fault';
import { IconButton } from '../../../ground/icon-button';
import { upload } from '../../../parts/upload';
import { FileDialog, FileFacts } from './file-dialog';

const chosenDocument = graphql(`
    query FlowEditorFile($id: ID!) {
        flowFile(id: $id) {
            id
            path
            filename
            createdAt
            size
            rows
        }
    }
`);

/** A stored file of a format that fits: chosen from the list of files, or uploaded on the spot. */
export function FileInput(props: EditorProps): ReactNode {
    const { t } = useLingui();
    const { hasPermissions } = usePermissions();
    const { isReadOnly } = useSchemaForm();
    const { id, schema, isInvalid, describedBy, onChange } = props;
    const value = typeof props.value === 'string' ? props.value : undefined;
    const mayUpload = hasPermissions(['ManageFlowFiles']);
    const mayRead = mayUpload || hasPermissions(['ReadFlowFiles']);
    return (
        <div id={id} role="group" aria-label={schema.title} aria-describedby={describedBy} className="space-y-2">
            {value !== undefined && (
                <div
                    className="flex items-center gap-2 rounded-md border p-2 text-sm"
                    role="group"
                    aria-label={t`The chosen file`}
                >
                    {mayRead ? <Chosen id={value} /> : <code translate="no">{value}</code>}
                    {!isReadOnly && (
                        <span className="ml-auto">
                            <IconButton label={t`Remove the file`} onPress={() => onChange(undefined)}>
                                <XIcon />
                            </IconButton>
                        </span>
                    )}
                </div>
            )}
            {!isReadOnly && (
                <div className="flex flex-wrap gap-2">
                    {mayRead && (
                        <FileDialog
                            formats={schema.fileFormats}
                            chosen={value}
                            onChoose={onChange}
                            upload={
                                mayUpload && <UploadHere label={t`A file to upload and choose`} onStored={onChange} />
                            }
                        >
                            <Button type="button" size="sm" variant="outline" aria-invalid={isInvalid}>
                                <FolderOpenIcon aria-hidden />
                                {value === undefined ? (
                                    <Trans>Choose a file</Trans>
                                ) : (
                                    <Trans>Choose another file</Trans>
                                )}
                            </Button>
                        </FileDialog>
                    )}
                    {mayUpload && <UploadHere label={t`A file to upload`} onStored={onChange} />}
                </div>
            )}
        </div>
    );
}

function Chosen({ id }: { readonly id: string }): ReactNode {
    const { data } = useQuery({
        queryKey: ['flow', 'editor-file', id],
        queryFn: () => api.query(chosenDocument, { id }),
        retry: false,
    });
    if (data?.flowFile)
        return (
            <>
                <FileIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
                <FileFacts file={data.flowFile} />
            </>
        );
    if (!data) return <code translate="no">{id}</code>;
    return (
        <>
            <TriangleAlertIcon aria-hidden className="size-4 shrink-0 text-warning" />
            <span>
                <Trans>
                    The file <code translate="no">{id}</code> does not exist any more. Choose another one.
                </Trans>
            </span>
        </>
    );
}

/** Stores a file that is to be read, and keeps it for as long as it is not deleted. */
function UploadHere({
    label,
    onStored,
}: {
    readonly label: string;
    readonly onStored: (id: string) => void;
}): ReactNode {
    const queries = useQueryClient();
    const input = useRef<HTMLInputElement>(null);
    const storing = useMutation({
        mutationFn: (file: File) => upload({ file, isKept: true }),
        onSuccess: async id => {
            await queries.invalidateQueries({ queryKey: ['flow', 'editor-files'] });
            onStored(id);
        },
        onError: error => toast.error(faultOf(error).message),
    });
    return (
        <div>
            <Button
                type="button"
                size="sm"
                variant="outline"
                disabled={storing.isPending}
                onClick={() => input.current?.click()}
            >
                <UploadIcon aria-hidden />
                <Trans>Upload a file</Trans>
            </Button>
            <input
                ref={input}
                type="file"
                hidden
                aria-label={label}
                onChange={({ target }) => {
                    if (target.files?.[0]) storing.mutate(target.files[0]);
                    target.value = '';
                }}
            />
        </div>
    );
}
