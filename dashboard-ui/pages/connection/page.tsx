import { Trans } from '@lingui/react/macro';
import { api, useQuery } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { useTranslated } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { useSearch } from '../../parts/use-search';
import { connectionDocument, connectionTypesDocument } from './connection.graphql';
import { ConnectionEditor } from './connection-editor';

/** How is this system reached, does that work, and what depends on it? */
export default function ConnectionPage({ route }: FlowPageProps): ReactNode {
    const { id } = route.useParams() as { readonly id: string };
    const [search] = useSearch();
    const isNew = id === 'new';
    const types = useQuery({
        queryKey: ['flow', 'connection-types'],
        queryFn: () => api.query(connectionTypesDocument, {}),
        staleTime: Infinity,
    });
    const found = useQuery({
        queryKey: ['flow', 'connection', id],
        queryFn: () => api.query(connectionDocument, { id }),
        enabled: !isNew,
    });
    const offered = useTranslated(types.data?.flowAdapters);
    const error = types.error ?? found.error;
    if (error)
        return (
            <div className="m-4">
                <FaultNotice error={error} onRetry={() => Promise.all([types.refetch(), found.refetch()])} />
            </div>
        );
    if (!offered || (!isNew && !found.data)) return null;
    const connection = found.data?.flowConnection ?? undefined;
    if (!isNew && !connection)
        return (
            <p className="m-4">
                <Trans>This channel has no such connection.</Trans>
            </p>
        );
    return (
        <ConnectionEditor
            key={connection ? `${connection.id}-${connection.version}` : 'new'}
            connection={connection}
            types={offered}
            requestedType={search['type']}
            onSaved={() => found.refetch()}
        />
    );
}
