import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, toast, useMutation, usePermissions, useQuery, useQueryClient } from '@vendure/dashboard';
import { UploadIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { OfferedInput } from '../../../form/offered-input';
import { graphql } from '../../../gql/graphql';
import { faultOf } from '../../../ground/fault';
import { upload } from '../../../parts/upload';

const filesDocument = graphql(`
    query FlowEditorFiles($options: FlowFileListOptions) {
        flowFiles(options: $options) {
            items {
                id
                path
                filename
                format
            }
        }
    }
`);

/** A stored file, by its id, of a format that fits; or one that is uploaded on the spot. */
export function FileInput(props: EditorProps): ReactNode {
    const { t } = useLingui();
    const { data } = useQuery({
        queryKey: ['flow', 'editor-files'],
        queryFn: () => api.query(filesDocument, { options: { take: 200, sort: { createdAt: 'DESC' } } }),
        retry: false,
    });
    const formats = props.schema.fileFormats;
    const files = (data?.flowFiles.items ?? [])
        .filter(({ format }) => formats?.includes(format) ?? true)
        // The API may write ids its own way; definitions name files as their addresses do.
        .map(({ path, filename }) => ({ id: path.slice(path.lastIndexOf('/') + 1), filename }));
    const name = files.find(({ id }) => id === props.value)?.filename;
    return (
        <>
            <OfferedInput {...props} choices={files.map(({ id, filename }) => ({ value: id, about: filename }))} />
            {name !== undefined && (
                <p className="text-sm text-muted-foreground" aria-label={t`The chosen file`} translate="no">
                    {name}
                </p>
            )}
            <UploadHere onStored={props.onChange} />
        </>
    );
}

/** Stores a file that is to be read, and keeps it for as long as it is not deleted. */
function UploadHere({ onStored }: { readonly onStored: (id: string) => void }): ReactNode {
    const { t } = useLingui();
    const { hasPermissions } = usePermissions();
    const { isReadOnly } = useSchemaForm();
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
    if (isReadOnly || !hasPermissions(['ManageFlowFiles'])) return null;
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
                aria-label={t`A file to upload`}
                onChange={({ target }) => {
                    if (target.files?.[0]) storing.mutate(target.files[0]);
                    target.value = '';
                }}
            />
        </div>
    );
}
