import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Input, keepPreviousData, useQuery } from '@vendure/dashboard';
import { FileIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Bytes, Count } from '../../../parts/figure';
import { FaultNotice } from '../../../parts/fault-notice';
import { Loading } from '../../../parts/loading';
import { Moment } from '../../../parts/moment';
import { NothingHere } from '../../../parts/nothing-here';
import { importFilesDocument } from '../import.graphql';
import type { OnChoose } from './choose-file';

const PAGE = 20;

/** Files that were uploaded before, the newest first. */
export function StoredTab({ onChoose }: { readonly onChoose: OnChoose }): ReactNode {
    const { t } = useLingui();
    const [term, setTerm] = useState('');
    const [take, setTake] = useState(PAGE);
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'import-files', term, take],
        queryFn: () =>
            api.query(importFilesDocument, {
                options: {
                    take,
                    sort: { createdAt: 'DESC' },
                    ...(term.trim() !== '' && { filter: { filename: { contains: term.trim() } } }),
                },
            }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return <Loading className="h-40" />;
    const { items, totalItems } = data.flowFiles;
    if (totalItems === 0 && term.trim() === '')
        return (
            <NothingHere
                icon={FileIcon}
                title={<Trans>No files yet</Trans>}
                purpose={
                    <Trans>Files that you upload, here or under Files, can be imported again from this list.</Trans>
                }
            />
        );
    return (
        <div className="space-y-3">
            <Input
                type="search"
                className="max-w-80 max-md:h-11"
                aria-label={t`Search files`}
                placeholder={t`Search files`}
                value={term}
                onChange={({ target }) => {
                    setTerm(target.value);
                    setTake(PAGE);
                }}
            />
            {items.length === 0 && (
                <p className="text-sm text-muted-foreground" role="status">
                    <Trans>No matches.</Trans>
                </p>
            )}
            <ul className="divide-y">
                {items.map(({ id, filename, size, rows, createdAt }) => (
                    <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
                        <span className="min-w-0 grow">
                            <span className="block truncate font-medium" translate="no">
                                {filename}
                            </span>
                            <span className="flex flex-wrap gap-x-2 text-sm text-muted-foreground">
                                <Bytes bytes={size} />
                                {rows !== null && (
                                    <span>
                                        <Trans>
                                            <Count value={rows} /> rows
                                        </Trans>
                                    </span>
                                )}
                                <Moment value={createdAt} />
                            </span>
                        </span>
                        <Button
                            variant="outline"
                            className="max-md:h-11"
                            aria-label={t`Use this file: ${filename}`}
                            onClick={() => void onChoose({ fileId: id })}
                        >
                            <Trans>Use this file</Trans>
                        </Button>
                    </li>
                ))}
            </ul>
            {items.length < totalItems && (
                <Button variant="outline" onClick={() => setTake(take + PAGE)}>
                    <Trans>Show more</Trans>
                </Button>
            )}
        </div>
    );
}
