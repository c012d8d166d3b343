import { createContext, useContext } from 'react';
import type { PaletteEntry } from '../catalogue/catalogue';
import type { Edge } from '../model/definition';
import type { Behind } from '../model/edits';

/** Where the next chosen step goes: on a line, after a step, or unconnected. */
export interface PaletteTarget {
    readonly edge?: Edge;
    readonly behind?: Behind;
}

/** The palette, as all views of the editor use it. */
export interface PaletteState {
    readonly entries: readonly PaletteEntry[];
    readonly target: PaletteTarget | undefined;
    open(target: PaletteTarget): void;
    close(): void;
    /** Adds a step. Without a target it goes after the selected step, or stays unconnected. */
    add(entry: PaletteEntry, target: PaletteTarget): void;
}

/** Under which name a dragged entry travels. */
export const DRAGGED = 'application/x-flow-step';

const Palette = createContext<PaletteState | undefined>(undefined);

export const PaletteProvider = Palette.Provider;

/** The palette of this editor. */
export function usePalette(): PaletteState {
    const palette = useContext(Palette);
    if (palette === undefined) throw new Error('There is no palette around this');
    return palette;
}
