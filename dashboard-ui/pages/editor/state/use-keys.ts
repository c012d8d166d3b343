import { useEffect, useRef } from 'react';
import { copied, isRefused, type NoPart, pasted, readPart } from '../model/clipboard';
import { stepsOf } from '../model/definition';
import { deleteSteps } from '../model/edits';
import type { DrawingState } from './drawing';
import type { Saving } from './use-saving';

interface Keyed {
    readonly drawing: DrawingState;
    readonly saving: Saving;
    readonly isReadOnly: boolean;
    /** Saves, and says so. */
    readonly onSave: () => Promise<void>;
    /** Called after each paste, with the reason if it was rejected. */
    readonly onPaste: (refused: NoPart | undefined) => void;
}

/** Keys that hold in all views of the editor: save, undo, redo, choose all, copy, paste, delete. What is typed in a field stays there. */
export function useKeys(keyed: Keyed): void {
    const latest = useRef(keyed);
    latest.current = keyed;
    useEffect(() => {
        const press = (event: KeyboardEvent): void => onKey(event, latest.current);
        const copy = (event: ClipboardEvent): void => onCopy(event, latest.current);
        const paste = (event: ClipboardEvent): void => onPaste(event, latest.current);
        document.addEventListener('keydown', press);
        document.addEventListener('copy', copy);
        document.addEventListener('paste', paste);
        return () => {
            document.removeEventListener('keydown', press);
            document.removeEventListener('copy', copy);
            document.removeEventListener('paste', paste);
        };
    }, []);
}

function onKey(event: KeyboardEvent, { drawing, saving, isReadOnly, onSave }: Keyed): void {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && key === 'a' && isOnDrawing(event.target)) {
        event.preventDefault();
        drawing.select(stepsOf(drawing.definition).map(step => step.key));
    }
    if (isCommand && key === 's') {
        // The user does not mean the browser's page.
        event.preventDefault();
        if (!isReadOnly && saving.isDirty && !saving.isSaving && !saving.foreign) void onSave();
        return;
    }
    if (isReadOnly) return;
    if (isTyping(event.target)) return;
    if (isCommand && key === 'z') {
        event.preventDefault();
        if (event.shiftKey) drawing.redo();
        else drawing.undo();
    } else if (isCommand && key === 'y') {
        event.preventDefault();
        drawing.redo();
    } else if ((key === 'delete' || key === 'backspace') && isOnDrawing(event.target) && drawing.selected.length > 0) {
        event.preventDefault();
        drawing.edit(definition => deleteSteps(definition, drawing.selected), { select: [] });
    }
}

function onCopy(event: ClipboardEvent, { drawing }: Keyed): void {
    const isText = (globalThis.getSelection()?.toString() ?? '') !== '';
    if (isTyping(event.target) || isText || drawing.selected.length === 0) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', copied(drawing.definition, drawing.selected));
}

function onPaste(event: ClipboardEvent, { drawing, isReadOnly, onPaste: told }: Keyed): void {
    if (isTyping(event.target) || isReadOnly) return;
    const part = readPart(event.clipboardData?.getData('text/plain') ?? '');
    event.preventDefault();
    told(isRefused(part) ? part : undefined);
    if (isRefused(part)) return;
    const { definition, keys } = pasted(drawing.definition, part);
    drawing.edit(() => definition, { select: keys });
}

function isTyping(target: EventTarget | null): boolean {
    return (
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable=true], [role=dialog]') !== null
    );
}

/** Delete takes steps away only where they are seen to be chosen. */
function isOnDrawing(target: EventTarget | null): boolean {
    return target === document.body || (target instanceof Element && target.closest('[data-flow-drawing]') !== null);
}
