import { type Dispatch, useCallback, useEffect, useRef, useState } from 'react';
import {
    type DraftVersion,
    hasUnsavedChanges,
    partToSave,
    type SavedPart,
    type WizardAction,
    type WizardState,
    type WizardStep,
} from './wizard-state';

/** A pause in which no one changes anything, after which the draft is saved. */
const PAUSE_MS = 800;

/** How far the draft is stored. */
export interface DraftSaving {
    readonly state: 'NONE' | 'PENDING' | 'SAVED' | 'FAILED';
    readonly error?: unknown;
    /** Saves unsaved changes at once. Rejects if saving fails, or if the import has no plan yet. */
    readonly saveNow: () => Promise<DraftVersion>;
}

interface DraftSavingOptions {
    readonly state: WizardState;
    readonly step: WizardStep;
    readonly dispatch: Dispatch<WizardAction>;
    /** Stores a part of a draft, or makes a new draft. Rejects if the draft was changed in another window. */
    readonly save: (part: SavedPart, state: WizardState) => Promise<DraftVersion>;
}

/** Saves the draft after each pause, one save at a time. After an error it waits for the next change, or for `saveNow`. */
export function useDraftSaving({ state, step, dispatch, save }: DraftSavingOptions): DraftSaving {
    const [error, setError] = useState<unknown>();
    const current = useRef({ state, step, save });
    current.current = { state, step, save };
    const pending = useRef<Promise<DraftVersion>>(undefined);
    const store = useCallback(async (): Promise<DraftVersion> => {
        const { state: latest, step: at, save: send } = current.current;
        const part = partToSave(latest, at);
        if (!part) throw new Error('The import has no plan yet.');
        if (latest.draft && !hasUnsavedChanges(latest, at)) return latest.draft;
        const draft = await send(part, latest);
        // The next save may begin before the page is rendered again.
        current.current.state = { ...current.current.state, draft, saved: part };
        dispatch({ type: 'SAVED', draft, saved: part });
        return draft;
    }, [dispatch]);
    const saveNow = useCallback(async (): Promise<DraftVersion> => {
        while (pending.current) await pending.current.catch(() => undefined);
        pending.current = store();
        try {
            const draft = await pending.current;
            setError(undefined);
            return draft;
        } catch (reason) {
            setError(reason);
            throw reason;
        } finally {
            pending.current = undefined;
        }
    }, [store]);
    const isDue = hasUnsavedChanges(state, step);
    useEffect(() => {
        if (!isDue) return undefined;
        const timer = setTimeout(() => void saveNow().catch(() => undefined), PAUSE_MS);
        return () => clearTimeout(timer);
    }, [isDue, state.plan, state.profile, step, saveNow]);
    // A change just before the page is left is saved, too.
    useEffect(
        () => () => {
            const { state: latest, step: at } = current.current;
            if (hasUnsavedChanges(latest, at)) void saveNow().catch(() => undefined);
        },
        [saveNow],
    );
    return { state: savingState(state, error, isDue), ...(error !== undefined && { error }), saveNow };
}

function savingState({ draft }: WizardState, error: unknown, isDue: boolean): DraftSaving['state'] {
    if (error !== undefined) return 'FAILED';
    if (isDue) return 'PENDING';
    return draft ? 'SAVED' : 'NONE';
}
