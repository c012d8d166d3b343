import { useEffect, useRef } from 'react';

interface StepKeys {
    /** Ctrl+Enter; undefined while the primary button is disabled. */
    readonly onPrimary: (() => void) | undefined;
    /** Alt+←; undefined on the first screen. */
    readonly onBack: (() => void) | undefined;
}

/** The keys of a screen: Ctrl+Enter and Alt+→ press the primary button, Alt+← goes back. Arrows stay with fields of text. */
export function useStepKeys(keys: StepKeys): void {
    const current = useRef(keys);
    current.current = keys;
    useEffect(() => {
        const press = (event: KeyboardEvent): void => {
            const action = actionOf(event, current.current);
            // A dialog, a menu or a sheet above the screen has its own keys.
            if (!action || isHandled(event) || isInOverlay(event.target)) return;
            event.preventDefault();
            action();
        };
        globalThis.addEventListener('keydown', press);
        return () => globalThis.removeEventListener('keydown', press);
    }, []);
}

function actionOf(event: KeyboardEvent, { onPrimary, onBack }: StepKeys): (() => void) | undefined {
    const { key, altKey, ctrlKey, metaKey, shiftKey, repeat, target } = event;
    if (repeat || shiftKey) return undefined;
    if (key === 'Enter' && (ctrlKey || metaKey) && !altKey) return onPrimary;
    if (!altKey || ctrlKey || metaKey || isText(target)) return undefined;
    return key === 'ArrowRight' ? onPrimary : key === 'ArrowLeft' ? (onBack ?? (() => undefined)) : undefined;
}

/** A checkbox takes Enter, so that it submits no form. */
function isHandled({ defaultPrevented, target }: KeyboardEvent): boolean {
    return defaultPrevented && !(target instanceof HTMLElement && target.matches('[role=checkbox]'));
}

function isText(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable=true]');
}

function isInOverlay(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && target.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null;
}
