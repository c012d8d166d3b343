import { Table } from '@vendure/dashboard';
import { type ReactNode, useEffect, useRef } from 'react';

interface WideTableProps {
    /** What it shows, for those who come to it without seeing it. */
    readonly name: string;
    readonly className?: string;
    /** Of what is the shop's own, and no text of these pages. */
    readonly translate?: 'no';
    readonly children: ReactNode;
}

/** A table that may be larger than its place, as on a phone. The host's scrolls then; this one can be scrolled by keyboard, too. */
export function WideTable({ name, children, ...look }: WideTableProps): ReactNode {
    const table = useRef<HTMLTableElement>(null);
    useEffect(() => {
        const own = table.current;
        const box = own?.parentElement;
        if (!own || !box) return undefined;
        const reach = (): void => {
            const isWider = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
            const given = { tabindex: '0', role: 'group', 'aria-label': name };
            for (const [attribute, value] of Object.entries(given))
                if (isWider) box.setAttribute(attribute, value);
                else box.removeAttribute(attribute);
        };
        const observer = new ResizeObserver(reach);
        observer.observe(box);
        observer.observe(own);
        return () => observer.disconnect();
    }, [name]);
    return (
        <Table ref={table} {...look}>
            {children}
        </Table>
    );
}
