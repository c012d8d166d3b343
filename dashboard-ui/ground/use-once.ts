import { useCallback, useRef } from 'react';

/**
 * Performs an action once while it is pending, however often the user clicks. A page sees that a mutation is pending a moment later than a
 * double click. The mutation reports errors.
 */
export function useOnce<A extends readonly unknown[]>(act: (...args: A) => Promise<unknown>): (...args: A) => void {
    const isUnderWay = useRef(false);
    const newest = useRef(act);
    newest.current = act;
    return useCallback((...args: A) => {
        if (isUnderWay.current) return;
        isUnderWay.current = true;
        const end = (): void => void (isUnderWay.current = false);
        void newest.current(...args).then(end, end);
    }, []);
}
