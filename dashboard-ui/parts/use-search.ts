import { useNavigate, useRouterState } from '@vendure/dashboard';
import { useCallback } from 'react';

/** The query string of a page's address, as texts. */
export type Search = Readonly<Record<string, string | undefined>>;

/** What a page shows is part of its address: it can be sent to others, and the browser's way back works. */
export function useSearch(): readonly [Search, (change: Search) => void] {
    const found = useRouterState({ select: state => state.location.search }) as unknown as Readonly<
        Record<string, unknown>
    >;
    const navigate = useNavigate();
    const search = Object.fromEntries(
        Object.entries(found).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
    );
    const change = useCallback(
        (changes: Search): void =>
            void navigate({
                to: '.',
                search: ((old: Search) => ({ ...old, ...changes })) as never,
                replace: true,
            }),
        [navigate],
    );
    return [search, change];
}

/** The number of rows before those that are shown, stored in the address under a name so that the way back restores it. */
export function useSkip(name: string): readonly [number, (skip: number) => void] {
    const [search, change] = useSearch();
    const skip = Math.max(0, Math.floor(Number(search[name] ?? 0)) || 0);
    const setSkip = useCallback(
        (next: number): void => change({ [name]: next === 0 ? undefined : String(next) }),
        [change, name],
    );
    return [skip, setSkip];
}
