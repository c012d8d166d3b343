import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, useQuery } from '@vendure/dashboard';
import { FolderIcon, FolderUpIcon, RotateCwIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ResultOf } from '../../../gql/graphql';
import { FaultNotice } from '../../../parts/fault-notice';
import { Bytes } from '../../../parts/figure';
import { Loading } from '../../../parts/loading';
import { Moment } from '../../../parts/moment';
import { importFolderDocument } from '../import.graphql';
import type { OnChoose } from './choose-file';
import { ConnectionSelect } from '../../../parts/connection-select';
import { ReadAgain } from './read-again';
import { useStoredSource } from './use-stored-source';

const SERVER_TYPES = ['SFTP', 'FTP', 'OBJECT_STORAGE'];

/** A file on an SFTP or FTP server or in a bucket. */
export function ServerTab({ onChoose }: { readonly onChoose: OnChoose }): ReactNode {
    const [connectionCode, setConnection] = useState('');
    /** The folders that were opened, the first one of the server left out. */
    const [opened, setOpened] = useState<readonly string[]>([]);
    const path = opened.at(-1);
    const listing = useQuery({
        queryKey: ['flow', 'import-folder', connectionCode, path],
        queryFn: () => api.mutate(importFolderDocument, { connectionCode, path }),
        enabled: connectionCode !== '',
        // The files of another folder must not be offered meanwhile.
        placeholderData: undefined,
        retry: false,
        staleTime: 30_000,
    });
    return (
        <div className="space-y-4">
            <ConnectionSelect
                types={SERVER_TYPES}
                value={connectionCode}
                fault={connectionCode === '' ? undefined : listing.error}
                onChange={code => {
                    setConnection(code);
                    setOpened([]);
                }}
            />
            {listing.isFetching && !listing.data && <Loading className="h-40" />}
            {listing.error && !listing.isFetching && (
                <Button variant="outline" className="max-md:h-11" onClick={() => void listing.refetch()}>
                    <RotateCwIcon aria-hidden />
                    <Trans>Try again</Trans>
                </Button>
            )}
            {listing.data && (
                <Folder
                    connectionCode={connectionCode}
                    folder={listing.data.listFlowImportFolder}
                    path={path}
                    onOpen={next => setOpened([...opened, next])}
                    onUp={() => setOpened(opened.slice(0, -1))}
                    onChoose={onChoose}
                />
            )}
        </div>
    );
}

type ServerFolder = ResultOf<typeof importFolderDocument>['listFlowImportFolder'];

interface FolderProps {
    readonly connectionCode: string;
    readonly folder: ServerFolder;
    /** Absent for the folder in which the server begins. */
    readonly path: string | undefined;
    readonly onOpen: (path: string) => void;
    readonly onUp: () => void;
    readonly onChoose: OnChoose;
}

function Folder({ connectionCode, folder, path, onOpen, onUp, onChoose }: FolderProps): ReactNode {
    const { t } = useLingui();
    const [isReadAgain, setReadAgain] = useState(false);
    const { store, isPending, error: notStored } = useStoredSource(onChoose);
    return (
        <div className="space-y-3">
            {path !== undefined && (
                <Button variant="ghost" size="sm" className="max-md:h-11" onClick={onUp}>
                    <FolderUpIcon aria-hidden />
                    <Trans>Up from</Trans> <span translate="no">{path}</span>
                </Button>
            )}
            {folder.folders.length + folder.files.length === 0 && (
                <p className="text-sm text-muted-foreground">
                    <Trans>This folder is empty.</Trans>
                </p>
            )}
            {folder.folders.length + folder.files.length > 0 && (
                <ul className="max-h-96 divide-y overflow-y-auto" aria-label={t`Files of the server`}>
                    {folder.folders.map(name => (
                        <li key={name} className="py-1">
                            <Button variant="ghost" className="max-md:h-11" onClick={() => onOpen(name)}>
                                <FolderIcon aria-hidden />
                                <span translate="no">{lastPart(name)}</span>
                            </Button>
                        </li>
                    ))}
                    {folder.files.map(file => (
                        <li key={file.path} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
                            <span className="min-w-0 grow">
                                <span className="block truncate font-medium" translate="no">
                                    {file.name}
                                </span>
                                <span className="flex flex-wrap gap-x-2 text-sm text-muted-foreground">
                                    {file.size !== null && <Bytes bytes={file.size} />}
                                    {file.modifiedAt !== null && <Moment value={file.modifiedAt} />}
                                </span>
                            </span>
                            <Button
                                variant="outline"
                                className="max-md:h-11"
                                disabled={isPending}
                                aria-label={t`Use this file: ${file.name}`}
                                onClick={() => {
                                    const input = { connectionCode, path: file.path };
                                    store({ input, ...(isReadAgain && { origin: { kind: 'REMOTE', ...input } }) });
                                }}
                            >
                                <Trans>Use this file</Trans>
                            </Button>
                        </li>
                    ))}
                </ul>
            )}
            {folder.isCut && (
                <p className="text-sm text-muted-foreground">
                    <Trans>The folder contains more files. The newest ones are listed.</Trans>
                </p>
            )}
            <ReadAgain isChecked={isReadAgain} onChange={setReadAgain} />
            {notStored && <FaultNotice error={notStored} />}
        </div>
    );
}

/** `prices` of `/out/prices/`. */
function lastPart(path: string): string {
    return path.replace(/\/+$/, '').split('/').at(-1) || path;
}
