import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { useEffect, useRef } from 'react';
import type { TadaDocumentNode } from 'gql.tada';
import { POLLING } from '../ground/polling';
import type { WatchedAnswer } from '../ground/use-watched';

/** What is asked, and with what. */
export interface Question<T, V extends object> {
    readonly document: TadaDocumentNode<T, V>;
    readonly variables: V;
    /** False: nothing is asked. Default true. */
    readonly enabled?: boolean;
    /** Whether it is asked again every ten seconds while the tab is seen. Default true. */
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
    // What has ended since the last answer is asked about once more, however little time it took.
    const wasRefreshed = useRef(isRefreshed);
    useEffect(() => {
        if (wasRefreshed.current && !isRefreshed && enabled) void refetch();
        wasRefreshed.current = isRefreshed;
    }, [isRefreshed, enabled, refetch]);
    return { data, error, asOf: dataUpdatedAt, isStale: failureCount > 0, refetch };
}
