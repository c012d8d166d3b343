import { api, keepPreviousData, useQuery, type UseQueryOptions } from '@vendure/dashboard';
import { useEffect, useRef, useState } from 'react';
import type { TadaDocumentNode } from 'gql.tada';
import { nextQuestion } from './polling';

/** What is watched, and until when. */
export interface Watched<T, V extends object> {
    readonly document: TadaDocumentNode<T, V>;
    readonly variables: V;
    /** Whether an answer is the last one: nothing more will change. */
    readonly hasEnded: (answer: T) => boolean;
    /** False: no requests. Default true. */
    readonly enabled?: boolean;
    /** Another window can change it even after the end: it is requested again when the user comes back to this window. Default false. */
    readonly isShared?: boolean;
}

/** The latest answer, and how old it is. */
export interface WatchedAnswer<T> {
    readonly data: T | undefined;
    readonly error: Error | null;
    /** When the latest answer came, in milliseconds since 1970; 0 before the first one. */
    readonly asOf: number;
    /** Whether answers stay away: what is shown is older than it should be. */
    readonly isStale: boolean;
    readonly refetch: () => Promise<unknown>;
}

/** Polls once a second, every ten seconds after a minute, never while the tab is hidden, and not after the end. */
export function useWatched<T, V extends object>({
    document,
    variables,
    hasEnded,
    enabled = true,
    isShared = false,
}: Watched<T, V>): WatchedAnswer<T> {
    const since = useRef(Date.now());
    const isHidden = useHidden();
    const key = JSON.stringify(variables);
    useEffect(() => void (since.current = Date.now()), [key]);
    const options: UseQueryOptions<T, Error> = {
        queryKey: ['flow', document, key],
        queryFn: () => api.query(document, variables),
        enabled,
        refetchOnWindowFocus: isShared,
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
            nextQuestion({
                watchedMs: Date.now() - since.current,
                isHidden,
                hasEnded: state.data !== undefined && hasEnded(state.data),
            }),
    };
    const { data, error, dataUpdatedAt, failureCount, refetch } = useQuery(options);
    return { data, error, asOf: dataUpdatedAt, isStale: failureCount > 0, refetch };
}

function useHidden(): boolean {
    const [isHidden, setHidden] = useState(globalThis.document.hidden);
    useEffect(() => {
        const change = (): void => setHidden(globalThis.document.hidden);
        globalThis.document.addEventListener('visibilitychange', change);
        return () => globalThis.document.removeEventListener('visibilitychange', change);
    }, []);
    return isHidden;
}
