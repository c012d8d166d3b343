import { type RefObject, useEffect } from 'react';
import type { FormIssue } from './form-context';

/** Elements that take input. The host's boxes represent inputs that are hidden. */
const CONTROLS = ['input', 'select', 'textarea', 'button', '[contenteditable=true]', '[role=switch]']
    .map(control => `${control}:not([aria-hidden=true], :disabled)`)
    .join(', ');

/** Scrolls a place into view and focuses it when the user looks for one of its issues, which may belong to a part of it (`data-at`). */
export function useSought(place: RefObject<HTMLElement | null>, issues: readonly FormIssue[], path = ''): void {
    const sought = issues.find(({ reached }) => reached !== undefined);
    const reached = sought?.reached;
    const within = sought?.path.slice(path === '' ? 0 : path.length + 1) ?? '';
    useEffect(() => {
        if (reached === undefined) return undefined;
        // What is around it may still be opening, and has the cursor first.
        const frame = requestAnimationFrame(() => {
            if (place.current) bringUp(place.current, within);
            reached();
        });
        return () => cancelAnimationFrame(frame);
    }, [place, reached, within]);
}

function bringUp(place: HTMLElement, within: string): void {
    for (let around = place.closest('details'); around; around = around.parentElement?.closest('details') ?? null)
        around.open = true;
    const part = partOf(place, within);
    const control = part.matches(CONTROLS) ? part : (part.querySelector<HTMLElement>(CONTROLS) ?? part);
    if (!control.matches(CONTROLS)) control.tabIndex = -1;
    control.scrollIntoView({ block: 'center' });
    control.focus({ preventScroll: true });
}

/** The smallest part that the path leads into. */
function partOf(place: HTMLElement, within: string): HTMLElement {
    const parts = [...place.querySelectorAll<HTMLElement>('[data-at]')].filter(({ dataset: { at = '' } }) =>
        `${within}.`.startsWith(`${at}.`),
    );
    return parts.sort((a, b) => b.dataset['at']!.length - a.dataset['at']!.length)[0] ?? place;
}
