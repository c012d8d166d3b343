import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Adds accessible names to controls of the host's tables that have none: checkboxes of rows, icon buttons, the page size. Existing names are
 * kept.
 */
export function NamedControls({ children }: { readonly children: ReactNode }): ReactNode {
    const { t } = useLingui();
    const box = useRef<HTMLDivElement>(null);
    const names: ReadonlyArray<readonly [selector: string, name: string]> = [
        ['thead [role=checkbox]', t`Select all rows`],
        ['tbody [role=checkbox]', t`Select this row`],
        ['[data-testid=dt-add-filter-trigger]', t`Add a filter`],
        ['[data-testid=dt-column-settings-trigger]', t`Columns`],
        ['[data-testid=dt-refresh-button]', t`Reload`],
        ['[role=combobox][data-slot=select-trigger]', t`Rows per page`],
        ['thead button', t`Sort`],
        ['tbody [data-slot=dropdown-menu-trigger]', t`Actions for this row`],
        ['button[data-slot=tooltip-trigger]', t`Saved views`],
        ['button[data-slot=dropdown-menu-trigger]', t`More`],
        ['input[placeholder]', t`Search`],
    ];
    const wanted = useRef(names);
    wanted.current = names;
    useEffect(() => {
        const root = box.current;
        if (!root) return undefined;
        const nameAll = (): void => {
            for (const [selector, name] of wanted.current)
                for (const control of root.querySelectorAll(selector)) nameIfNameless(control, name);
        };
        nameAll();
        const observer = new MutationObserver(nameAll);
        observer.observe(root, { childList: true, subtree: true });
        return () => observer.disconnect();
    }, []);
    return <div ref={box}>{children}</div>;
}

function nameIfNameless(control: Element, name: string): void {
    const hasName = control.hasAttribute('aria-label') || control.hasAttribute('aria-labelledby');
    const isTold =
        control.tagName !== 'INPUT' &&
        control.getAttribute('role') !== 'combobox' &&
        control.textContent?.trim() !== '';
    if (!hasName && !isTold) control.setAttribute('aria-label', name);
}
