import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    cn,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Input,
    keepPreviousData,
    useQuery,
} from '@vendure/dashboard';
import { CheckIcon } from 'lucide-react';
import { type ReactElement, type ReactNode, useDeferredValue, useState } from 'react';
import { graphql, type ResultOf } from '../../../gql/graphql';
import { Bytes } from '../../../parts/figure';
import { FaultNotice } from '../../../parts/fault-notice';
import { Loading } from '../../../parts/loading';
import { Moment } from '../../../parts/moment';
import { Pager } from '../../../parts/pager';

const TAKE = 10;

const filesDocument = graphql(`
    query FlowEditorFiles($options: FlowFileListOptions) {
        flowFiles(options: $options) {
            totalItems
            items {
                id
                path
                filename
                createdAt
                size
                rows
            }
        }
    }
`);

/** A file as the dialog lists it. */
export type ListedFile = ResultOf<typeof filesDocument>['flowFiles']['items'][number];

interface FileDialogProps {
    /** The formats that fit; all of them if undefined. */
    readonly formats: readonly string[] | undefined;
    readonly chosen: string | undefined;
    readonly onChoose: (id: string) => void;
    /** Uploads another file; inside the dialog. */
    readonly upload: ReactNode;
    /** What opens it. */
    readonly children: ReactElement;
}

/** The uploaded files to choose from, the newest first, found by their names. */
export function FileDialog({ children, ...props }: FileDialogProps): ReactNode {
    const [isOpen, setOpen] = useState(false);
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger render={children} />
            <DialogContent className="flex max-h-[85vh] flex-col sm:max-w-xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Choose a file</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>The uploaded files that this step can read, newest first.</Trans>
                    </DialogDescription>
                </DialogHeader>
                {isOpen && (
                    <FileList
                        {...props}
                        onChoose={id => {
                            props.onChoose(id);
                            setOpen(false);
                        }}
                    />
                )}
            </DialogContent>
        </Dialog>
    );
}

function FileList({ formats, chosen, onChoose, upload }: Omit<FileDialogProps, 'children'>): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const [skip, setSkip] = useState(0);
    const wanted = useDeferredValue(text.trim());
    const options = {
        skip,
        take: TAKE,
        sort: { createdAt: 'DESC' },
        filter: {
            ...(formats && { format: { in: [...formats] } }),
            ...(wanted !== '' && { filename: { contains: wanted } }),
        },
    } as const;
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'editor-files', JSON.stringify(options)],
        queryFn: () => api.query(filesDocument, { options }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    const files = data?.flowFiles;
    return (
        <>
            <Input
                type="search"
                autoFocus
                aria-label={t`Search for a file`}
                placeholder={t`Search by name …`}
                value={text}
                onChange={({ target }) => {
                    setText(target.value);
                    setSkip(0);
                }}
            />
            {error && <FaultNotice error={error} onRetry={refetch} />}
            {!files && !error && <Loading className="h-40" />}
            {files && (
                <ul className="min-h-0 space-y-px overflow-y-auto" aria-label={t`Files`}>
                    {files.items.map(file => {
                        const id = fileIdOf(file);
                        return (
                            <li key={file.id}>
                                <button
                                    type="button"
                                    aria-pressed={id === chosen}
                                    className="flex w-full items-center gap-2 rounded-md px-2 py-2 text-left text-sm outline-none hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50"
                                    onClick={() => onChoose(id)}
                                >
                                    <CheckIcon
                                        aria-hidden
                                        className={cn('size-4 shrink-0', id !== chosen && 'invisible')}
                                    />
                                    <FileFacts file={file} />
                                </button>
                            </li>
                        );
                    })}
                </ul>
            )}
            {files?.totalItems === 0 && (
                <p className="text-sm text-muted-foreground">
                    {wanted === '' ? (
                        <Trans>No uploaded file fits this step yet. Upload one.</Trans>
                    ) : (
                        <Trans>No matches.</Trans>
                    )}
                </p>
            )}
            <div className="flex flex-wrap items-center justify-between gap-2">
                {upload}
                <Pager skip={skip} take={TAKE} total={files?.totalItems ?? 0} onSkip={setSkip} />
            </div>
        </>
    );
}

/** Its name, size, number of rows and age. */
export function FileFacts({ file }: { readonly file: ListedFile }): ReactNode {
    const { filename, size, rows, createdAt } = file;
    return (
        <span className="min-w-0">
            <span className="block truncate font-medium" translate="no" title={filename}>
                {filename}
            </span>
            <span className="block text-xs text-muted-foreground">
                <Bytes bytes={size} />
                {rows !== null && (
                    <>
                        {' · '}
                        <Plural value={rows} one="# row" other="# rows" />
                    </>
                )}
                {' · '}
                <Moment value={createdAt} />
            </span>
        </span>
    );
}

/** The id of a file as definitions name it: as in its address. */
export function fileIdOf({ path }: Pick<ListedFile, 'path'>): string {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
}
