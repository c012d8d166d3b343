import { useCallback, useRef } from 'react';

/**
 * Does something once, however often a person presses while it is under way: that a mutation is pending a page sees a moment later, and a
 * double click is faster. What goes wrong the mutation tells.
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
