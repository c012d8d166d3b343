import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { useEffect, useRef } from 'react';
import type { TadaDocumentNode } from 'gql.tada';
import { POLLING } from '../ground/polling';
import type { WatchedAnswer } from '../ground/use-watched';

/** The query and its variables. */
export interface Question<T, V extends object> {
    readonly document: TadaDocumentNode<T, V>;
    readonly variables: V;
    /** False: no requests. Default true. */
    readonly enabled?: boolean;
    /** Whether the query repeats every ten seconds while the tab is visible. Default true. */
    readonly isRefreshed?: boolean;
}

/** An answer that is kept fresh while the page is looked at; slower than `useWatched`, for what no one waits for. */
export function useRefreshed<T, V extends object>({
    document,
    variables,
    enabled = true,
    isRefreshed = true,
}: Question<T, V>): WatchedAnswer<T> {
    const { data, error, dataUpdatedAt, failureCount, refetch } = useQuery<T, Error>({
        queryKey: ['flow', document, JSON.stringify(variables)],
        queryFn: () => api.query(document, variables),
        enabled,
        placeholderData: keepPreviousData,
        refetchInterval: isRefreshed ? POLLING.laterMs : false,
    });
    // A run that ended since the last response is queried once more, however short it was.
    const wasRefreshed = useRef(isRefreshed);
    useEffect(() => {
        if (wasRefreshed.current && !isRefreshed && enabled) void refetch();
        wasRefreshed.current = isRefreshed;
    }, [isRefreshed, enabled, refetch]);
    return { data, error, asOf: dataUpdatedAt, isStale: failureCount > 0, refetch };
}
