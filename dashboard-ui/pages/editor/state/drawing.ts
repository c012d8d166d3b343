import { useCallback, useMemo, useRef, useState } from 'react';
import type { Definition } from '../model/definition';
import { beginning, changed, type History, redone, undone } from '../model/history';

/** Positions of boxes that the user placed. They are not part of the definition, so moving a box changes no revision. */
export type Places = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

/** What is edited. */
export interface Drawing {
    readonly definition: Definition;
    readonly places: Places;
}

/** How a change is described. */
export interface Gesture {
    /** Changes of the same gesture are undone together. */
    readonly joins?: string;
    /** What is chosen afterwards; left out: what was before. */
    readonly select?: readonly string[];
}

/** The drawing and what can be done with it. */
export interface DrawingState extends Drawing {
    readonly selected: readonly string[];
    readonly canUndo: boolean;
    readonly canRedo: boolean;
    /** Changes the definition. A change without effect adds no entry to the history. */
    edit(change: (definition: Definition) => Definition, gesture?: Gesture): void;
    place(places: Places, gesture?: Pick<Gesture, 'joins'>): void;
    select(keys: readonly string[] | ((old: readonly string[]) => readonly string[])): void;
    undo(): void;
    redo(): void;
    /** Starts over with an empty history. */
    replace(drawing: Drawing): void;
}

/** A drawing with its history and what is chosen in it. */
export function useDrawing(begun: Drawing): DrawingState {
    const [history, setHistory] = useState<History<Drawing>>(() => beginning(begun));
    const [selected, setSelected] = useState<readonly string[]>([]);
    const latest = useRef(history);
    const take = useCallback((next: History<Drawing>): void => {
        latest.current = next;
        setHistory(next);
    }, []);
    const actions = useMemo(
        () => ({
            edit(change: (definition: Definition) => Definition, { joins, select }: Gesture = {}): void {
                const { present } = latest.current;
                const definition = change(present.definition);
                if (definition !== present.definition) take(changed(latest.current, { ...present, definition }, joins));
                if (select) setSelected(select);
            },
            place(places: Places, { joins }: Pick<Gesture, 'joins'> = {}): void {
                take(changed(latest.current, { ...latest.current.present, places }, joins));
            },
            select(next: readonly string[] | ((old: readonly string[]) => readonly string[])): void {
                setSelected(old => {
                    const keys = typeof next === 'function' ? next(old) : next;
                    return old.length === keys.length && old.every((key, i) => key === keys[i]) ? old : keys;
                });
            },
            undo: (): void => take(undone(latest.current)),
            redo: (): void => take(redone(latest.current)),
            replace: (drawing: Drawing): void => take(beginning(drawing)),
        }),
        [take],
    );
    return {
        ...history.present,
        ...actions,
        selected,
        canUndo: history.past.length > 0,
        canRedo: history.future.length > 0,
    };
}
